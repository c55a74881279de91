// polyform conform FILE checks whether a plugin keeps the contract: the battery of every type it offers, and the
// findings.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>

#include "apps/command.hpp"
#include "apps/session/arguments.hpp"
#include "apps/text/json_output.hpp"
#include "apps/text/terminal.hpp"
#include "apps/text/wrapping.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/host/registry/registry.hpp"
#include "framework/host/results/file_roles.hpp"
#include "framework/workbench/conformance/conformance.hpp"

namespace polyform::apps {

namespace {

using host::Claim;
using host::Exit;
using host::conformance::Verdict;

struct ConformArguments {
  std::string file, type, model, models;
  std::vector<std::string> paths;
  double time_limit = host::ConformanceSettings{}.time_limit;
  std::uint64_t draw = 0;
  bool json = false, lenient = false;
};

/// Warns of plugins that the search refused, and that are therefore missing in checks against other plugins.
void tell_of_refused(const host::Registry& registry, const host::PluginRecord& checked) {
  for (const host::SearchedPlace& place : registry.search_path())
    if (!place.problem.empty()) print(Severity::warning, place.problem);
  for (const host::PluginRecord& plugin : registry.plugins())
    if (&plugin != &checked && (plugin.replaced || plugin.status == host::PluginStatus::refused))
      print(Severity::warning, plugin.explanation, "The checks are made without it.");
}

/// The plugin loaded from this file, whatever other files the search finds under its name.
const host::PluginRecord& loaded_plugin(const host::Registry& registry, const std::string& file) {
  for (const host::PluginRecord& plugin : registry.plugins()) {
    std::error_code error;
    if (!std::filesystem::equivalent(plugin.file, file, error) || error) continue;
    if (plugin.status == host::PluginStatus::loaded) return plugin;
    throw host::Failure(Exit::plugin, plugin.explanation);
  }
  throw host::Failure(Exit::plugin, file + " cannot be read");
}

std::vector<host::Offer> chosen_types(const host::PluginRecord& plugin, const std::string& name) {
  if (name.empty()) return plugin.offers;
  std::vector<std::string_view> known;
  for (const host::Offer& offer : plugin.offers) {
    if (offer.name == name) return {offer};
    known.push_back(offer.name);
  }
  throw host::Failure(Exit::bad_input, fmt::format("--type: {} offers no {}", plugin.name, host::show(name)),
                      host::did_you_mean(name, known) + "It offers: " + host::listing(known) + ".");
}

/// The models in which checks failed, each once. They are written to files if a folder is given, and else printed.
class FailingModels {
 public:
  FailingModels(std::string folder, const host::PluginRecord& plugin) : folder_(std::move(folder)), plugin_(plugin) {
    if (folder_.empty()) return;
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    if (error)
      throw host::Failure(Exit::bad_input, fmt::format("--models: {} cannot be made: {}", folder_, error.message()));
  }

  /// The place of the model of a failed claim, in words; empty if there is none.
  std::string tell(const Claim& claim) {
    if (claim.model.empty()) return {};
    const auto [known, first] = places_.try_emplace(claim.model);
    if (first) known->second = put(claim);
    return known->second.empty() ? "" : (first ? "" : "as above: ") + known->second;
  }

 private:
  std::string put(const Claim& claim) {
    const std::string name = fmt::format("{}-{}.yaml", claim.type, ++count_[claim.type]);
    std::string text = fmt::format("# {} {}: {}\n", claim.kind, claim.type, claim.name);
    for (std::size_t at = 0; at < claim.finding.size();) {
      const std::size_t end = std::min(claim.finding.find('\n', at), claim.finding.size());
      text += fmt::format("# {}\n", claim.finding.substr(at, end - at));
      at = end + 1;
    }
    text += fmt::format("# polyform evaluate {} --solver all --plugin-path {}\n{}", name, plugin_.file, claim.model);
    if (folder_.empty()) return text;
    const std::filesystem::path path = std::filesystem::path(folder_) / name;
    std::ofstream out(path);
    out << text << std::flush;
    if (!out) throw host::Failure(Exit::bad_input, fmt::format("--models: {} cannot be written", path.string()));
    return path.string();
  }

  std::string folder_;
  const host::PluginRecord& plugin_;
  std::map<std::string, std::string> places_;
  std::map<std::string, int> count_;
};

void print_claim(const Claim& claim) {
  const char* const mark = claim.verdict == Verdict::passed   ? "passed"
                           : claim.verdict == Verdict::failed ? "FAILED"
                                                              : "unsupported";
  std::string text = fmt::format("  {:<11} {}", mark, claim.name);
  const bool measured = claim.verdict == Verdict::passed || claim.measured > claim.tolerance;
  if (measured && claim.tolerance > 0)
    text += fmt::format(" ({:.1e}, allowed {:.0e})", claim.measured, claim.tolerance);
  if (!claim.finding.empty()) text += "\n              " + claim.finding;
  if (!claim.remedy.empty()) text += "\n              " + claim.remedy;
  fmt::print(output(), "{}\n", wrapped_lines(text, 14));
}

Json claim_json(const Claim& claim) {
  Json out = {{"kind", claim.kind},         {"type", claim.type},
              {"claim", claim.name},        {"result", host::name_of(claim.verdict)},
              {"measured", claim.measured}, {"tolerance", claim.tolerance}};
  if (!claim.finding.empty()) out["finding"] = claim.finding;
  if (!claim.remedy.empty()) out["remedy"] = claim.remedy;
  if (!claim.model.empty()) out["model"] = claim.model;
  return out;
}

void tell_model(const Claim& claim, const ConformArguments& arguments, FailingModels& models) {
  if (arguments.json && arguments.models.empty()) return;  // the claim has its text
  const std::string place = models.tell(claim);
  if (arguments.json || place.empty()) return;
  if (!arguments.models.empty())
    fmt::print(output(), "              model: {}\n", place);
  else if (!place.starts_with("as above"))
    fmt::print(output(), "---\n{}---\n", place);
  else
    fmt::print(output(), "              the model is the same as above\n");
}

Exit conform(const ConformArguments& arguments) {
  host::FileRoles files;  // the output stream may lead to one
  files.read("the plugin", arguments.file);
  if (!arguments.model.empty()) files.read("the model", arguments.model);
  const host::PluginRecord found = host::check_plugin_file(arguments.file);
  if (found.status == host::PluginStatus::refused) throw host::Failure(Exit::plugin, found.explanation);
  host::RegistryOptions search({arguments.file});
  search.plugin_paths.insert(search.plugin_paths.end(), arguments.paths.begin(), arguments.paths.end());
  search.trial = true;
  const host::Registry registry(search);
  const host::PluginRecord& plugin = loaded_plugin(registry, arguments.file);
  tell_of_refused(registry, plugin);
  FailingModels models(arguments.models, plugin);
  std::size_t count[3]{};
  Json claims = Json::array();
  for (const host::Offer& offer : chosen_types(plugin, arguments.type)) {
    if (!arguments.json) fmt::print(output(), "{} {}\n", offer.kind, offer.name);
    host::check_conformance(plugin, offer, registry.catalog(), registry.keep_alive(),
                            {.example = arguments.model,
                             .time_limit = arguments.time_limit,
                             .lenient = arguments.lenient,
                             .draw = arguments.draw},
                            [&](const Claim& claim) {
                              ++count[static_cast<std::size_t>(claim.verdict)];
                              if (arguments.json)
                                claims.push_back(claim_json(claim));
                              else
                                print_claim(claim);
                              if (claim.verdict == Verdict::failed) tell_model(claim, arguments, models);
                              std::fflush(output());
                            });
  }
  if (arguments.json)
    print_json({{"plugin", plugin.name},
                {"version", plugin.version},
                {"file", plugin.file},
                {"passed", count[0]},
                {"failed", count[1]},
                {"unsupported", count[2]},
                {"claims", claims}});
  else
    fmt::print(output(), "{} {}: {} passed, {} failed, {} unsupported\n", plugin.name, plugin.version, count[0],
               count[1], count[2]);
  return count[1] > 0 ? Exit::simulation_failed : Exit::done;
}

}  // namespace

void add_conform(CLI::App& app, Action& action) {
  CLI::App* sub =
      app.add_subcommand("conform", "Whether a plugin keeps the contract: a battery of checks for every type");
  const auto arguments = std::make_shared<ConformArguments>();
  sub->add_option("FILE", arguments->file, "A plugin library")->required();
  sub->add_option("--type", arguments->type, "Only this one of its types")->type_name("NAME");
  sub->add_option("--model", arguments->model,
                  "A model with instances of the types, whose field values are used instead of random ones; of a "
                  "formulation: a model to try beside the random ones")
      ->type_name("FILE");
  add_lenient(*sub, arguments->lenient);
  sub->add_option("--models", arguments->models,
                  "Write the model in which a check failed, with the state that it failed in, to a file in this folder "
                  "instead of printing it")
      ->type_name("FOLDER");
  sub->add_option("--draw", arguments->draw, "Another number draws other random models")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1'000'000}))
      ->type_name("N")
      ->capture_default_str();
  sub->add_option("--time-limit", arguments->time_limit,
                  "Of one check, s, without what it waits for a processor that others have")
      ->check(CLI::Validator([](std::string& text) { return check_limit(text, 0.1, 1e6); }, ""))
      ->type_name("NUMBER")
      ->capture_default_str();
  add_plugin_path(*sub, arguments->paths);
  sub->add_flag("--json", arguments->json, "Print one JSON object");
  sub->footer(
      "Every check is passed, failed or unsupported (not decided, or not applicable: it says why). Exit code 1 when "
      "one\n"
      "failed, 3 when the plugin is refused. A check that crashes or exceeds its time or memory fails; three of them "
      "end\n"
      "the checks of that type. A type of which no random instance can be made fails, for nothing of it is checked: "
      "give\n"
      "an example with --model. Beneath a failed check stands the model in which it failed, between lines of ---, with "
      "the\n"
      "state as initial one: polyform evaluate shows it again.\n"
      "Examples:\n"
      "  polyform conform my-joint.so\n"
      "  polyform conform my-joint.so --models failed\n"
      "  polyform conform my-beam.so --type beam --model example.yaml");
  sub->final_callback([&action, arguments] { action = [arguments] { return conform(*arguments); }; });
}

}  // namespace polyform::apps
