// Springs and dampers that MuJoCo makes of a time constant and a damping ratio (`springdamper`).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mechanism.hpp"
#include "xml_file.hpp"

namespace polyform::importers {

struct TimedSpring {
  std::string joint{};         ///< in the model
  std::size_t element = 0;     ///< of Mechanism::elements: the spring, whose stiffness and damping are to be set
  double time = 1, ratio = 1;  ///< time constant, s, and damping ratio; positive
  Element by{};                ///< what says so
};

/// Time and ratio of what says `springdamper`, which may be nothing. Nothing where stiffness and damping of the joint
/// count; the file is told so.
std::optional<TimedSpring> timed_spring(const Element& by);

/// Sets stiffness and damping, as MuJoCo does: with the mean inertia J of the joint as drawn, which is the number of
/// its coordinates over the sum of their elements of the inverse mass matrix, stiffness = J/(time ratio)² and
/// damping = 2 J/time. armature: by joint. Where the mass matrix is singular, the springs are left as they are, and
/// told as not honoured.
void set_timed_springs(Mechanism&, const std::vector<TimedSpring>&, const std::map<std::string, double>& armature);

}  // namespace polyform::importers
