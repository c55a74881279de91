#include "framework/workbench/compilation/compiled_model_plugin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "framework/diagnostics.hpp"
#include "polyform/contract/model_source.hpp"

namespace polyform::host::inline compilation {

namespace {

class Text final : public TextSink {
 public:
  void put(std::string_view part) noexcept override { text += part; }
  std::string text;
};

}  // namespace

std::string compiled_name(std::string_view model_file) {
  constexpr std::size_t longest = 40;
  std::string name = "compiled";
  bool apart = true;
  for (const char c : std::filesystem::path(model_file).stem().string()) {
    const bool usual = std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 128;
    if (usual && apart) name += '-';
    if (usual) name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    apart = !usual;
    if (name.size() >= longest) break;
  }
  return name;
}

std::string compiled_meaning(std::string_view model_file) {
  return fmt::format("{}, compiled: the recursion over its tree, unrolled for its bodies",
                     std::filesystem::path(model_file).filename().string());
}

std::string source_of(Solver& solver, std::string_view formulation, const SourceRequest& request) {
  auto* const source = static_cast<ModelSource*>(solver.query(ModelSource::interface_name));
  if (source == nullptr)
    throw Failure(Exit::bad_input, fmt::format("{} with these options does not compile its solvers", formulation));
  Text text;
  if (source->write(request.name, request.model, request.variants, text) != Status::ok)
    throw Failure(Exit::bad_input, fmt::format("{} cannot compile the model: {}", formulation, source->failure()));
  return std::move(text.text);
}

CompiledModelPlugin::CompiledModelPlugin(const std::string& name, const std::string& source, const std::string& version)
    : made_(compile_plugin(name, source, version)) {
  RegistryOptions options({made_.file.string()});
  options.environment.clear();
  options.installation.clear();
  registry_ = std::make_unique<Registry>(options);
  formulation_ = find(registry_->catalog().formulations, name);
  if (formulation_ != nullptr) return;
  std::string why = "it was not found";
  for (const PluginRecord& plugin : registry_->plugins()) why = plugin.explanation;
  throw Failure(Exit::plugin, fmt::format("the compiled model is refused: {}", why));
}

std::vector<FieldValue> CompiledModelPlugin::options(const Formulation& from,
                                                     std::span<const FieldValue> values) const {
  std::vector<FieldValue> out;
  const Strided<const FieldSpec> theirs = from.options();
  for (const FieldSpec& option : formulation_->options()) {
    const auto is_it = [&](const FieldSpec& other) { return other.name == option.name; };
    const auto same = std::find_if(theirs.begin(), theirs.end(), is_it);
    if (same == theirs.end())
      throw Failure(Exit::bad_input, fmt::format("{} has no option {}", from.name(), option.name));
    out.push_back(values[static_cast<std::size_t>(same - theirs.begin())]);
  }
  return out;
}

}  // namespace polyform::host::inline compilation
