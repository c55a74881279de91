// How far solvers with loops bring states back onto them.
#pragma once

namespace polyform {

/// The options of the return onto the loops after each step.
struct LoopCorrection {
  bool on = true;
  double tolerance = 1e-10;  ///< largest constraint residual that is left: m, rad, m/s, rad/s
};

}  // namespace polyform
