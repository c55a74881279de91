#include "framework/files_read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>

#include "framework/diagnostics.hpp"

namespace polyform::host {

namespace {

thread_local std::vector<std::string> files;

/// Of the whole process.
struct Files {
  std::mutex access;
  std::set<std::string> of_models;
  std::vector<const WrittenFile*> written;
};

Files& all() {
  static Files of_process;
  return of_process;
}

[[noreturn]] void refuse(const std::string& option, const std::string& written, const std::string& of_model) {
  throw Failure(Exit::bad_input,
                fmt::format("{} {} is a file of the model {}, which would be lost", option, written, of_model),
                "Give another file to write to.");
}

}  // namespace

void note_named_file(const std::string& path) {
  Files& known = all();
  const std::lock_guard lock(known.access);
  if (!known.of_models.insert(path).second || known.written.empty()) return;
  const FileIdentity file(path);
  for (const WrittenFile* other : known.written)
    if (other->file_.same_as(file)) refuse(other->option_, other->path_, path);
}

void note_read_file(std::string path) {
  note_named_file(path);
  if (std::ranges::find(files, path) == files.end()) files.push_back(std::move(path));
}

std::vector<std::string> take_read_files() { return std::exchange(files, {}); }

WrittenFile::WrittenFile(std::string_view option, const std::string& path) : option_(option), path_(path), file_(path) {
  Files& known = all();
  const std::lock_guard lock(known.access);
  check();
  known.written.push_back(this);
}

void WrittenFile::check_unread() const {
  const std::lock_guard lock(all().access);
  check();
}

void WrittenFile::check() const {
  for (const std::string& of_model : all().of_models)
    if (file_.same_as(FileIdentity(of_model))) refuse(option_, path_, of_model);
}

WrittenFile::~WrittenFile() {
  Files& known = all();
  const std::lock_guard lock(known.access);
  std::erase(known.written, this);
}

}  // namespace polyform::host
