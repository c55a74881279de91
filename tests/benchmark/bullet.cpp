// Bullet: btMultiBody with Featherstone's articulated-body algorithm, in double precision. It knows gravity only as
// forces on links, adds the accelerations times a time step to the velocities (a step of 1 s gives them back), and
// clamps velocities unless told otherwise. Its loops are soft constraints of an impulse solver: not timed.
#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <fmt/format.h>

#include <algorithm>

#include "tests/benchmark/engine.hpp"

namespace polyform::benchmark {

EngineInfo bullet_engine();

namespace {

btVector3 vec(const Vec3& v) { return {v.x, v.y, v.z}; }

class Bullet final : public Engine {
 public:
  void load(const Mechanism& mechanism) override {
    if (mechanism.has_loops()) throw Cannot("closes loops only by an impulse solver");
    mechanism_ = &mechanism;
    const int n = static_cast<int>(mechanism.bodies.size());
    body_ = std::make_unique<btMultiBody>(n, 1, btVector3(1, 1, 1), true, false);
    for (int i = 0; i < n; ++i) add_link(i);
    body_->finalizeMultiDof();
    body_->setLinearDamping(0);
    body_->setAngularDamping(0);
    body_->setUseGyroTerm(true);
    body_->setMaxCoordinateVelocity(1e300);
    for (int i = 0; i < n; ++i)
      body_->addLinkForce(i, mechanism.bodies[static_cast<std::size_t>(i)].mass * vec(gravity));
    for (std::size_t k = 0; k < 2; ++k) set_state(mechanism.states[k], k);
  }

  void evaluate(std::size_t state) override {
    last_ = state;
    const double* q = q_[state].data();
    const double* v = v_[state].data();
    for (int i = 0; i < body_->getNumLinks(); ++i) {
      const btMultibodyLink& link = body_->getLink(i);
      body_->setJointPosMultiDof(i, q);
      body_->setJointVelMultiDof(i, v);
      q += link.m_posVarCount;
      v += link.m_dofCount;
    }
    body_->computeAccelerationsArticulatedBodyAlgorithmMultiDof(1, numbers_, vectors_, matrices_, false, false, false);
  }

  void accelerations(std::vector<double>& out) override {
    const double* v = v_[last_].data();
    const double* q = q_[last_].data();
    auto next = out.begin();
    for (int i = 0; i < body_->getNumLinks(); ++i) {
      const double* after = body_->getJointVelMultiDof(i);
      if (mechanism_->joints[static_cast<std::size_t>(i)].ball()) {
        const Vec3 in_base =
            rotation_matrix(Quat{q[3], q[0], q[1], q[2]}) * Vec3{after[0] - v[0], after[1] - v[1], after[2] - v[2]};
        next = std::copy_n(&in_base.x, 3, next);
        q += 4;
        v += 3;
      } else {
        *next++ = *after - *v++;
        ++q;
      }
    }
  }

 private:
  void add_link(int i) {
    const BodyItem& body = mechanism_->bodies[static_cast<std::size_t>(i)];
    const JointItem& joint = mechanism_->joints[static_cast<std::size_t>(i)];
    const bool on_ground = joint.base == ground;
    const Vec3 center = on_ground ? Vec3{}  // the fixed base has its centre at the origin
                                  : mechanism_->bodies[joint.base].origin + mechanism_->bodies[joint.base].center;
    const int base = on_ground ? -1 : static_cast<int>(joint.base);
    const btVector3 pivot = vec(joint.position - center);
    const btQuaternion same = btQuaternion::getIdentity();
    if (joint.ball()) {
      body_->setupSpherical(i, body.mass, vec(body.inertia), base, same, pivot, vec(body.center), true);
    } else {
      body_->setupRevolute(i, body.mass, vec(body.inertia), base, same, vec(joint.axis), pivot, vec(body.center), true);
    }
  }
  /// A ball has a quaternion x y z w, and its angular velocity in the axes of the moving body.
  void set_state(const State& state, std::size_t k) {
    std::size_t q = 0, v = 0;
    for (const JointItem& joint : mechanism_->joints) {
      if (joint.ball()) {
        const Quat turn{state.q[q], state.q[q + 1], state.q[q + 2], state.q[q + 3]};
        const Vec3 rate = transpose_times(rotation_matrix(turn), Vec3{state.v[v], state.v[v + 1], state.v[v + 2]});
        q_[k].insert(q_[k].end(), {turn.x, turn.y, turn.z, turn.w});
        v_[k].insert(v_[k].end(), {rate.x, rate.y, rate.z});
      } else {
        q_[k].push_back(state.q[q]);
        v_[k].push_back(state.v[v]);
      }
      q += joint.nq();
      v += joint.nv();
    }
  }

  const Mechanism* mechanism_ = nullptr;
  std::unique_ptr<btMultiBody> body_;
  btAlignedObjectArray<btScalar> numbers_;
  btAlignedObjectArray<btVector3> vectors_;
  btAlignedObjectArray<btMatrix3x3> matrices_;
  std::vector<double> q_[2], v_[2];
  std::size_t last_ = 0;
};

}  // namespace

EngineInfo bullet_engine() {
  const int version = btGetVersion();
  return {"bullet", fmt::format("{}.{}", version / 100, version % 100),
          []() -> std::unique_ptr<Engine> { return std::make_unique<Bullet>(); }};
}

}  // namespace polyform::benchmark
