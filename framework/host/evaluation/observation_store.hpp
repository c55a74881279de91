// The arrays behind an Observation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "polyform/contract/formulation.hpp"

namespace polyform::host::inline evaluation {

/// Owns what a solver fills when it observes; sized once for a system.
class ObservationStore {
 public:
  explicit ObservationStore(const SystemView& view)
      : bodies_(view.bodies.size()),
        reactions_(view.joints.size()),
        discrete_(view.discrete),
        numbers_(view.nq + 2 * view.nv + 3 * view.modes + 2 * view.states + view.module_rows + view.constraint_rows()) {
    double* next = numbers_.data();
    const auto take = [&next](std::size_t n) {
      const std::span<double> part(next, n);
      next += n;
      return part;
    };
    now_.bodies = bodies_;
    now_.reactions = reactions_;
    now_.q = take(view.nq);
    now_.v = take(view.nv);
    now_.eta = take(view.modes);
    now_.etadot = take(view.modes);
    now_.x = take(view.states);
    now_.discrete = discrete_;
    now_.correction = &correction;
    now_.acceleration = take(view.nv);
    now_.modal_acceleration = take(view.modes);
    now_.state_rates = take(view.states);
    now_.module_multipliers = take(view.module_rows);
    now_.constraint_multipliers = take(view.constraint_rows());
    std::ranges::fill(now_.constraint_multipliers, std::numeric_limits<double>::quiet_NaN());
  }
  ObservationStore(const ObservationStore&) = delete;
  ObservationStore& operator=(const ObservationStore&) = delete;

  Observation& now() { return now_; }

  Correction correction;  ///< of all steps since the last observation

 private:
  std::vector<Observation::Body> bodies_;
  std::vector<Spatial> reactions_;
  std::vector<std::int32_t> discrete_;
  std::vector<double> numbers_;
  Observation now_;
};

}  // namespace polyform::host::evaluation
