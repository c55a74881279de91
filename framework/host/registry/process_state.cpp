#include "framework/host/registry/process_state.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <clocale>

#include "framework/streams.hpp"

namespace polyform::host::inline registry {

ProcessState::ProcessState() noexcept
    : c_locale_(std::setlocale(LC_ALL, nullptr)), folder_(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC)) {
  std::fegetenv(&numbers_);
}

ProcessState::~ProcessState() {
  std::fesetenv(&numbers_);
  std::locale::global(locale_);
  std::setlocale(LC_ALL, c_locale_.c_str());
  mend_streams();
  if (folder_ < 0) return;
  // If the folder is gone, relative names fail with a message.
  [[maybe_unused]] const int result = ::fchdir(folder_);
  ::close(folder_);
}

}  // namespace polyform::host::registry
