#include "apps/session/temporary_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

#include "framework/diagnostics.hpp"

namespace polyform::apps {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "polyform-files-", letters = "XXXXXX";
constexpr const char* marker = ".polyform";
constexpr std::string_view marker_text =
    "Files of a running polyform. Folders of ended ones are removed by the next.\n";

/// Opens the folder and locks it; -1 if it is no folder, another user's, open to others, or in use.
int locked(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (descriptor < 0) return -1;
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && status.st_uid == ::geteuid() && (status.st_mode & 07777) == 0700 &&
      ::flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    return descriptor;
  ::close(descriptor);
  return -1;
}

/// Writes a file that marks the folder as made here. False if that fails.
bool mark(int folder) {
  const int file = ::openat(folder, marker, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return false;
  const bool written = ::write(file, marker_text.data(), marker_text.size()) == std::ssize(marker_text);
  return ::close(file) == 0 && written;
}

bool is_marked(int folder) {
  const int file = ::openat(folder, marker, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false;
  char text[marker_text.size() + 1];
  const ssize_t size = ::read(file, text, sizeof text);
  ::close(file);
  return size == std::ssize(marker_text) && marker_text == std::string_view(text, marker_text.size());
}

/// Whether the mark is there: a folder that only has such a name may be the user's.
void remove_abandoned(const fs::path& parent) {
  std::error_code ignored;
  for (fs::directory_iterator next(parent, ignored), end; !ignored && next != end; next.increment(ignored)) {
    const std::string name = next->path().filename().string();
    if (!name.starts_with(prefix) || name.size() != prefix.size() + letters.size()) continue;
    const int lock = locked(next->path());
    if (lock < 0) continue;
    std::error_code stays;
    if (is_marked(lock)) fs::remove_all(next->path(), stays);
    ::close(lock);
  }
}

/// The folder for temporary files; not that of the standard library, which takes an empty name for one.
fs::path parent_folder() {
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/tmp";
}

[[noreturn]] void fail(const std::string& where, const std::string& reason) {
  throw host::Failure(host::Exit::simulation_failed,
                      fmt::format("cannot make a temporary folder in {}: {}", where, reason),
                      "Set TMPDIR to a folder that can be written.");
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  const fs::path parent = parent_folder();
  remove_abandoned(parent);
  std::string name = (parent / prefix).string().append(letters);
  if (::mkdtemp(name.data()) == nullptr) fail(parent.string(), std::strerror(errno));
  path_ = name;
  // The mark is written with the lock held; otherwise another program could take the folder for abandoned.
  lock_ = locked(path_);
  if (lock_ >= 0 && mark(lock_)) return;
  const std::string reason = std::strerror(errno);
  remove();
  fail(parent.string(), reason);
}

TemporaryFolder::~TemporaryFolder() { remove(); }

void TemporaryFolder::remove() noexcept {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

}  // namespace polyform::apps
