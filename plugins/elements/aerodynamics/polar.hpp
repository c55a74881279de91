// Coefficients over the angle of attack.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "polyform/contract/diagnostic.hpp"
#include "polyform/contract/field.hpp"

namespace polyform::aerodynamics {

/// Lift, drag and pitching moment coefficients of a section, or of a body, at an angle of attack.
struct PolarValue {
  double lift = 0, drag = 0, moment = 0;
};

/// A table with rows [angle of attack, lift, drag, moment], linear between the rows and held beyond the first and last.
class Polar {
 public:
  Polar() = default;
  /// From a field that passed check; no rows for one that is not given.
  explicit Polar(const FieldValue& rows);

  bool empty() const { return angles_.empty(); }
  PolarValue operator()(double angle) const noexcept;
  /// How long an angle of this rate takes, whole turns on, past the next row to the one after it, s: a step of this
  /// length meets every piece of the table. `never` at rest.
  double passing_time(double angle, double rate) const noexcept;

  /// Reports rows with other than 3 or 4 numbers (without moment: 0), and angles that do not increase.
  static bool check(const FieldValue& rows, std::size_t instance, std::size_t field, FieldSink& sink) noexcept;

 private:
  std::vector<double> angles_;
  std::vector<PolarValue> values_;
};

}  // namespace polyform::aerodynamics
