#include "tests/elements/joint_case.hpp"

#include <algorithm>
#include <numbers>

#include "plugins/elements/joints/joint_types.hpp"
#include "sdk/examples/helical-joint/helical_joint.hpp"

namespace polyform::test {
namespace {

Eigen::Vector3d eigen(const Vec3& v) { return {v.x, v.y, v.z}; }
Eigen::Matrix3d eigen(const Mat3& m) { return Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(m.m); }
Eigen::Isometry3d eigen(const Pose& p) {
  const Quat& q = p.orientation;
  return Eigen::Translation3d(eigen(p.position)) * Eigen::Quaterniond(q.w, q.x, q.y, q.z);
}
Eigen::Isometry3d shift(const Vec3& direction, double distance) {
  return Eigen::Isometry3d(Eigen::Translation3d(distance * eigen(direction)));
}
template <class Rotation>
Eigen::Isometry3d about(const Vec3& point, const Rotation& rotation) {
  return Eigen::Translation3d(eigen(point)) * rotation * Eigen::Translation3d(-eigen(point));
}
Eigen::AngleAxisd angle(double a, const Vec3& axis) { return {a, eigen(axis)}; }

/// A direction that makes an angle of at least 20 degrees with another.
Vec3 oblique(const Vec3& to, Random& random) {
  for (;;) {
    const Vec3 d = random.direction();
    if (norm(cross(d, to)) > 0.34) return d;
  }
}

}  // namespace

const JointType& joint_type(std::string_view name) {
  using namespace joints;
  if (name == "helical") return example::helical_joint();
  for (const JointType* type :
       {&fixed(), &revolute(), &prismatic(), &cylindrical(), &planar(), &universal(), &spherical(), &joints::free(),
        &perpendicular(), &parallel(), &point_on_line(), &point_on_plane()})
    if (type->name() == name) return *type;
  throw std::invalid_argument("no joint type " + std::string(name));
}

JointCase::JointCase(std::string_view name, Random& random)
    : base_(random.pose()),
      moving_(random.pose()),
      position_(random.vector(1)),
      axis_(random.direction()),
      axis2_(oblique(axis_, random)),
      pitch_(random.uniform(0.05, 0.5) * (random.integer(0, 1) == 0 ? -1 : 1)),
      name_(name) {
  if (name == "planar" || name == "point-on-plane") {
    axis2_ -= dot(axis_, axis2_) * axis_;
    axis2_ *= 1 / norm(axis2_);
  }
  const JointType& type = joint_type(name);
  FieldSet fields(type.fields());
  for (const FieldSpec& spec : type.fields()) {
    if (spec.name == "position") fields.vector("position", position_);
    if (spec.name == "axis") fields.vector("axis", axis_);
    if (spec.name == "axis2") fields.vector("axis2", axis2_);
    if (spec.name == "pitch") fields.number("pitch", pitch_);
  }
  RecordingSink sink(type.fields());
  if (!type.define({.fields = fields.values(), .base = base_, .moving = moving_}, defined_, sink))
    throw std::runtime_error(sink.reports.at(0));
  const BodyIndex a = system_.add_body("base", base_, 1, {}, {}), b = system_.add_body("moving", moving_, 1, {}, {});
  const JointIndex index = system_.add_joint("joint", a, b, defined_.position, defined_.primitives);
  if (type.kernel() != nullptr) {
    JointData& joint = system_.joint(index);
    joint.kernel = type.kernel();
    joint.parameters = defined_.parameters;
    joint.nq = type.position_count();
    joint.nv = type.velocity_count();
  }
  view_ = &system_.view();
}

Eigen::Isometry3d JointCase::promised(const BodyMotion& base, const double* q) const {
  // Motion of the moving body in ground if base stayed as drawn; base then carries it along.
  const Eigen::Matrix3d R_base = eigen(base_).linear();
  const auto in_base_axes = [&](const double* r) {
    return Eigen::Quaterniond(R_base * Eigen::Quaterniond(r[0], r[1], r[2], r[3]).normalized() * R_base.transpose());
  };
  const auto displaced = [&](const double* r) {
    return Eigen::Translation3d(R_base * Eigen::Vector3d(r[0], r[1], r[2]));
  };
  Eigen::Isometry3d J = Eigen::Isometry3d::Identity();
  if (name_ == "revolute") J = about(position_, angle(q[0], axis_));
  if (name_ == "prismatic") J = shift(axis_, q[0]);
  if (name_ == "cylindrical") J = shift(axis_, q[0]) * about(position_, angle(q[1], axis_));
  if (name_ == "planar")
    J = shift(axis2_, q[0]) * shift(cross(axis_, axis2_), q[1]) * about(position_, angle(q[2], axis_));
  if (name_ == "universal") J = about(position_, angle(q[0], axis_)) * about(position_, angle(q[1], axis2_));
  if (name_ == "spherical") J = about(position_, in_base_axes(q));
  if (name_ == "free") J = displaced(q) * about(moving_.position, in_base_axes(q + 3));
  if (name_ == "perpendicular")
    J = displaced(q) * about(position_, angle(q[3], axis_)) * about(position_, angle(q[4], axis2_));
  if (name_ == "parallel") J = displaced(q) * about(position_, angle(q[3], axis_));
  if (name_ == "point-on-line") J = shift(axis_, q[0]) * about(position_, in_base_axes(q + 1));
  if (name_ == "point-on-plane")
    J = shift(axis2_, q[0]) * shift(cross(axis_, axis2_), q[1]) * about(position_, in_base_axes(q + 2));
  if (name_ == "helical")
    J = shift(axis_, pitch_ * q[0] / (2 * std::numbers::pi)) * about(position_, angle(q[0], axis_));
  Eigen::Isometry3d now = Eigen::Isometry3d::Identity();
  now.linear() = eigen(base.R);
  now.translation() = eigen(base.p);
  return now * eigen(base_).inverse() * J * eigen(moving_);
}

Coordinates random_coordinates(const JointData& joint, Random& random) {
  Coordinates c;
  double* q = c.q.data();
  for (std::size_t i = 0; i < joint.nv; ++i) c.v[i] = random.uniform(-2, 2);
  if (joint.kernel != nullptr) *q = random.uniform(-100, 100);
  for (const Primitive& p : joint.primitives) {
    const Quat r = random.quaternion();
    if (p.kind == Primitive::Kind::ball) std::copy_n(std::array{r.w, r.x, r.y, r.z}.begin(), 4, q);
    if (p.kind == Primitive::Kind::rotation) *q = random.uniform(-100, 100);
    if (p.kind == Primitive::Kind::translation) *q = random.uniform(-2, 2);
    q += position_count(p.kind);
  }
  return c;
}

Coordinates advanced(const JointData& joint, Coordinates c, const std::array<double, 6>& vdot, double time) {
  constexpr int steps = 4;
  const double h = time / steps;
  using Q = std::array<double, 8>;
  const auto offset = [](const Q& q, double s, const Q& k) {
    Q out = q;
    for (std::size_t i = 0; i < q.size(); ++i) out[i] += s * k[i];
    return out;
  };
  for (int step = 0; step < steps; ++step) {
    const auto at = [&](double s) {
      std::array<double, 6> v = c.v;
      for (std::size_t i = 0; i < v.size(); ++i) v[i] += s * vdot[i];
      return v;
    };
    const auto slope = [&](const Q& q, double s) {
      Q k{};
      joint_position_rates(joint, q.data(), at(s).data(), k.data());
      return k;
    };
    const Q k1 = slope(c.q, 0), k2 = slope(offset(c.q, h / 2, k1), h / 2), k3 = slope(offset(c.q, h / 2, k2), h / 2),
            k4 = slope(offset(c.q, h, k3), h);
    for (std::size_t i = 0; i < c.q.size(); ++i) c.q[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    c.v = at(h);
  }
  return c;
}

}  // namespace polyform::test
