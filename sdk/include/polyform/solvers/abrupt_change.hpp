// How much the projection of velocities may change within a step.
#pragma once

namespace polyform {

/// Whether a projection has changed velocities so much that it invents a motion rather than removes an error. speed:
/// the largest of the bodies before; asked_anew: by how much elements such as a prescribed motion missed their
/// velocities. An impulse meets a velocity that an element asks for anew, and joints with levers of up to 100 follow
/// it.
inline bool invents_motion(double change, double speed, double asked_anew) {
  constexpr double part_of_speed = 0.1, lever = 100;
  return change > part_of_speed * speed + lever * asked_anew;
}

}  // namespace polyform
