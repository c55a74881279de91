#include <fmt/format.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <vector>

#include "framework/host/registry/checks.hpp"

namespace polyform::host::inline registry {

namespace {

namespace fs = std::filesystem;

/// Runs a reentrant look-up of the user or group database with a buffer that grows until it suffices, and reads the
/// entry; what is not found is read as nothing.
template <class Entry, class Id, class Read>
auto look_up(int (*query)(Id, Entry*, char*, std::size_t, Entry**), Id id, const Read& read) {
  std::vector<char> buffer(1024);
  for (;;) {
    Entry entry{};
    Entry* found = nullptr;
    const int error = query(id, &entry, buffer.data(), buffer.size(), &found);
    if (error == ERANGE && buffer.size() < (std::size_t{1} << 20)) {
      buffer.resize(2 * buffer.size());
      continue;
    }
    return found ? read(*found) : decltype(read(entry)){};
  }
}

std::string name_of_user(uid_t user) {
  return look_up(::getpwuid_r, user, [](const passwd& entry) { return std::string(entry.pw_name); });
}

/// The group that bears the user's name and has no other member.
bool is_private_group(gid_t group) {
  const std::string user = name_of_user(::geteuid());
  return look_up(::getgrgid_r, group, [&](const ::group& entry) {
    bool alone = !user.empty() && user == entry.gr_name;
    for (char** member = entry.gr_mem; member != nullptr && *member != nullptr; ++member)
      alone = alone && user == *member;
    return alone;
  });
}

/// The user, root, and the owner of this program, who could run code as the user anyway.
bool is_trusted(uid_t owner) {
  struct stat program {};
  return owner == 0 || owner == ::geteuid() || (::stat("/proc/self/exe", &program) == 0 && owner == program.st_uid);
}

/// How strictly a path is checked.
enum class Part {
  file,
  folder,   ///< that holds the file: whoever writes there adds plugins
  ancestor  ///< whoever writes there can replace a folder, unless the sticky bit protects those of others
};

/// "everyone" or "its group" when they may write to the path, else "".
std::string_view strangers_who_may_write(const struct stat& status, Part part) {
  if ((status.st_mode & S_IWOTH) && !(part == Part::ancestor && (status.st_mode & S_ISVTX))) return "everyone";
  if (part != Part::ancestor && (status.st_mode & S_IWGRP) && !is_private_group(status.st_gid)) return "its group";
  return {};
}

bool check_path(PluginRecord& record, const fs::path& path, Part part) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return true;  // a missing file is reported when it is loaded
  const auto danger = [&](const std::string& what, const std::string& command) {
    refuse(record, Refusal::unsafe_permissions, what + ", so that others could run code as you",
           fmt::format("if you trust its contents: {} '{}'", command, path.string()));
    return false;
  };
  const std::string in = part == Part::file ? "" : fmt::format("lies in the folder {}, ", path.string());
  if (const std::string_view who = strangers_who_may_write(status, part); !who.empty())
    return danger(
        part == Part::file ? fmt::format("may be changed by {}", who) : fmt::format("{}to which {} may write", in, who),
        "chmod go-w");
  if (is_trusted(status.st_uid)) return true;
  const std::string user = name_of_user(status.st_uid);
  return danger(fmt::format("{}{} {}", in, part == Part::file ? "belongs to" : "which belongs to",
                            user.empty() ? fmt::format("the user {}", status.st_uid) : user),
                "chown " + name_of_user(::geteuid()));
}

/// The file and all folders above it, up to the root.
bool check_chain(PluginRecord& record, const fs::path& file) {
  if (!check_path(record, file, Part::file)) return false;
  Part part = Part::folder;
  for (fs::path at = file.parent_path();; at = at.parent_path()) {
    if (!check_path(record, at, part)) return false;
    if (!at.has_relative_path()) return true;
    part = Part::ancestor;
  }
}

}  // namespace

bool check_permissions(PluginRecord& record) {
  const fs::path file = record.file;
  if (!check_chain(record, file)) return false;
  std::error_code error;
  const fs::path target = fs::canonical(file, error);
  return error || target == file || check_chain(record, target);
}

}  // namespace polyform::host::registry
