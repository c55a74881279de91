// Counts requests for memory by any library: the program that links this has its own malloc, which plugins call too, in
// front of the C library's.
#pragma once

#include <fmt/format.h>

#include <cstddef>

#include "framework/workbench/conformance/checklist.hpp"

namespace polyform::host::inline conformance {

/// Counts the allocations of this thread while the object lives. There is one object at a time.
class AllocationCount {
 public:
  AllocationCount() noexcept;
  ~AllocationCount();
  AllocationCount(const AllocationCount&) = delete;
  AllocationCount& operator=(const AllocationCount&) = delete;

  std::size_t so_far() const noexcept;
  /// False if a sanitizer owns malloc.
  static bool available() noexcept;
};

/// How many allocations a call makes.
template <class Call>
std::size_t allocations_of(Call call) {
  const AllocationCount count;
  call();
  return count.so_far();
}

/// A claim whose body sees numbers of allocations; undecided if they cannot be counted.
void claim_no_allocation(Checklist&, std::string_view name, std::string_view remedy,
                         const std::function<void(Measure&)>& body);
/// Hands the number to Measure::see.
inline void see_allocations(std::size_t found, Measure& m) {
  m.see(static_cast<double>(found), [&] { return fmt::format("{} allocations", found); });
}
inline constexpr std::string_view evaluate_allocates_nothing = "evaluate() allocates nothing";
inline constexpr std::string_view make_memory_before = "make scratch memory in create() and keep it in the batch";

}  // namespace polyform::host::conformance
