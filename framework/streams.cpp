#include "framework/streams.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <initializer_list>

namespace polyform::host {

namespace {

std::FILE* kept_output = nullptr;
int kept_errors = -1;

constexpr int first_private = 10;  // out of the way of what shells and scripts count on

bool is_closed(int descriptor) { return ::fcntl(descriptor, F_GETFD) < 0; }

}  // namespace

void take_output() noexcept {
  // What is written to a descriptor that is open for reading alone is lost with an error, as to a closed one.
  for (int opened = 0; opened >= 0 && opened <= STDERR_FILENO;)
    if (opened = ::open("/dev/null", O_RDONLY | O_CLOEXEC); opened > STDERR_FILENO) ::close(opened);
  const int own = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, first_private);
  kept_errors = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, first_private);
  if (own < 0) return;
  kept_output = ::fdopen(own, "w");
  if (kept_output != nullptr)
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
  else
    ::close(own);
}

std::FILE* output() noexcept { return kept_output != nullptr ? kept_output : stdout; }

void mend_streams() noexcept {
  if (kept_errors < 0) return;
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO})
    if (is_closed(descriptor)) ::dup2(kept_errors, descriptor);
}

}  // namespace polyform::host
