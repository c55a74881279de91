// Counts allocations, to prove that a call makes none. Replaces the global operator new: include it in one source of a
// test program only.
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>

namespace polyform::test {

inline std::atomic<std::size_t> allocation_count{0};
/// Allocations so far.
inline std::size_t allocations() { return allocation_count; }

}  // namespace polyform::test

void* operator new(std::size_t size) {
  ++polyform::test::allocation_count;
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++polyform::test::allocation_count;
  return std::malloc(size == 0 ? 1 : size);
}
// If both were inlined, the compiler would take malloc() and free() for a mismatch.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
#pragma GCC diagnostic pop
