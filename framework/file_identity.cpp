#include "framework/file_identity.hpp"

#include <sys/stat.h>

#include <filesystem>

namespace polyform::host {

namespace {

namespace fs = std::filesystem;

/// Follows links, even if the last one leads to a file that does not exist yet.
fs::path resolved(fs::path path) {
  std::error_code ignored;
  path = fs::absolute(path, ignored);
  for (int links = 0; links < 40 && fs::is_symlink(path, ignored); ++links) {
    const fs::path target = fs::read_symlink(path, ignored);
    path = target.is_absolute() ? target : path.parent_path() / target;
  }
  return fs::weakly_canonical(path, ignored);
}

}  // namespace

FileIdentity::FileIdentity(const std::string& path) : resolved_(resolved(path).string()) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return;
  device_ = status.st_dev;
  inode_ = status.st_ino;
  exists_ = true;
}

FileIdentity::FileIdentity(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return;
  device_ = status.st_dev;
  inode_ = status.st_ino;
  exists_ = true;
}

bool FileIdentity::same_as(const FileIdentity& other) const {
  if (exists_ && other.exists_) return device_ == other.device_ && inode_ == other.inode_;
  return !resolved_.empty() && resolved_ == other.resolved_;
}

}  // namespace polyform::host
