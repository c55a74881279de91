// What a solver knows about the digits of its own accelerations: Solver::query gives a LostDigits.
#pragma once

#include <string_view>

#include "polyform/contract/growth.hpp"

namespace polyform {

/// Lives as long as the solver.
struct LostDigits {
  static constexpr std::string_view interface_name = "polyform.lost_digits.1";
  Size<LostDigits> size{};
  /// Relative error of the accelerations that were observed or derived last, if the solver knows of one that it could
  /// not mend; 0 if it knows of none.
  double part = 0;
};

}  // namespace polyform
