// Messages of a member about its own fields, as messages about those of the whole element.
#pragma once

#include <cstddef>
#include <string_view>

#include "polyform/contract/diagnostic.hpp"

namespace polyform::host::inline expressions {

/// The fields of the member stand among those of the whole from `first` on.
class ShiftedSink final : public FieldSink {
 public:
  ShiftedSink(FieldSink& whole, std::size_t first) : whole_(whole), first_(first) {}
  void report(Severity severity, std::size_t instance, std::size_t field, std::string_view message,
              std::string_view remedy) noexcept override {
    whole_.report(severity, instance, first_ + field, message, remedy);
  }

 private:
  FieldSink& whole_;
  std::size_t first_;
};

}  // namespace polyform::host::inline expressions
