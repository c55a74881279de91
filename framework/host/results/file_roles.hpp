// Which files a command reads and writes: no file may have two roles.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/file_identity.hpp"

namespace polyform::host::inline results {

/// The files of one command. Give it all of them before the first is opened for writing: nothing is lost then.
class FileRoles {
 public:
  /// Knows the output stream, which may lead to a file.
  FileRoles();

  /// A file that is read. what: "the model". Failure (bad_input) if something is written to it.
  void read(std::string_view what, const std::string& path);
  /// The same for each path that leads to a file; a folder itself is not read.
  void read_files(std::string_view what, const std::vector<std::string>& paths);
  /// A file that is written; "" for none, "-" for the output stream. option: the option that names it. Failure
  /// (bad_input) if it is read, or written for another option too.
  void write(std::string_view option, const std::string& path);

 private:
  struct Role {
    std::string what, path;
    FileIdentity file;
    bool written;
  };
  void add(Role);

  std::vector<Role> roles_;
};

}  // namespace polyform::host::results
