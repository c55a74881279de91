// A folder for files that processes exchange.
#pragma once

#include <filesystem>
#include <string>

namespace polyform::apps {

/// A folder of its own in the folder for temporary files, removed at the end. If the program is killed, its folder
/// remains, and is removed when the next one is made: a lock, which ends with the last process that has it, tells it
/// from folders in use, and a file in it tells it from folders of others.
class TemporaryFolder {
 public:
  /// Failure (simulation_failed) if it cannot be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  void remove() noexcept;

  std::filesystem::path path_;
  int lock_ = -1;
};

}  // namespace polyform::apps
