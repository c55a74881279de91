// What compilers made of models, kept by all that it depends on.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/workbench/compilation/compiler.hpp"
#include "framework/workbench/compilation/working_folder.hpp"

namespace polyform::host::inline compilation {

/// Where compiled models are kept: polyform/compiled in XDG_CACHE_HOME, else in ~/.cache. Empty where neither is known.
std::filesystem::path compiled_folder();

/// Tells contents apart; sources and records are compared as a whole besides.
std::string digest_of(const std::string& text);

/// A source NAME<from> and what is made of it, NAME<to>.
struct CompiledName {
  std::string name, from, to;
};
struct KeptFile {
  std::filesystem::path file;
  bool kept = false;   ///< it was there already
  double seconds = 0;  ///< that making it took
};

/// The file that make() makes of the source, which stands in the working folder. It is kept in a folder of its own in
/// compiled_folder(), by a digest of the source and of the record, which tells all else that it depends on. What is
/// there already counts where both are the same, byte by byte. Processes that make one file at the same time do not
/// disturb each other. Failure (simulation_failed) where nothing can be kept, and what make() fails with.
KeptFile keep_compiled(const CompiledName&, const std::string& source, const std::string& record,
                       const std::function<void(const WorkingFolder&)>& make);

/// Runs a compiler. Failure (simulation_failed) with what it printed; variable: of the environment, to name another.
void run_compiler(const WorkingFolder&, const std::vector<std::string>& words, std::string_view variable);

}  // namespace polyform::host::inline compilation
