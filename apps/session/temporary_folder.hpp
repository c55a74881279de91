// A folder for files that processes exchange.
#pragma once

#include <filesystem>
#include <string>

namespace polyform::apps {

/// A folder of its own in the folder for temporary files, removed at the end. One whose program was killed stays
/// behind, and goes when the next is made: a lock, which ends with the last process that has it, tells it from one in
/// use, and a file in it from what is not ours.
class TemporaryFolder {
 public:
  /// Failure (simulation_failed) when it cannot be made.
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
