#include "framework/workbench/conformance/static_memory.hpp"

#include <link.h>

#include <algorithm>
#include <cstdint>
#include <span>

namespace polyform::host::inline conformance {

namespace {

struct Search {
  std::uintptr_t object;
  std::vector<std::span<const std::byte>> writable;
};

int look_into(dl_phdr_info* library, std::size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  bool inside = false;
  std::vector<std::span<const std::byte>> writable;
  for (const auto& segment : std::span(library->dlpi_phdr, library->dlpi_phnum)) {
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t start = library->dlpi_addr + segment.p_vaddr;
    inside |= search.object >= start && search.object < start + segment.p_memsz;
    if ((segment.p_flags & PF_W) != 0)
      writable.emplace_back(reinterpret_cast<const std::byte*>(start), segment.p_memsz);
  }
  if (inside) search.writable = std::move(writable);
  return inside ? 1 : 0;
}

/// Copies byte by byte, with the gaps between variables, which the address sanitizer guards.
[[gnu::no_sanitize_address]] std::vector<std::byte> copy_of(const std::byte* start, std::size_t size) {
  std::vector<std::byte> copy(size);
  std::byte* const to = copy.data();
  const volatile std::byte* const from = start;
  for (std::size_t i = 0; i < size; ++i) to[i] = from[i];
  return copy;
}

}  // namespace

StaticMemory::StaticMemory(const void* object_in_library) {
  Search search{reinterpret_cast<std::uintptr_t>(object_in_library), {}};
  dl_iterate_phdr(look_into, &search);
  for (const auto& segment : search.writable)
    parts_.push_back({segment.data(), copy_of(segment.data(), segment.size())});
}

bool StaticMemory::changed() const {
  return std::ranges::any_of(parts_,
                             [](const Part& part) { return part.before != copy_of(part.start, part.before.size()); });
}

}  // namespace polyform::host::conformance
