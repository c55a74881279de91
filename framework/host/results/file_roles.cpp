#include "framework/host/results/file_roles.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "framework/diagnostics.hpp"
#include "framework/streams.hpp"

namespace polyform::host::inline results {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view stream = "the output stream";

}  // namespace

FileRoles::FileRoles() { roles_.push_back({std::string(stream), {}, FileIdentity(::fileno(output())), true}); }

void FileRoles::read(std::string_view what, const std::string& path) {
  add({std::string(what), path, FileIdentity(path), false});
}

void FileRoles::read_files(std::string_view what, const std::vector<std::string>& paths) {
  std::error_code ignored;
  for (const std::string& path : paths)
    if (fs::is_regular_file(path, ignored)) read(what, path);
}

void FileRoles::write(std::string_view option, const std::string& path) {
  if (path.empty() || path == "-") return;
  add({std::string(option), path, FileIdentity(path), true});
}

void FileRoles::add(Role role) {
  for (const Role& other : roles_) {
    if (!(role.written || other.written) || !role.file.same_as(other.file)) continue;
    // The message names the written file first; of two written files it names the later one first.
    const Role &one = role.written ? role : other, &two = role.written ? other : role;
    const auto shown = [](const Role& r) { return r.path.empty() ? r.what : fmt::format("{} {}", r.what, r.path); };
    if (two.written)
      throw Failure(Exit::bad_input, fmt::format("{} and {} are one file", shown(one), shown(two)),
                    "Give each output a file of its own.");
    throw Failure(Exit::bad_input, fmt::format("{} is {}, which would be lost", shown(one), shown(two)),
                  "Give another file to write to.");
  }
  roles_.push_back(std::move(role));
}

}  // namespace polyform::host::results
