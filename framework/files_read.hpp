// The files that were read as a model, as a part of one or as a state, and those that one names: nothing may be written
// to them.
//
// Whatever reads such a file notes it here, and OutputFile claims each file that is written. The two are compared as
// soon as one of them comes to the other, so that no command can forget it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/file_identity.hpp"

namespace polyform::host {

/// Notes a file that this thread reads. Failure (bad_input) if it is claimed for writing.
void note_read_file(std::string path);
/// Notes a file that a model names but that need not be read. Failure as of note_read_file.
void note_named_file(const std::string& path);
/// The files that this thread has read and noted since the last call.
std::vector<std::string> take_read_files();

/// A file that is to be written, for as long as the object lives.
class WrittenFile {
 public:
  /// option: the one that names the file. Failure (bad_input) if the process has noted the file as one of a model.
  WrittenFile(std::string_view option, const std::string& path);
  ~WrittenFile();
  WrittenFile(const WrittenFile&) = delete;
  WrittenFile& operator=(const WrittenFile&) = delete;
  /// Failure as of the constructor: for the last moment before content is lost, in case an earlier one was not heeded.
  void check_unread() const;

 private:
  void check() const;
  friend void note_named_file(const std::string& path);
  std::string option_, path_;
  FileIdentity file_;
};

}  // namespace polyform::host
