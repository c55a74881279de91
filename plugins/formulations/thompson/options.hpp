// The options that a user chooses.
#pragma once

#include <vector>

#include "euler_angles.hpp"
#include "h2.hpp"

namespace polyform::thompson {

enum class Form { reduced, implicit_1, implicit_2 };

struct Options {
  Construction construction = Construction::velocity;
  Form form = Form::reduced;
  std::vector<EulerSequence> sequences;
  bool project = true;       ///< positions and velocities return to the constraints after each step
  double tolerance = 1e-10;  ///< largest position residual that is left: m, rad
};

}  // namespace polyform::thompson
