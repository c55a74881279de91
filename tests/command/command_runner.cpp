#include "tests/command/command_runner.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace polyform::test {

namespace {

std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

}  // namespace

Workshop::Workshop() {
  std::string name = (std::filesystem::temp_directory_path() / "polyform-test-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  folder_ = name;
}

Workshop::~Workshop() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string Workshop::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name), std::ios::binary) << text;
  return path(name).string();
}

std::string Workshop::read(const std::string& name) const { return read_file(path(name)); }

pid_t Workshop::start(const std::vector<std::string>& arguments) const {
  std::vector<std::string> words{POLYFORM_COMMAND};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const std::string out = path("stdout.txt").string(), err = path("stderr.txt").string();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, folder_.c_str());
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t process = 0;
  // As from a shell, also where the tests themselves were started to ignore interruptions.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int problem = posix_spawn(&process, POLYFORM_COMMAND, &actions, &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  REQUIRE(problem == 0);
  return process;
}

Outcome Workshop::finish(pid_t process) const {
  int status = 0;
  rusage used{};
  REQUIRE(wait4(process, &status, 0, &used) == process);
  Outcome outcome;
  outcome.peak_kilobytes = used.ru_maxrss;
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  outcome.out = read("stdout.txt");
  outcome.err = read("stderr.txt");
  return outcome;
}

std::size_t Table::column(const std::string& name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) FAIL("no column " << name);
  return static_cast<std::size_t>(found - names.begin());
}

std::vector<std::vector<std::string>> rows_of(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::vector<std::string>& row = rows.emplace_back();
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) row.push_back(field);
  }
  return rows;
}

Table read_table(const std::string& text) {
  Table table;
  std::istringstream stream(text);
  std::string line;
  REQUIRE(std::getline(stream, line));
  table.names = split(line);
  while (std::getline(stream, line)) {
    std::vector<double> row;
    for (const std::string& field : split(line)) {
      // An assertion for each of a million numbers would take most of the time of a test.
      char* end = nullptr;
      row.push_back(std::strtod(field.c_str(), &end));
      if (*end != '\0') FAIL("this is no number: " << field);
    }
    if (row.size() != table.names.size()) FAIL(row.size() << " numbers in a row of " << table.names.size());
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string in_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n';
    if (!blank || (!line.empty() && line.back() != ' ')) line += blank ? ' ' : c;
  }
  return line;
}

}  // namespace polyform::test
