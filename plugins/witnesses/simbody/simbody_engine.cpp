#include "simbody_engine.hpp"

#include <algorithm>

#include "../system_view_in_numbers.hpp"

namespace polyform::simbody {
SimbodyEngine::SimbodyEngine(const SystemView& view) : view_(view), system_(&view.gravity.x) {
  std::vector<double> copies(view.bodies.size(), 1);
  for (const JointData& joint : view.cut_joints()) ++copies[at(is_ground(joint.moving) ? joint.base : joint.moving)];
  for (std::size_t i = 0; i < view.joints.size(); ++i) {
    const JointData& joint = view.joints[i];
    const bool is_tree = i < view.bodies.size(), from_moving = is_tree ? joint.reversed : is_ground(joint.moving);
    const BodyIndex body = from_moving ? joint.base : joint.moving;
    const int added = system_.add(witnesses::carrying(joint, from_moving),
                                  witnesses::inertia_of(view.bodies[at(body)], 1.0 / copies[at(body)]));
    if (!is_tree) system_.weld(static_cast<int>(at(body)), added);
  }
  system_.finish();
  wrenches_.resize(6 * view.joints.size());
}

bool SimbodyEngine::accelerate(const double* q, const double* v, const Loads& loads, std::span<double> vdot) noexcept {
  witnesses::put_wrenches(loads, wrenches_);
  efforts_.assign(loads.efforts.begin(), loads.efforts.end());
  return system_.accelerate(q, v, wrenches_, efforts_, vdot.data());
}

void SimbodyEngine::cut_reactions(std::span<Spatial> out) noexcept {
  for (std::size_t k = 0; k < out.size(); ++k) {
    double wrench[6];
    const std::size_t joint = view_.bodies.size() + k;
    system_.reaction(static_cast<int>(joint), wrench);
    const double sign = is_ground(view_.joints[joint].moving) ? -1 : 1;
    out[k] = sign * Spatial{{wrench[0], wrench[1], wrench[2]}, {wrench[3], wrench[4], wrench[5]}};
  }
}

bool SimbodyEngine::correct(double* q, double* v, Correction& out) noexcept {
  double position = 0, velocity = 0;
  if (!system_.project(q, v, position, velocity)) return false;
  out.position_residual = std::max(out.position_residual, position);
  out.velocity_residual = velocity;
  return true;
}

}  // namespace polyform::simbody
