// A tree as a btMultiBody, which finds accelerations by Featherstone's articulated-body algorithm.
//
// Links of Bullet have their frame in their mass centre, along their principal axes. So a motion leads to a link
// without mass, whose frame is that of the joint; the body hangs on the last of them as a link of its own, which does
// not move against it. Bullet knows gravity only as forces on links, and adds accelerations times a step of time to the
// velocities: a step of 1 s gives them back.
#include "bullet_tree.hpp"

#include <BulletDynamics/Featherstone/btMultiBody.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "../motion_steps.hpp"

namespace polyform::bullet {
namespace {

using witnesses::Carrying;
using witnesses::Frame;
using witnesses::Motion;

Eigen::Vector3d vector(const double* v) { return {v[0], v[1], v[2]}; }
Eigen::Matrix3d matrix(const double* rows) {
  return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(rows);
}
btVector3 bt(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }
btQuaternion quaternion(const Eigen::Matrix3d& rotation) {
  const Eigen::Quaterniond q(rotation);
  return {q.x(), q.y(), q.z(), q.w()};
}
Eigen::Matrix3d matrix(const btQuaternion& q) {
  return Eigen::Quaterniond(q.w(), q.x(), q.y(), q.z()).toRotationMatrix();
}

class BulletTree final : public witnesses::EngineTree {
 public:
  explicit BulletTree(const double gravity[3]) : gravity_(vector(gravity)) {}

  void add(const Carrying& joint, const witnesses::Inertia& inertia) override { bodies_.push_back({joint, inertia}); }

  void finish() override {
    std::size_t links = 0;
    for (const Body& body : bodies_) links += 1 + std::max<std::size_t>(body.joint.motions.size(), 1);
    multibody_ = std::make_unique<btMultiBody>(static_cast<int>(links), 1, btVector3(1, 1, 1), true, false);
    for (Body& body : bodies_) add_links(body);
    multibody_->finalizeMultiDof();
    multibody_->setLinearDamping(0);
    multibody_->setAngularDamping(0);
    multibody_->setUseGyroTerm(true);
    multibody_->setMaxCoordinateVelocity(BT_LARGE_FLOAT);
    rotations_.resize(links);
  }

  bool accelerate(const double* q, const double* u, const std::vector<double>& wrenches,
                  const std::vector<double>& efforts, double* udot) noexcept override {
    multibody_->clearForcesAndTorques();
    for (const Step& step : steps_) set_state(step, q, u, efforts);
    find_rotations();
    for (std::size_t i = 0; i < bodies_.size(); ++i) add_load(bodies_[i], &wrenches[6 * i]);
    multibody_->computeAccelerationsArticulatedBodyAlgorithmMultiDof(1, numbers_, vectors_, matrices_, false, false,
                                                                     false);
    for (const Step& step : steps_) take_acceleration(step, q, u, udot);
    return true;
  }

 private:
  struct Body {
    Carrying joint;
    witnesses::Inertia inertia;
    int frame = -1, mass = -1;  ///< links: of the joint's frame, and the body itself
  };
  struct Step : witnesses::MotionStep {
    int link = -1;
  };

  void add_links(Body& body) {
    const Carrying& joint = body.joint;
    int carrier = -1;
    Eigen::Matrix3d axes = matrix(joint.in_carrier.axes);
    Eigen::Vector3d origin = vector(joint.in_carrier.origin);
    if (joint.carrier >= 0) {
      const Body& on = bodies_[static_cast<std::size_t>(joint.carrier)];
      carrier = on.frame;
      const Eigen::Matrix3d to_frame = matrix(on.joint.in_body.axes).transpose();
      axes = to_frame * axes;
      origin = to_frame * (origin - vector(on.joint.in_body.origin));
    }
    const btVector3 none(0, 0, 0);
    const std::size_t n = joint.motions.size();
    if (n == 0)
      multibody_->setupFixed(body.frame = links_++, 0, none, carrier, quaternion(axes.transpose()), bt(origin), none);
    for (std::size_t k = 0; k < n; ++k) {
      const Motion& motion = joint.motions[joint.reversed ? n - 1 - k : k];
      const btQuaternion turned = k == 0 ? quaternion(axes.transpose()) : btQuaternion::getIdentity();
      const btVector3 pivot = k == 0 ? bt(origin) : none, axis = bt(vector(motion.axis));
      const int link = links_++;
      if (motion.kind == Motion::Kind::ball)
        multibody_->setupSpherical(link, 0, none, carrier, turned, pivot, none);
      else if (motion.kind == Motion::Kind::turn)
        multibody_->setupRevolute(link, 0, none, carrier, turned, axis, pivot, none);
      else
        multibody_->setupPrismatic(link, 0, none, carrier, turned, axis, pivot, none, true);
      Step& step = steps_.emplace_back();
      step.kind = motion.kind;
      step.reversed = joint.reversed;
      step.link = link;
      carrier = body.frame = link;
    }
    numbers_of_motions_.give(joint, steps_);
    const double* const I = body.inertia.moments;
    Eigen::Matrix3d moments;
    moments << I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2];
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(moments);
    Eigen::Matrix3d principal = solver.eigenvectors();
    if (principal.determinant() < 0) principal.col(0) *= -1;
    const Eigen::Matrix3d to_body = matrix(joint.in_body.axes);
    const Eigen::Vector3d center = to_body.transpose() * (vector(body.inertia.center) - vector(joint.in_body.origin));
    multibody_->setupFixed(body.mass = links_++, body.inertia.mass, bt(solver.eigenvalues()), body.frame,
                           quaternion(principal.transpose() * to_body), bt(center), none);
  }

  void set_state(const Step& step, const double* q, const double* u, const std::vector<double>& efforts) {
    if (step.kind != Motion::Kind::ball) {
      const double sign = step.sign();
      multibody_->setJointPos(step.link, sign * q[step.q]);
      multibody_->setJointVel(step.link, sign * u[step.u]);
      if (!efforts.empty()) multibody_->addJointTorque(step.link, sign * efforts[step.u]);
      return;
    }
    const double* const given = q + step.q;
    const double sign = step.sign();
    const double turned[4] = {sign * given[1], sign * given[2], sign * given[3], given[0]};
    multibody_->setJointPosMultiDof(step.link, turned);
    multibody_->setJointVelMultiDof(step.link, step.to_engine(q, u).data());
    if (!efforts.empty()) multibody_->addJointTorqueMultiDof(step.link, step.to_engine(q, efforts.data()).data());
  }
  void find_rotations() {
    for (int i = 0; i < links_; ++i) {
      const int carrier = multibody_->getParent(i);
      const Eigen::Matrix3d against = matrix(multibody_->getParentToLocalRot(i)).transpose();
      Eigen::Matrix3d& R = rotations_[static_cast<std::size_t>(i)];
      if (carrier < 0)
        R = against;
      else
        R.noalias() = rotations_[static_cast<std::size_t>(carrier)] * against;
    }
  }
  void add_load(const Body& body, const double* wrench) {
    const Eigen::Matrix3d R =
        rotations_[static_cast<std::size_t>(body.frame)] * matrix(body.joint.in_body.axes).transpose();
    const Eigen::Vector3d force = vector(wrench + 3), to_center = R * vector(body.inertia.center);
    multibody_->addLinkForce(body.mass, bt(body.inertia.mass * gravity_ + force));
    multibody_->addLinkTorque(body.mass, bt(vector(wrench) - to_center.cross(force)));
  }
  void take_acceleration(const Step& step, const double* q, const double* u, double* udot) const {
    const double* const after = multibody_->getJointVelMultiDof(step.link);
    if (step.kind != Motion::Kind::ball) {
      udot[step.u] = step.sign() * after[0] - u[step.u];
      return;
    }
    step.from_engine(q, vector(after) - step.to_engine(q, u), udot);
  }

  Eigen::Vector3d gravity_;
  std::vector<Body> bodies_;
  std::vector<Step> steps_;
  std::unique_ptr<btMultiBody> multibody_;
  int links_ = 0;
  witnesses::MotionNumbers numbers_of_motions_;
  std::vector<Eigen::Matrix3d> rotations_;  ///< of the links, in ground
  btAlignedObjectArray<btScalar> numbers_;
  btAlignedObjectArray<btVector3> vectors_;
  btAlignedObjectArray<btMatrix3x3> matrices_;
};

}  // namespace

std::unique_ptr<witnesses::EngineTree> make_tree(const double gravity[3]) {
  return std::make_unique<BulletTree>(gravity);
}

}  // namespace polyform::bullet
