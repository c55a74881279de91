#include "framework/original_process.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include "framework/supervision.hpp"

namespace polyform::host {

namespace {

/// A page of its own, which the system empties in every copy of the process, however that is made.
volatile int* claimed = nullptr;

}  // namespace

void claim_process() noexcept {
  constexpr std::size_t page = 1;  // rounded up by the system
  if (claimed == nullptr) {
    void* const place = ::mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) return;
    if (::madvise(place, page, MADV_WIPEONFORK) != 0) {
      ::munmap(place, page);  // an old system; then copies are not known
      return;
    }
    claimed = static_cast<int*>(place);
  }
  *claimed = 1;
}

bool is_copy() noexcept { return claimed != nullptr && *claimed == 0; }

void end_copies() noexcept {
  if (!is_copy()) return;
  say("warning: a plugin copied the process in which it worked (fork), and its copy went on with the work");
  say_whereabouts();
  say("\n  The copy was ended; results are those of the first process. Report this to the author of the plugin.\n");
  ::_exit(1);
}

}  // namespace polyform::host
