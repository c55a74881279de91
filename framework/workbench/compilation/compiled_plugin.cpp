#include "framework/workbench/compilation/compiled_plugin.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <vector>

#include "framework/checksum.hpp"
#include "framework/diagnostics.hpp"
#include "framework/file_content.hpp"
#include "framework/host/registry/checks.hpp"
#include "framework/host/registry/search_path.hpp"
#include "framework/workbench/compilation/working_folder.hpp"

namespace polyform::host::inline compilation {

namespace {

namespace fs = std::filesystem;

/// What a plugin is made of beside its source.
struct Toolkit {
  Compiler compiler;
  std::string instruction_set;           ///< "baseline" or the best that this processor has a library for
  std::vector<std::string> flags;
  std::vector<std::string> libraries;    ///< after the source
  std::string digests;                   ///< of the libraries, for the record
};

/// Tells contents apart; sources and records are compared as a whole besides.
std::string digest_of(const std::string& text) {
  Checksum sum;
  sum.add(text);
  return fmt::format("{:016x}", sum.value());
}

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
  kit.flags = {"-std=c++20", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-fno-math-errno", "-ffp-contract=fast",
               "-fno-tree-vectorize", "-w"};
  // GCC needs fewer registers when it puts statements in another order before it gives registers to them.
  if (kit.compiler.version.find("g++") != std::string::npos || kit.compiler.version.find("GCC") != std::string::npos)
    kit.flags.insert(kit.flags.end(), {"-fschedule-insns", "-fsched-pressure"});
  if (kit.instruction_set != "baseline") {
    kit.flags.push_back("-march=" + kit.instruction_set);
    kit.flags.push_back("-mtune=skylake-avx512");
  }
  kit.flags.push_back("-I" + installed_include_folder().string());
  kit.libraries = {recursion.string(), sdk.string()};
  for (const std::string& library : kit.libraries)
    kit.digests += fmt::format("{} {}\n", library, digest_of(file_content(library).value_or("")));
  kit.libraries.insert(kit.libraries.end(), {POLYFORM_LINK_FMT, "-Wl,--exclude-libs,ALL"});
  return kit;
}

/// All but the source that the plugin depends on.
std::string record_of(const Toolkit& kit, const std::string& version) {
  return fmt::format("polyform {}\n{}\n{}\n{}\n{}\n{}", version, kit.compiler.file, kit.compiler.version,
                     fmt::join(kit.flags, " "), fmt::join(kit.libraries, " "), kit.digests);
}

void write_file(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) throw Failure(Exit::simulation_failed, fmt::format("cannot write {}", file.string()), "Is the disk full?");
}

void compile_in(const WorkingFolder& folder, const Toolkit& kit, const std::string& name) {
  std::vector<std::string> words{kit.compiler.file};
  words.insert(words.end(), kit.flags.begin(), kit.flags.end());
  for (const char* const word : {".cpp", ".so"}) {
    if (words.back().ends_with(".cpp")) words.push_back("-o");
    words.push_back(folder.file(name + word).string());
  }
  words.insert(words.end(), kit.libraries.begin(), kit.libraries.end());
  const fs::path streams = folder.file("messages");
  const ProgramEnd end = run_program(words, streams);
  if (end.status != 0) {
    std::string_view told = end.printed;
    if (told.empty()) told = "it told nothing";
    throw Failure(Exit::simulation_failed,
                  fmt::format("{} could not compile the model (exit status {}):\n{}", kit.compiler.file, end.status,
                              told.substr(0, 1000)),
                  "Another compiler may be named in POLYFORM_CXX.");
  }
  fs::remove(streams);
}

}  // namespace

fs::path compiled_folder() {
  const auto folder_of = [](const char* variable) -> fs::path {
    const char* const value = std::getenv(variable);
    return value != nullptr && *value == '/' ? value : "";
  };
  if (const fs::path cache = folder_of("XDG_CACHE_HOME"); !cache.empty()) return cache / "polyform/compiled";
  if (const fs::path home = folder_of("HOME"); !home.empty()) return home / ".cache/polyform/compiled";
  return {};
}

CompiledPlugin compile_plugin(const std::string& name, const std::string& source, const std::string& version) {
  const fs::path all = compiled_folder();
  if (all.empty())
    throw Failure(Exit::simulation_failed, "there is no folder to keep compiled models in: HOME is not set",
                  "Set XDG_CACHE_HOME to a folder.");
  const Toolkit kit = toolkit();
  const std::string record = record_of(kit, version);
  const fs::path folder = all / digest_of(record + source);
  CompiledPlugin plugin{folder / (name + ".so"), false, 0, kit.compiler.version, kit.instruction_set};
  const auto is_kept = [&] {
    return file_content((folder / "record").string()) == record &&
           file_content((folder / (name + ".cpp")).string()) == source &&
           file_content((folder / "sum").string()) == digest_of(file_content(plugin.file.string()).value_or(""));
  };
  plugin.kept = is_kept();
  if (plugin.kept) return plugin;
  const auto start = std::chrono::steady_clock::now();
  const WorkingFolder work(all);
  write_file(work.file(name + ".cpp"), source);
  compile_in(work, kit, name);
  write_file(work.file("record"), record);
  write_file(work.file("sum"), digest_of(file_content(work.file(name + ".so").string()).value_or("")));
  plugin.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::error_code problem;
  fs::rename(work.path(), folder, problem);
  if (problem && !is_kept()) {
    // Something else stands there: what a process left that was ended, or a source with the same digest.
    fs::remove_all(folder, problem);
    fs::rename(work.path(), folder, problem);
  }
  if (problem && !is_kept())
    throw Failure(Exit::simulation_failed,
                  fmt::format("the compiled model cannot be kept in {}: {}", folder.string(), problem.message()));
  return plugin;
}

}  // namespace polyform::host::inline compilation
