#include "framework/workbench/compilation/compiled_plugin.hpp"

#include <fmt/format.h>

#include <vector>

#include "framework/diagnostics.hpp"
#include "framework/file_content.hpp"
#include "framework/host/registry/checks.hpp"
#include "framework/host/registry/search_path.hpp"
#include "framework/workbench/compilation/kept_files.hpp"

namespace polyform::host::inline compilation {

namespace {

namespace fs = std::filesystem;

/// What a plugin is made of beside its source.
struct Toolkit {
  Compiler compiler;
  std::string instruction_set;  ///< "baseline" or the best that this processor has a library for
  std::vector<std::string> flags;
  std::vector<std::string> libraries;  ///< after the source
  std::string digests;                 ///< of the libraries, for the record
};

fs::path library_for(const std::string& instruction_set) {
  return installed_library_folder() / fmt::format("libpolyform_recursion_{}.a", instruction_set);
}

std::string best_library() {
  for (const char* const set : {"x86-64-v4", "x86-64-v3"})
    if (usable_rank(set) > 0 && fs::exists(library_for(set))) return set;
  return "baseline";
}

Toolkit toolkit() {
  Toolkit kit;
  kit.instruction_set = best_library();
  const fs::path sdk = installed_library_folder() / "libpolyform_sdk.a";
  const fs::path recursion = library_for(kit.instruction_set);
  for (const fs::path& file : {sdk, recursion, installed_include_folder() / "polyform/solvers/compiled_model.hpp"})
    if (!fs::exists(file))
      throw Failure(Exit::simulation_failed, fmt::format("the SDK is not installed: there is no {}", file.string()),
                    "Install polyform as a whole: cmake --install, or the Debian package.");
  kit.compiler = find_compiler();
  // Products and sums in one operation, as everywhere in the kernels; the code has no loops that a compiler could turn
  // into vectors, and looking for more of these takes it long.
  kit.flags = {
      "-std=c++20",          "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-fno-math-errno", "-ffp-contract=fast",
      "-fno-tree-vectorize", "-w"};
  // GCC needs fewer registers when it puts statements in another order before it gives registers to them.
  if (kit.compiler.version.find("g++") != std::string::npos || kit.compiler.version.find("GCC") != std::string::npos)
    kit.flags.insert(kit.flags.end(), {"-fschedule-insns", "-fsched-pressure"});
  if (kit.instruction_set != "baseline") {
    kit.flags.push_back("-march=" + kit.instruction_set);
    kit.flags.push_back("-mtune=skylake-avx512");
  }
  kit.flags.push_back("-I" + installed_include_folder().string());
  // Of a function that both libraries have the first one stays: that of the SDK, which is the same for all instruction
  // sets, as in the plugins of the formulations. By others the solver would make numbers that differ from those that
  // were compiled by rounding, and refuse its own model.
  kit.libraries = {"-Wl,--whole-archive", sdk.string(), "-Wl,--no-whole-archive", recursion.string()};
  for (const fs::path& library : {sdk, recursion})
    kit.digests += fmt::format("{} {}\n", library.string(), digest_of(file_content(library.string()).value_or("")));
  kit.libraries.insert(kit.libraries.end(), {POLYFORM_LINK_FMT, "-Wl,--exclude-libs,ALL"});
  return kit;
}

/// All but the source that the plugin depends on.
std::string record_of(const Toolkit& kit, const std::string& version) {
  return fmt::format("polyform {}\n{}\n{}\n{}\n{}\n{}", version, kit.compiler.file, kit.compiler.version,
                     fmt::join(kit.flags, " "), fmt::join(kit.libraries, " "), kit.digests);
}

void compile_in(const WorkingFolder& folder, const Toolkit& kit, const std::string& name) {
  std::vector<std::string> words{kit.compiler.file};
  words.insert(words.end(), kit.flags.begin(), kit.flags.end());
  for (const char* const word : {".cpp", ".so"}) {
    if (words.back().ends_with(".cpp")) words.push_back("-o");
    words.push_back(folder.file(name + word).string());
  }
  words.insert(words.end(), kit.libraries.begin(), kit.libraries.end());
  run_compiler(folder, words, "POLYFORM_CXX");
}

}  // namespace

CompiledPlugin compile_plugin(const std::string& name, const std::string& source, const std::string& version) {
  const Toolkit kit = toolkit();
  const KeptFile kept = keep_compiled({name, ".cpp", ".so"}, source, record_of(kit, version),
                                      [&](const WorkingFolder& work) { compile_in(work, kit, name); });
  return {kept.file, kept.kept, kept.seconds, kit.compiler.version, kit.instruction_set};
}

}  // namespace polyform::host::inline compilation
