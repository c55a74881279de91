// Simbody. Positions and velocities are written anew before each evaluation: only then are its articulated inertias
// computed again. Loops: two point-in-plane constraints for a revolute joint whose motion stays in the plane, a ball
// constraint for a ball joint; that leaves no redundant rows.
#include "Simbody.h"

#include <fmt/format.h>

#include "tests/benchmark/engine.hpp"

namespace polyform::benchmark {

EngineInfo simbody_engine();

namespace {

SimTK::Vec3 vec(const Vec3& v) { return {v.x, v.y, v.z}; }

class Simbody final : public Engine {
 public:
  void load(const Mechanism& mechanism) override {
    mechanism_ = &mechanism;
    try {
      build();
      state_ = system_.realizeTopology();
      system_.realizeModel(state_);
      for (std::size_t k = 0; k < 2; ++k) set_state(mechanism.states[k], k);
    } catch (const std::exception& problem) {
      throw Cannot(problem.what());
    }
  }
  void evaluate(std::size_t state) override {
    state_.updQ() = q_[state];
    state_.updU() = u_[state];
    system_.realize(state_, SimTK::Stage::Acceleration);
  }
  void accelerations(std::vector<double>& out) override {
    const SimTK::Vector& a = state_.getUDot();
    auto next = out.begin();
    for (std::size_t i = 0; i < mechanism_->bodies.size(); ++i) {
      const int first = bodies_[i].getFirstUIndex(state_);
      for (std::size_t k = 0; k < mechanism_->joints[i].nv(); ++k) *next++ = a[first + static_cast<int>(k)];
    }
  }

 private:
  void build() {
    matter_.setShowDefaultGeometry(false);
    SimTK::Force::UniformGravity(forces_, matter_, vec(gravity));
    for (std::size_t i = 0; i < mechanism_->bodies.size(); ++i) {
      const BodyItem& body = mechanism_->bodies[i];
      const JointItem& joint = mechanism_->joints[i];
      const Vec3 from = joint.base == ground ? Vec3{} : mechanism_->bodies[joint.base].origin;
      SimTK::MobilizedBody& base = joint.base == ground ? matter_.Ground() : bodies_[joint.base];
      const SimTK::Inertia about_center(body.inertia.x, body.inertia.y, body.inertia.z);
      const SimTK::Body::Rigid rigid(SimTK::MassProperties(
          body.mass, vec(body.center), about_center.shiftFromMassCenter(vec(body.center), body.mass)));
      if (joint.ball()) {
        bodies_.push_back(SimTK::MobilizedBody::Ball(base, vec(joint.position - from), rigid, SimTK::Vec3(0)));
      } else {
        const SimTK::Rotation axis(SimTK::UnitVec3(vec(joint.axis)), SimTK::ZAxis);  // a pin turns about z
        bodies_.push_back(SimTK::MobilizedBody::Pin(base, SimTK::Transform(axis, vec(joint.position - from)), rigid,
                                                    SimTK::Transform(axis)));
      }
    }
    for (std::size_t i = mechanism_->bodies.size(); i < mechanism_->joints.size(); ++i) close(mechanism_->joints[i]);
  }
  void close(const JointItem& joint) {
    SimTK::MobilizedBody& base = joint.base == ground ? matter_.Ground() : bodies_[joint.base];
    SimTK::MobilizedBody& moving = bodies_[joint.moving];
    const Vec3 from = joint.base == ground ? Vec3{} : mechanism_->bodies[joint.base].origin;
    const Vec3 in_base = joint.position - from, in_moving = joint.position - mechanism_->bodies[joint.moving].origin;
    if (joint.ball()) {
      SimTK::Constraint::Ball(base, vec(in_base), moving, vec(in_moving));
      return;
    }
    const SimTK::Rotation axis(SimTK::UnitVec3(vec(joint.axis)), SimTK::ZAxis);
    for (const SimTK::UnitVec3& normal : {axis.x(), axis.y()})
      SimTK::Constraint::PointInPlane(base, normal, dot(SimTK::Vec3(normal), vec(in_base)), moving, vec(in_moving));
  }
  void set_state(const State& state, std::size_t k) {
    q_[k] = state_.getQ();
    u_[k] = state_.getU();
    std::size_t q = 0, v = 0;
    for (std::size_t i = 0; i < mechanism_->bodies.size(); ++i) {
      const JointItem& joint = mechanism_->joints[i];
      const int first_q = bodies_[i].getFirstQIndex(state_), first_u = bodies_[i].getFirstUIndex(state_);
      for (std::size_t n = 0; n < joint.nq(); ++n) q_[k][first_q + static_cast<int>(n)] = state.q[q++];
      for (std::size_t n = 0; n < joint.nv(); ++n) u_[k][first_u + static_cast<int>(n)] = state.v[v++];
    }
  }

  const Mechanism* mechanism_ = nullptr;
  SimTK::MultibodySystem system_;
  SimTK::SimbodyMatterSubsystem matter_{system_};
  SimTK::GeneralForceSubsystem forces_{system_};
  std::vector<SimTK::MobilizedBody> bodies_;
  SimTK::State state_;
  SimTK::Vector q_[2], u_[2];
};

std::string version() {
  int major = 0, minor = 0, build = 0;
  SimTK_version_simbody(&major, &minor, &build);
  return fmt::format("{}.{}", major, minor);
}

}  // namespace

EngineInfo simbody_engine() {
  return {"simbody", version(), []() -> std::unique_ptr<Engine> { return std::make_unique<Simbody>(); }};
}

}  // namespace polyform::benchmark
