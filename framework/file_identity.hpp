// Whether two paths lead to one file.
#pragma once

#include <sys/types.h>

#include <string>

namespace polyform::host {

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

}  // namespace polyform::host
