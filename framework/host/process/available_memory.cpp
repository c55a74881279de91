#include "framework/host/process/available_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace polyform::host::inline process {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t endless = std::numeric_limits<std::uint64_t>::max();

/// The number after a word at the beginning of a line, as in "MemAvailable:   123 kB".
std::optional<std::uint64_t> number_after(const fs::path& file, const std::string& word) {
  std::ifstream stream(file);
  for (std::string found; stream >> found; std::getline(stream, found))
    if (std::uint64_t number = 0; found == word && stream >> number) return number;
  return {};
}

/// The content of a file that is one number; anything else, such as "max", means no limit.
std::optional<std::uint64_t> number_in(const fs::path& file) {
  std::ifstream stream(file);
  std::uint64_t number = 0;
  if (stream >> number) return number;
  return {};
}

std::uint64_t memory_of_machine(const fs::path& root) {
  if (const auto kibibytes = number_after(root / "proc/meminfo", "MemAvailable:")) return *kibibytes * 1024;
  return static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// Names of the files of a control group, of version 2 and 1 of their interface.
struct GroupFiles {
  const char *mount, *limit, *used, *cache;
};
constexpr GroupFiles version_2{"sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};
constexpr GroupFiles version_1{"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                               "total_inactive_file"};

/// The rest of the limits of a group and of all groups that contain it. The system drops cached files, so they do not
/// count.
std::uint64_t memory_of_groups(const fs::path& root, const GroupFiles& files, const fs::path& group) {
  std::uint64_t left = endless;
  const fs::path mount = root / files.mount;
  for (fs::path folder = group.relative_path();; folder = folder.parent_path()) {
    const fs::path place = folder.empty() ? mount : mount / folder;
    const auto limit = number_in(place / files.limit), used = number_in(place / files.used);
    if (limit && used) {
      const std::uint64_t held = *used - std::min(*used, number_after(place / "memory.stat", files.cache).value_or(0));
      left = std::min(left, *limit - std::min(*limit, held));
    }
    if (folder.empty()) return left;
  }
}

}  // namespace

std::uint64_t available_memory(const fs::path& root) {
  std::uint64_t left = memory_of_machine(root);
  std::ifstream groups(root / "proc/self/cgroup");  // lines "0::/path", or "4:memory:/path" of version 1
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    std::string controllers = line.substr(first, second - first + 1);
    controllers.front() = controllers.back() = ',';
    const fs::path group = line.substr(second + 1);
    if (controllers == ",,") left = std::min(left, memory_of_groups(root, version_2, group));
    if (controllers.find(",memory,") != std::string::npos)
      left = std::min(left, memory_of_groups(root, version_1, group));
  }
  return left;
}

}  // namespace polyform::host::process
