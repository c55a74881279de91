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

#include "framework/registry/checks.hpp"

namespace polyform::host {

namespace {

namespace fs = std::filesystem;

/// Runs a reentrant look-up of the user or group database with a buffer that grows until it suffices.
template <class Entry, class Id>
std::string look_up(int (*query)(Id, Entry*, char*, std::size_t, Entry**), Id id, char* Entry::*name) {
  std::vector<char> buffer(1024);
  for (;;) {
    Entry entry{};
    Entry* found = nullptr;
    const int error = query(id, &entry, buffer.data(), buffer.size(), &found);
    if (error == ERANGE && buffer.size() < (std::size_t{1} << 20)) {
      buffer.resize(2 * buffer.size());
      continue;
    }
    return found && found->*name ? std::string(found->*name) : std::string();
  }
}

bool is_private_group(gid_t group) {
  const std::string user = look_up(::getpwuid_r, ::geteuid(), &passwd::pw_name);
  return !user.empty() && user == look_up(::getgrgid_r, group, &::group::gr_name);
}

/// "everyone" or "its group" when they may write to the path, else "". A path that is gone is found out on loading.
std::string_view strangers_who_may_write(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  if (status.st_mode & S_IWOTH) return "everyone";
  if ((status.st_mode & S_IWGRP) && !is_private_group(status.st_gid)) return "its group";
  return {};
}

bool check_path(PluginRecord& record, const fs::path& path, bool is_folder) {
  const std::string_view who = strangers_who_may_write(path);
  if (who.empty()) return true;
  const std::string what = is_folder ? fmt::format("lies in the folder {}, to which {} may write", path.string(), who)
                                     : fmt::format("may be changed by {}", who);
  refuse(record, Refusal::unsafe_permissions, what + ", so that others could run code as you",
         fmt::format("if you trust its contents: chmod go-w '{}'", path.string()));
  return false;
}

}  // namespace

bool check_permissions(PluginRecord& record) {
  const fs::path file = record.file;
  if (!check_path(record, file, false) || !check_path(record, file.parent_path(), true)) return false;
  std::error_code error;
  const fs::path target = fs::canonical(file, error);
  return error || target.parent_path() == file.parent_path() || check_path(record, target.parent_path(), true);
}

}  // namespace polyform::host
