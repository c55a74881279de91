#include "framework/streams.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <initializer_list>

#include "framework/original_process.hpp"

namespace polyform::host {

namespace {

std::FILE* kept_output = nullptr;
int kept_errors = -1;

constexpr int first_private = 10;  // out of the way of what shells and scripts count on

/// The file to which a descriptor leads. If a plugin has closed a descriptor, its number may lead to another file.
struct Target {
  dev_t device = 0;
  ino_t inode = 0;
  bool known = false;
  bool operator==(const Target&) const = default;
};
Target target_of(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 ? Target{status.st_dev, status.st_ino, true} : Target{};
}
Target errors;  ///< of the error stream as it was given

}  // namespace

void take_output() noexcept {
  // Text for a descriptor that is open for reading only is lost with an error, as for a closed descriptor.
  for (int opened = 0; opened >= 0 && opened <= STDERR_FILENO;)
    if (opened = ::open("/dev/null", O_RDONLY | O_CLOEXEC); opened > STDERR_FILENO) ::close(opened);
  const int own = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, first_private);
  errors = target_of(STDERR_FILENO);
  kept_errors = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, first_private);
  if (own < 0) return;
  kept_output = ::fdopen(own, "w");
  if (kept_output != nullptr)
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
  else
    ::close(own);
}

std::FILE* output() noexcept {
  end_copies();
  return kept_output != nullptr ? kept_output : stdout;
}

bool output_is_taken() noexcept {
  std::FILE* const stream = output();
  return std::fflush(stream) == 0 && std::ferror(stream) == 0;
}

void mend_streams() noexcept {
  if (kept_errors < 0 || target_of(kept_errors) != errors) return;
  if (!target_of(STDOUT_FILENO).known) ::dup2(kept_errors, STDOUT_FILENO);
  if (target_of(STDERR_FILENO) != errors) ::dup2(kept_errors, STDERR_FILENO);
}

void leave_streams() noexcept {
  kept_errors = -1;
  errors = {};
}

bool has_error_stream() noexcept { return !errors.known || target_of(STDERR_FILENO) == errors; }

}  // namespace polyform::host
