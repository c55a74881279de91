// Constraint types whose rows are formulas of a model file: the host makes the rows and differentiates them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace polyform {

/// ConstraintType::query gives it where fields of the type hold functions that are rows by themselves. An instance then
/// is a row for each function of each such field, in the order of the fields, and the host takes its own batch in the
/// place of the type's: a formula of the state has no value as a function of time.
class RowsByFormulas {
 public:
  static constexpr std::string_view interface_name = "polyform.rows_by_formulas.1";
  enum class Level : std::int32_t {
    none,          ///< the field holds no rows
    velocity,      ///< h(q, v, t) = 0; the host adds its rate
    acceleration,  ///< g(q, v, a, t) = 0, linear in the accelerations a; it does not hold velocities
  };
  virtual Level level(std::size_t field) const noexcept = 0;

 protected:
  ~RowsByFormulas() = default;
};

}  // namespace polyform
