#include "framework/workbench/compilation/working_folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "framework/diagnostics.hpp"

namespace polyform::host::inline compilation {

namespace fs = std::filesystem;

WorkingFolder::WorkingFolder(const fs::path& in) {
  std::error_code problem;
  fs::create_directories(in, problem);
  std::string name = (in / ".polyform-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw Failure(Exit::simulation_failed, fmt::format("cannot write in {}: {}", in.string(), std::strerror(errno)));
  path_ = name;
}

WorkingFolder::~WorkingFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace polyform::host::inline compilation
