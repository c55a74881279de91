#include "polyform/helpers/guarded.hpp"

#include <dlfcn.h>

#include <cstdio>

namespace polyform {

ElementBreach::ElementBreach(const void* batch, const char* kind, bool memory) noexcept {
#if defined(__SSE2__)
  // The message about the breach must not meet a trap.
  _mm_setcsr((_mm_getcsr() & ~0xFFC0u) | 0x1F80u);
#endif
  // An object with virtual functions begins with the address of their table, which lies in its plugin.
  const void* table = nullptr;
  std::memcpy(&table, batch, sizeof table);
  Dl_info place{};
  const bool known = ::dladdr(table, &place) != 0 && place.dli_fname != nullptr;
  std::snprintf(text_, sizeof text_, "a %s of %s %s", kind, known ? place.dli_fname : "an unknown plugin",
                memory ? "wrote beyond the memory that it was given for its results"
                       : "changed how floating-point numbers are computed (rounding, traps) and did not put it back");
}

}  // namespace polyform
