// Static variables of a plugin: whether calls write to them, which several threads at once must not.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "framework/workbench/conformance/checklist.hpp"

namespace polyform::host::inline conformance {

/// The writable memory of the library that an object lies in, as it was when this was made. Thread-local variables are
/// not part of it.
class StaticMemory {
 public:
  explicit StaticMemory(const void* object_in_library);
  bool found() const { return !parts_.empty(); }
  bool changed() const;

 private:
  struct Part {
    const std::byte* start;
    std::vector<std::byte> before;
  };
  std::vector<Part> parts_;
};

/// One claim: a second call, on other data than the first, writes to no static variable. The first may: of tables that
/// are made when they are first asked for.
template <class First, class Second>
void claim_no_static_writing(const void* type, Checklist& list, First first, Second second) {
  list.claim("it writes to no static variables", 0,
             "solvers in several threads share static variables: keep scratch memory in the batch or on the stack",
             [&](Measure& m) {
               first();
               const StaticMemory memory(type);
               if (!memory.found()) throw Undecided("the type lies in no library");
               second();
               m.see(memory.changed() ? 1 : 0, "an evaluation changes a static variable of the plugin");
             });
}

}  // namespace polyform::host::conformance
