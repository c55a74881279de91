// Failures with their place in the model file.
#pragma once

#include <string>
#include <utility>

#include "framework/diagnostics.hpp"
#include "framework/host/assembly/system.hpp"
#include "framework/host/unilateral/element_failure.hpp"

namespace polyform::host::inline simulation {

/// A failure that an item of the model file causes.
class PlacedFailure final : public Failure {
 public:
  PlacedFailure(const Failure& why, std::string file, const Item& item)
      : Failure(why), file_(std::move(file)), path_(item.path), place_(item.place) {}
  /// Refers to texts of this failure.
  Diagnostic diagnostic() const noexcept {
    return {.message = message(),
            .remedy = remedy(),
            .path = path_,
            .file = file_,
            .line = place_.line,
            .column = place_.column};
  }

 private:
  std::string file_, path_;
  Place place_;
};

/// Calls `work`, and gives failures of an element the place of the force of its name, where the model has one.
template <class Work>
auto with_places(const System& system, Work work) {
  try {
    return work();
  } catch (const ElementFailure& why) {
    for (const ForceItem& force : system.description().forces)
      if (force.name == why.element()) throw PlacedFailure(why, system.description().file, force);
    throw;
  }
}

}  // namespace polyform::host::inline simulation
