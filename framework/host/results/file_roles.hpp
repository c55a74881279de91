// Which files a command reads and writes: no file may have two roles.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace polyform::host::inline results {

/// The file to which a path leads, by whatever spelling or link; it need not exist yet.
class FileIdentity {
 public:
  explicit FileIdentity(const std::string& path);
  /// The identity of an open file; only regular files have one.
  explicit FileIdentity(int descriptor);
  bool same_as(const FileIdentity&) const;

 private:
  std::string resolved_;  ///< absolute and without links; "" if only a descriptor is known
  dev_t device_ = 0;
  ino_t inode_ = 0;
  bool exists_ = false;
};

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
