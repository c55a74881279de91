// A tree as a skeleton of DART, which finds accelerations by its articulated-body algorithm. A joint of several motions
// becomes a row of DART's joints, with bodies without mass between them.
#include "dart_tree.hpp"

#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <iostream>
#include <streambuf>
#include <string>
#include <vector>

#include "../motion_steps.hpp"

namespace polyform::dart_witness {
namespace {

using namespace dart::dynamics;
using witnesses::Carrying;
using witnesses::Frame;
using witnesses::Motion;

Eigen::Vector3d vector(const double* v) { return {v[0], v[1], v[2]}; }
Eigen::Matrix3d matrix(const double* rows) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(rows);
}
Eigen::Isometry3d transform(const Frame& frame) {
  Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
  T.linear() = matrix(frame.axes);
  T.translation() = vector(frame.origin);
  return T;
}

/// Keeps DART quiet: it writes a warning to the error stream for each body without mass, which here lie between two
/// motions.
class Silence {
 public:
  Silence() : shown_(std::cerr.rdbuf(&nowhere_)) {}
  ~Silence() { std::cerr.rdbuf(shown_); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  class Nowhere : public std::streambuf {
    int_type overflow(int_type c) override { return traits_type::not_eof(c); }
  };
  Nowhere nowhere_;
  std::streambuf* shown_;
};

class DartTree final : public witnesses::EngineTree {
 public:
  explicit DartTree(const double gravity[3]) { skeleton_->setGravity(vector(gravity)); }

  void add(const Carrying& joint, const witnesses::Inertia& inertia) override {
    const Silence silence;
    BodyNode* at = joint.carrier < 0 ? nullptr : bodies_[static_cast<std::size_t>(joint.carrier)];
    const std::size_t n = joint.motions.size();
    const auto place = [&](Joint::Properties& properties, bool first, bool last) {
      properties.mName = "j" + std::to_string(parts_);
      if (first) properties.mT_ParentBodyToJoint = transform(joint.in_carrier);
      if (last) properties.mT_ChildBodyToJoint = transform(joint.in_body);
    };
    if (n == 0) {
      WeldJoint::Properties properties;
      place(properties, true, true);
      at = add_part<WeldJoint>(at, properties, &inertia);
    }
    for (std::size_t k = 0; k < n; ++k) {
      const Motion& motion = joint.motions[joint.reversed ? n - 1 - k : k];
      const bool last = k + 1 == n;
      const witnesses::Inertia* carried = last ? &inertia : nullptr;
      if (motion.kind == Motion::Kind::ball) {
        BallJoint::Properties properties;
        place(properties, k == 0, last);
        at = add_part<BallJoint>(at, properties, carried);
      } else if (motion.kind == Motion::Kind::turn) {
        RevoluteJoint::Properties properties;
        place(properties, k == 0, last);
        properties.mAxis = vector(motion.axis);
        at = add_part<RevoluteJoint>(at, properties, carried);
      } else {
        PrismaticJoint::Properties properties;
        place(properties, k == 0, last);
        properties.mAxis = vector(motion.axis);
        at = add_part<PrismaticJoint>(at, properties, carried);
      }
      Step& step = steps_.emplace_back();
      step.kind = motion.kind;
      step.reversed = joint.reversed;
      step.joint = at->getParentJoint();
    }
    numbers_of_motions_.give(joint, steps_);
    bodies_.push_back(at);
  }
  void finish() override {}

  bool accelerate(const double* q, const double* u, const std::vector<double>& wrenches,
                  const std::vector<double>& efforts, double* udot) noexcept override {
    try {
      for (const Step& step : steps_) set_state(step, q, u, efforts);
      for (std::size_t i = 0; i < bodies_.size(); ++i) {
        bodies_[i]->setExtForce(vector(&wrenches[6 * i + 3]), Eigen::Vector3d::Zero(), false, true);
        bodies_[i]->addExtTorque(vector(&wrenches[6 * i]), false);
      }
      skeleton_->computeForwardDynamics();
      for (const Step& step : steps_) take_acceleration(step, q, udot);
      return true;
    } catch (const std::exception& problem) {
      failure_ = problem.what();
      return false;
    }
  }

 private:
  struct Step : witnesses::MotionStep {
    Joint* joint = nullptr;
  };

  template <class OfJoint>
  BodyNode* add_part(BodyNode* carrier, const typename OfJoint::Properties& joint, const witnesses::Inertia* inertia) {
    BodyNode::AspectProperties rigid("b" + std::to_string(parts_++));
    if (inertia != nullptr) {
      const double* const I = inertia->moments;
      Eigen::Matrix3d moments;
      moments << I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2];
      rigid.mInertia = Inertia(inertia->mass, vector(inertia->center), moments);
    } else {
      rigid.mInertia = Inertia(0, Eigen::Vector3d::Zero(), Eigen::Matrix3d::Zero());
    }
    return skeleton_->createJointAndBodyNodePair<OfJoint>(carrier, joint, rigid).second;
  }

  static void set_state(const Step& step, const double* q, const double* u, const std::vector<double>& efforts) {
    if (step.kind != Motion::Kind::ball) {
      const double sign = step.sign();
      step.joint->setPosition(0, sign * q[step.q]);
      step.joint->setVelocity(0, sign * u[step.u]);
      step.joint->setForce(0, efforts.empty() ? 0 : sign * efforts[step.u]);
      return;
    }
    const Eigen::Matrix3d R = step.turn(q);
    step.joint->setPositions(BallJoint::convertToPositions(step.reversed ? Eigen::Matrix3d(R.transpose()) : R));
    step.joint->setVelocities(step.to_engine(q, u));
    if (efforts.empty())
      step.joint->setForces(Eigen::Vector3d::Zero());
    else
      step.joint->setForces(step.to_engine(q, efforts.data()));
  }
  static void take_acceleration(const Step& step, const double* q, double* udot) {
    if (step.kind != Motion::Kind::ball) {
      udot[step.u] = step.sign() * step.joint->getAcceleration(0);
      return;
    }
    step.from_engine(q, step.joint->getAccelerations(), udot);
  }

  SkeletonPtr skeleton_ = Skeleton::create();
  std::vector<BodyNode*> bodies_;
  std::vector<Step> steps_;
  std::size_t parts_ = 0;
  witnesses::MotionNumbers numbers_of_motions_;
};

}  // namespace

std::unique_ptr<witnesses::EngineTree> make_tree(const double gravity[3]) {
  return std::make_unique<DartTree>(gravity);
}

}  // namespace polyform::dart_witness
