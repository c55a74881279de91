// Counts what the heap is asked for, by whatever library: the program that links this has its own malloc in front of
// the C library's, which plugins call too.
#pragma once

#include <cstddef>

namespace polyform::host {

/// Counts the allocations of this thread while it lives. One at a time.
class AllocationCount {
 public:
  AllocationCount() noexcept;
  ~AllocationCount();
  AllocationCount(const AllocationCount&) = delete;
  AllocationCount& operator=(const AllocationCount&) = delete;

  std::size_t so_far() const noexcept;
  /// False where a sanitizer owns malloc.
  static bool available() noexcept;
};

}  // namespace polyform::host
