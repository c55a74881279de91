// From the source of a model (model_source.hpp) to a plugin: compiled by the compiler of this machine for its
// processor, linked with the SDK, and kept.
#pragma once

#include <filesystem>
#include <string>

#include "framework/workbench/compilation/compiler.hpp"

namespace polyform::host::inline compilation {

struct CompiledPlugin {
  std::filesystem::path file;
  bool kept = false;            ///< it was there already
  double seconds = 0;           ///< that compiling took
  std::string compiler;         ///< its version
  std::string instruction_set;  ///< that it was compiled for
};

/// The plugin NAME.so of a source. It is kept in a folder of its own in compiled_folder(), by a digest of all that it
/// depends on: source, compiler, flags, the SDK's library and the version of polyform. What is there already counts
/// where all of these are the same, byte by byte. Processes that compile one source at the same time do not disturb
/// each other. Failure (simulation_failed) without a compiler, after an error of it, where the SDK is not installed,
/// and where nothing can be kept.
CompiledPlugin compile_plugin(const std::string& name, const std::string& source, const std::string& version);

}  // namespace polyform::host::inline compilation
