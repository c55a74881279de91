// The C++ compilers of this machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace polyform::host::inline compilation {

struct Compiler {
  std::string file;     ///< where it stands
  std::string version;  ///< the first line that it tells of itself
};

/// The one that the environment variable POLYFORM_CXX names, else the first of g++, clang++ and c++ on the PATH.
/// Failure (simulation_failed) where there is none, or where it does not run.
Compiler find_compiler();

/// A compiler for devices: the one that POLYFORM_DEVICE_CXX names, else the first clang++ on the PATH, by that name or
/// with the number of its version. Failure as above.
Compiler find_device_compiler();

/// What a program printed, and how it ended.
struct ProgramEnd {
  int status = 0;       ///< 0: done
  std::string printed;  ///< on both streams
};
/// Runs a program, the first of the words, with its streams in a file of that name meanwhile. Failure
/// (simulation_failed) where it cannot be started.
ProgramEnd run_program(const std::vector<std::string>& words, const std::filesystem::path& streams);

}  // namespace polyform::host::inline compilation
