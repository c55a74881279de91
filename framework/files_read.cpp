#include "framework/files_read.hpp"

#include <algorithm>
#include <utility>

namespace polyform::host {

namespace {

thread_local std::vector<std::string> files;

}  // namespace

void note_read_file(std::string path) {
  if (std::ranges::find(files, path) == files.end()) files.push_back(std::move(path));
}

std::vector<std::string> take_read_files() { return std::exchange(files, {}); }

}  // namespace polyform::host
