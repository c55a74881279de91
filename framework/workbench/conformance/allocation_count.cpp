#include "framework/workbench/conformance/allocation_count.hpp"

#include <cerrno>

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define POLYFORM_COUNTS_ALLOCATIONS 1
#endif

namespace {

thread_local bool counting = false;
thread_local std::size_t count = 0;

}  // namespace

#ifdef POLYFORM_COUNTS_ALLOCATIONS
// The C library's own functions under the names that it keeps for replacements of malloc. operator new ends here too.
extern "C" {
void* __libc_malloc(std::size_t) noexcept;
void* __libc_calloc(std::size_t, std::size_t) noexcept;
void* __libc_realloc(void*, std::size_t) noexcept;
void* __libc_memalign(std::size_t, std::size_t) noexcept;

void* malloc(std::size_t size) noexcept {
  count += counting;
  return __libc_malloc(size);
}
void* calloc(std::size_t number, std::size_t size) noexcept {
  count += counting;
  return __libc_calloc(number, size);
}
void* realloc(void* old, std::size_t size) noexcept {
  count += counting;
  return __libc_realloc(old, size);
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
  count += counting;
  return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept { return memalign(alignment, size); }
int posix_memalign(void** out, std::size_t alignment, std::size_t size) noexcept {
  void* const found = memalign(alignment, size);
  if (found == nullptr) return ENOMEM;
  *out = found;
  return 0;
}
}
#endif

namespace polyform::host::inline conformance {

AllocationCount::AllocationCount() noexcept {
  count = 0;
  counting = true;
}
AllocationCount::~AllocationCount() { counting = false; }

std::size_t AllocationCount::so_far() const noexcept { return count; }

bool AllocationCount::available() noexcept {
#ifdef POLYFORM_COUNTS_ALLOCATIONS
  return true;
#else
  return false;
#endif
}

void claim_no_allocation(Checklist& list, std::string_view name, std::string_view remedy,
                         const std::function<void(Measure&)>& body) {
  if (AllocationCount::available())
    list.claim(name, 0, remedy, body);
  else
    list.unsupported(name, "this build of polyform has a sanitizer in it, which owns the heap");
}

}  // namespace polyform::host::conformance
