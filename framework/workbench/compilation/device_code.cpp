#include "framework/workbench/compilation/device_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/diagnostics.hpp"
#include "framework/file_content.hpp"
#include "framework/host/registry/search_path.hpp"
#include "framework/workbench/compilation/kept_files.hpp"

namespace polyform::host::inline compilation {

namespace {

namespace fs = std::filesystem;

/// Later processors take the code of earlier ones.
const std::vector<std::string>& device_flags() {
  static const std::vector<std::string> flags{
      "-xcuda", "--cuda-device-only", "-nocudainc", "-nocudalib",       "--cuda-gpu-arch=sm_70", "-S",
      "-O3",    "-std=c++20",         "-w",         "-DPOLYFORM_DEVICE"};
  return flags;
}

/// The headers that the source of a model includes for devices, and all that these include: the code depends on each.
std::string digests_of_headers(const fs::path& include) {
  std::vector<std::string> headers{"polyform/solvers/compiled_device.hpp"};
  std::string all;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const fs::path file = include / headers[i];
    const std::optional<std::string> text = file_content(file.string());
    if (!text)
      throw Failure(Exit::simulation_failed, fmt::format("the SDK is not installed: there is no {}", file.string()),
                    "Install polyform as a whole: cmake --install, or the Debian package.");
    all += fmt::format("{} {}\n", headers[i], digest_of(*text));
    constexpr std::string_view begin = "\n#include \"";
    for (std::size_t at = text->find(begin); at != std::string::npos; at = text->find(begin, at)) {
      at += begin.size();
      std::string header = text->substr(at, text->find('"', at) - at);
      if (std::ranges::find(headers, header) == headers.end()) headers.push_back(std::move(header));
    }
  }
  return all;
}

}  // namespace

bool DeviceCode::has(std::string_view method) const {
  return text.find(fmt::format(".entry polyform_{}(", method)) != std::string::npos;
}

DeviceCode compile_device_code(const std::string& name, const std::string& source, const std::string& version) {
  const Compiler compiler = find_device_compiler();
  const fs::path include = installed_include_folder();
  const std::string record = fmt::format("polyform {}\n{}\n{}\n{}\n{}", version, compiler.file, compiler.version,
                                         fmt::join(device_flags(), " "), digests_of_headers(include));
  const KeptFile kept = keep_compiled({name, ".cpp", ".ptx"}, source, record, [&](const WorkingFolder& work) {
    std::vector<std::string> words{compiler.file};
    words.insert(words.end(), device_flags().begin(), device_flags().end());
    words.insert(words.end(),
                 {"-I" + include.string(), work.file(name + ".cpp").string(), "-o", work.file(name + ".ptx").string()});
    run_compiler(work, words, "POLYFORM_DEVICE_CXX");
  });
  return {kept.file, file_content(kept.file.string()).value_or(""), kept.kept, kept.seconds, compiler.version};
}

}  // namespace polyform::host::inline compilation
