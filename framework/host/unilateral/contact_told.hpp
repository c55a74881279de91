// What became of one contact in a run, in numbers.
#pragma once

#include <cstddef>
#include <string>

namespace polyform::host::inline unilateral {

/// What became of one contact, stop or friction in a run. Times in s; a time of what never was is not a number.
struct ContactTold {
  std::string name;
  std::size_t impacts = 0;
  double lost = 0;  ///< in impacts, J
  double last_impact = 0;
  double chattering_ended = 0;             ///< when bounces were first too low to follow
  double closed = 0, stuck = 0;            ///< for how long
  std::size_t times_stuck = 0;             ///< how often it began to stick
  double stuck_from = 0, stuck_until = 0;  ///< the last time
};

}  // namespace polyform::host::inline unilateral
