// A folder for the files of one compilation.
#pragma once

#include <filesystem>
#include <string>

namespace polyform::host::inline compilation {

/// A folder of its own in another one, removed with all that is in it at the end, unless it was moved away. Nobody but
/// the user may write there.
class WorkingFolder {
 public:
  /// Failure (simulation_failed) when it cannot be made.
  explicit WorkingFolder(const std::filesystem::path& in);
  ~WorkingFolder();
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace polyform::host::inline compilation
