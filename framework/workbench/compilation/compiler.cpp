#include "framework/workbench/compilation/compiler.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <sstream>

#include "framework/diagnostics.hpp"
#include "framework/file_content.hpp"
#include "framework/workbench/compilation/working_folder.hpp"

namespace polyform::host::inline compilation {

namespace {

namespace fs = std::filesystem;

/// Where a program stands that is named as in a shell.
std::optional<std::string> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos)
    return ::access(name.c_str(), X_OK) == 0 ? std::optional(name) : std::nullopt;
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    // The working directory is never meant, as for plugins.
    if (folder.empty() || folder.front() != '/') continue;
    const std::string file = folder + "/" + name;
    if (::access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file)) return file;
  }
  return std::nullopt;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

[[noreturn]] void become(const std::vector<std::string>& words, const fs::path& streams) {
  const int out = ::open(streams.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int in = ::open("/dev/null", O_RDONLY);
  if (out >= 0 && in >= 0 && ::dup2(in, 0) >= 0 && ::dup2(out, 1) >= 0 && ::dup2(out, 2) >= 0) {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    ::execv(arguments[0], arguments.data());
  }
  ::_exit(127);
}

/// What is looked for, for messages.
struct Wish {
  const char *variable, *what, *none, *package;
};

Compiler find_one(const Wish& wish, const std::vector<std::string>& usual_names) {
  const char* const wanted = std::getenv(wish.variable);
  std::optional<std::string> found;
  if (wanted != nullptr && *wanted != '\0') {
    found = find_program(wanted);
    if (!found)
      throw Failure(Exit::simulation_failed, fmt::format("{} names {}, which is no program", wish.variable, wanted),
                    fmt::format("Give the name of a {}, or none for the first that is found.", wish.what));
  }
  for (const std::string& usual : usual_names)
    if (!found) found = find_program(usual);
  if (!found)
    throw Failure(
        Exit::simulation_failed, fmt::format("there is no {}: {}", wish.what, wish.none),
        fmt::format("Install one (Debian: apt-get install {}), or name it in {}.", wish.package, wish.variable));
  const WorkingFolder folder(fs::temp_directory_path());
  const ProgramEnd end = run_program({*found, "--version"}, folder.file("version"));
  if (end.status != 0)
    throw Failure(Exit::simulation_failed,
                  fmt::format("{} does not tell its version: {}", *found, first_line(end.printed)),
                  fmt::format("Name a {} in {}.", wish.what, wish.variable));
  return {*found, first_line(end.printed)};
}

}  // namespace

ProgramEnd run_program(const std::vector<std::string>& words, const fs::path& streams) {
  const pid_t id = ::fork();
  if (id == 0) become(words, streams);
  int status = 0;
  while (id > 0 && ::waitpid(id, &status, 0) < 0 && errno == EINTR) {
  }
  if (id < 0)
    throw Failure(Exit::simulation_failed,
                  fmt::format("{} cannot be started: {}", words.front(), std::strerror(errno)));
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          file_content(streams.string()).value_or("")};
}

Compiler find_compiler() {
  return find_one({"POLYFORM_CXX", "C++ compiler", "none of g++, clang++ and c++ is on the PATH", "g++"},
                  {"g++", "clang++", "c++"});
}

Compiler find_device_compiler() {
  constexpr int newest = 30, oldest = 14;
  std::vector<std::string> names{"clang++"};
  for (int version = newest; version >= oldest; --version) names.push_back(fmt::format("clang++-{}", version));
  return find_one({"POLYFORM_DEVICE_CXX", "compiler for devices", "clang++ is not on the PATH", "clang"}, names);
}

}  // namespace polyform::host::inline compilation
