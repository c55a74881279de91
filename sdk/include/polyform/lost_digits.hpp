// What a solver knows about the digits of its own accelerations: Solver::query(lost_digits).
#pragma once

#include <string_view>

namespace polyform {

/// The name of the interface. The object lives as long as the solver.
inline constexpr std::string_view lost_digits = "lost-digits-1";

struct LostDigits {
  /// Error of the accelerations that were observed or derived last, relative, as far as the solver knows of one that it
  /// could not mend; 0 where it knows of none.
  double part = 0;
};

}  // namespace polyform
