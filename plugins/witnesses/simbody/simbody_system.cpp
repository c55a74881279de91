#include "simbody_system.hpp"

#include <Simbody.h>

#include <cmath>

#include "../motion_steps.hpp"

namespace polyform::simbody {
namespace {

SimTK::Vec3 vector(const double* v) { return SimTK::Vec3(v[0], v[1], v[2]); }

SimTK::Transform transform(const Frame& frame) {
  SimTK::Mat33 axes;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) axes(r, c) = frame.axes[3 * r + c];
  return SimTK::Transform(SimTK::Rotation(axes, true), vector(frame.origin));
}

/// Axes in which a motion is what Simbody has: a turn about z, a slide along x.
SimTK::Rotation turned(const Motion& motion) {
  if (motion.kind == Motion::Kind::ball) return SimTK::Rotation();
  const SimTK::UnitVec3 axis(vector(motion.axis));
  if (motion.kind == Motion::Kind::slide) return SimTK::Rotation(axis, SimTK::XAxis);
  return SimTK::Rotation(axis, SimTK::ZAxis);
}

/// Accuracy of the constraints' residuals, m or rad.
constexpr double accuracy = 1e-12;

}  // namespace

struct SimbodySystem::Parts {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  SimTK::Force::DiscreteForces loads{forces, matter};
  struct Step {
    SimTK::MobilizedBody body;
    std::size_t q, u;  ///< first ones in the order of this class
    int positions, velocities;
  };
  std::vector<SimTK::MobilizedBody> bodies;
  std::vector<Step> steps;
  witnesses::MotionNumbers numbers;
  SimTK::State state;
  SimTK::Vector_<SimTK::SpatialVec> reactions;
};

SimbodySystem::SimbodySystem(const double gravity[3]) : parts_(std::make_unique<Parts>()) {
  parts_->matter.setShowDefaultGeometry(false);
  SimTK::Force::UniformGravity(parts_->forces, parts_->matter, vector(gravity));
}
SimbodySystem::~SimbodySystem() = default;

int SimbodySystem::add(const Carrying& joint, const Inertia& inertia) {
  Parts& p = *parts_;
  const double* const I = inertia.moments;
  const SimTK::Vec3 center = vector(inertia.center);
  const SimTK::Inertia about_center(I[0], I[1], I[2], I[3], I[4], I[5]);
  const SimTK::Body::Rigid rigid(
      SimTK::MassProperties(inertia.mass, center, about_center.shiftFromMassCenter(center, inertia.mass)));
  SimTK::MobilizedBody at =
      joint.carrier < 0 ? SimTK::MobilizedBody(p.matter.Ground()) : p.bodies[static_cast<std::size_t>(joint.carrier)];
  SimTK::Transform from = transform(joint.in_carrier);
  const SimTK::Transform in_body = transform(joint.in_body);
  const std::size_t n = joint.motions.size();
  const auto direction = joint.reversed ? SimTK::MobilizedBody::Reverse : SimTK::MobilizedBody::Forward;
  if (n == 0) at = SimTK::MobilizedBody::Weld(at, from, rigid, in_body);
  for (std::size_t k = 0; k < n; ++k) {
    const Motion& motion = joint.motions[joint.reversed ? n - 1 - k : k];
    const SimTK::Transform turn(turned(motion));
    const bool last = k + 1 == n;
    const SimTK::Body body = last ? SimTK::Body(rigid) : SimTK::Body(SimTK::Body::Massless());
    const SimTK::Transform inboard = from * turn, outboard = last ? in_body * turn : turn;
    Parts::Step step{};
    step.positions = static_cast<int>(motion.positions());
    step.velocities = static_cast<int>(motion.velocities());
    switch (motion.kind) {
      case Motion::Kind::turn: step.body = SimTK::MobilizedBody::Pin(at, inboard, body, outboard, direction); break;
      case Motion::Kind::slide: step.body = SimTK::MobilizedBody::Slider(at, inboard, body, outboard, direction); break;
      case Motion::Kind::ball: step.body = SimTK::MobilizedBody::Ball(at, inboard, body, outboard, direction); break;
    }
    at = step.body;
    p.steps.push_back(step);
    from = SimTK::Transform();
  }
  p.numbers.give(joint, p.steps);
  p.bodies.push_back(at);
  return static_cast<int>(p.bodies.size()) - 1;
}

void SimbodySystem::weld(int body, int copy) {
  SimTK::Constraint::Weld(parts_->bodies[static_cast<std::size_t>(body)],
                          parts_->bodies[static_cast<std::size_t>(copy)]);
}

void SimbodySystem::finish() {
  parts_->state = parts_->system.realizeTopology();
  parts_->matter.setUseEulerAngles(parts_->state, false);
  parts_->system.realizeModel(parts_->state);
}

void SimbodySystem::set_state(const double* q, const double* u) {
  Parts& p = *parts_;
  for (const Parts::Step& step : p.steps) {
    for (int k = 0; k < step.positions; ++k) step.body.setOneQ(p.state, k, q[step.q + static_cast<std::size_t>(k)]);
    for (int k = 0; k < step.velocities; ++k) step.body.setOneU(p.state, k, u[step.u + static_cast<std::size_t>(k)]);
  }
}

bool SimbodySystem::accelerate(const double* q, const double* u, const std::vector<double>& wrenches,
                               const std::vector<double>& efforts, double* udot) noexcept {
  try {
    Parts& p = *parts_;
    set_state(q, u);
    for (std::size_t i = 0; i < p.bodies.size() && !wrenches.empty(); ++i)
      p.loads.setOneBodyForce(p.state, p.bodies[i],
                              SimTK::SpatialVec(vector(&wrenches[6 * i]), vector(&wrenches[6 * i + 3])));
    for (const Parts::Step& step : p.steps)
      for (int k = 0; k < step.velocities && !efforts.empty(); ++k)
        p.loads.setOneMobilityForce(p.state, step.body, SimTK::MobilizerUIndex(k),
                                    efforts[step.u + static_cast<std::size_t>(k)]);
    p.system.realize(p.state, SimTK::Stage::Acceleration);
    for (const Parts::Step& step : p.steps)
      for (int k = 0; k < step.velocities; ++k)
        udot[step.u + static_cast<std::size_t>(k)] = step.body.getOneUDot(p.state, k);
    p.matter.calcMobilizerReactionForces(p.state, p.reactions);
    return true;
  } catch (const std::exception& problem) {
    failure_ = problem.what();
    return false;
  }
}

void SimbodySystem::reaction(int body, double wrench[6]) const noexcept {
  const SimTK::MobilizedBody& at = parts_->bodies[static_cast<std::size_t>(body)];
  const SimTK::SpatialVec& found = parts_->reactions[at.getMobilizedBodyIndex()];
  for (int k = 0; k < 3; ++k) {
    wrench[k] = found[0][k];
    wrench[3 + k] = found[1][k];
  }
}

double SimbodySystem::position_residual() const noexcept {
  double largest = 0;
  const SimTK::Vector& errors = parts_->state.getQErr();
  for (int k = 0; k < errors.size(); ++k) largest = std::max(largest, std::abs(errors[k]));
  return largest;
}
double SimbodySystem::velocity_residual() const noexcept {
  double largest = 0;
  const SimTK::Vector& errors = parts_->state.getUErr();
  for (int k = 0; k < errors.size(); ++k) largest = std::max(largest, std::abs(errors[k]));
  return largest;
}

bool SimbodySystem::project(double* q, double* u, double& position, double& velocity) noexcept {
  try {
    Parts& p = *parts_;
    set_state(q, u);
    p.system.realize(p.state, SimTK::Stage::Velocity);
    position = position_residual();
    velocity = velocity_residual();
    p.system.projectQ(p.state, accuracy);
    p.system.realize(p.state, SimTK::Stage::Velocity);
    p.system.projectU(p.state, accuracy);
    for (const Parts::Step& step : p.steps) {
      for (int k = 0; k < step.positions; ++k) q[step.q + static_cast<std::size_t>(k)] = step.body.getOneQ(p.state, k);
      for (int k = 0; k < step.velocities; ++k) u[step.u + static_cast<std::size_t>(k)] = step.body.getOneU(p.state, k);
    }
    return true;
  } catch (const std::exception& problem) {
    failure_ = problem.what();
    return false;
  }
}

}  // namespace polyform::simbody
