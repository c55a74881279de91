// The files whose text was read as a model or as a part of one: a command must not write to them.
#pragma once

#include <string>
#include <vector>

namespace polyform::host {

/// Notes a file that this thread reads.
void note_read_file(std::string path);
/// The files noted since the last call.
std::vector<std::string> take_read_files();

}  // namespace polyform::host
