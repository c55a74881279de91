// The shortest times that elements declare, against the steps of a run.
#pragma once

#include <string>
#include <vector>

#include "framework/host/watches/element_events.hpp"

namespace polyform::host::inline watches {

/// Periods of functions of time, and what elements tell of themselves. Tables and ramps are not among them: no step
/// goes past their knots.
class TimeScales {
 public:
  explicit TimeScales(const SystemView&);
  void add(const ElementEvents::Source&);
  /// The shortest, s; infinity if there is none.
  double shortest() const;
  /// The longest step that an integrator with error control should make, s. Steps of whole periods find a sine at rest
  /// at both of their ends, and no control of errors sees it. Not so short that a run takes more than some million
  /// steps for it: warnings() tells.
  double longest_step(double duration) const;
  /// A sentence where the longest step holds less than two samples of a period, the least that can show it at all.
  std::vector<std::string> warnings(double longest_step) const;

 private:
  struct Scale {
    double time;
    std::string_view element;
  };
  std::vector<Scale> scales_;
};

}  // namespace polyform::host::watches
