// DART: a skeleton with Featherstone's articulated-body algorithm. It keeps what its dirty marks call unchanged, which
// is why evaluations alternate between two states that differ in every coordinate. Its loops are constraints of an
// impulse solver: not timed. C++17, as its headers are, and without -march=native, which the library was not built
// with.
#include <fmt/format.h>

#include <algorithm>
#include <dart/config.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>

#include "tests/benchmark/engine.hpp"

namespace polyform::benchmark {

EngineInfo dart_engine();

namespace {

using namespace dart::dynamics;

Eigen::Vector3d vec(const Vec3& v) { return {v.x, v.y, v.z}; }

Eigen::Quaterniond quaternion(const double* q) { return {q[0], q[1], q[2], q[3]}; }

class Dart final : public Engine {
 public:
  void load(const Mechanism& mechanism) override {
    if (mechanism.has_loops()) throw Cannot("closes loops only by an impulse solver");
    mechanism_ = &mechanism;
    skeleton_->setGravity(vec(gravity));
    for (std::size_t i = 0; i < mechanism.bodies.size(); ++i) add_body(i);
    for (std::size_t k = 0; k < 2; ++k) set_state(mechanism.states[k], k);
  }
  void evaluate(std::size_t state) override {
    last_ = state;
    skeleton_->setPositions(q_[state]);
    skeleton_->setVelocities(v_[state]);
    skeleton_->computeForwardDynamics();
  }
  /// DART has the acceleration of a ball in the axes of the moving body.
  void accelerations(std::vector<double>& out) override {
    const double* q = mechanism_->states[last_].q.data();
    auto next = out.begin();
    for (std::size_t i = 0; i < mechanism_->bodies.size(); ++i) {
      const JointItem& joint = mechanism_->joints[i];
      Eigen::VectorXd a = bodies_[i]->getParentJoint()->getAccelerations();
      if (joint.ball()) a = (quaternion(q) * Eigen::Vector3d(a)).eval();
      next = std::copy_n(a.data(), joint.nv(), next);
      q += joint.nq();
    }
  }

 private:
  void add_body(std::size_t i) {
    const BodyItem& body = mechanism_->bodies[i];
    const JointItem& joint = mechanism_->joints[i];
    BodyNode* base = joint.base == ground ? nullptr : bodies_[joint.base];
    const Vec3 from = joint.base == ground ? Vec3{} : mechanism_->bodies[joint.base].origin;
    const auto describe = [&](Joint::Properties& properties) {
      properties.mName = fmt::format("j{}", i);
      properties.mT_ParentBodyToJoint.translation() = vec(joint.position - from);
    };
    BodyNode::AspectProperties rigid(fmt::format("b{}", i));
    rigid.mInertia = Inertia(body.mass, vec(body.center), vec(body.inertia).asDiagonal());
    if (joint.ball()) {
      BallJoint::Properties properties;
      describe(properties);
      bodies_.push_back(skeleton_->createJointAndBodyNodePair<BallJoint>(base, properties, rigid).second);
    } else {
      RevoluteJoint::Properties properties;
      describe(properties);
      properties.mAxis = vec(joint.axis);
      bodies_.push_back(skeleton_->createJointAndBodyNodePair<RevoluteJoint>(base, properties, rigid).second);
    }
  }
  /// A ball has a rotation vector, and its angular velocity in the axes of the moving body.
  void set_state(const State& state, std::size_t k) {
    q_[k].resize(static_cast<Eigen::Index>(skeleton_->getNumDofs()));
    v_[k].resize(q_[k].size());
    const double *q = state.q.data(), *v = state.v.data();
    for (std::size_t i = 0; i < mechanism_->bodies.size(); ++i) {
      const JointItem& joint = mechanism_->joints[i];
      const auto first = static_cast<Eigen::Index>(bodies_[i]->getParentJoint()->getIndexInSkeleton(0));
      if (joint.ball()) {
        const Eigen::Matrix3d turn = quaternion(q).toRotationMatrix();
        q_[k].segment<3>(first) = BallJoint::convertToPositions(turn);
        v_[k].segment<3>(first) = turn.transpose() * Eigen::Vector3d(v[0], v[1], v[2]);
      } else {
        q_[k][first] = *q;
        v_[k][first] = *v;
      }
      q += joint.nq();
      v += joint.nv();
    }
  }

  const Mechanism* mechanism_ = nullptr;
  SkeletonPtr skeleton_ = Skeleton::create();
  std::vector<BodyNode*> bodies_;
  Eigen::VectorXd q_[2], v_[2];
  std::size_t last_ = 0;
};

}  // namespace

EngineInfo dart_engine() {
  return {"dart", DART_VERSION, []() -> std::unique_ptr<Engine> { return std::make_unique<Dart>(); }};
}

}  // namespace polyform::benchmark
