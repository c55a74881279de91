#include "framework/host/assembly/given_joint.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace polyform::host::inline assembly {

namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

/// The position coordinate whose rate a velocity coordinate is; none if there is no such.
std::size_t position_of(const JointData& whole, std::size_t velocity) {
  if (whole.kernel != nullptr) {
    const std::size_t from_end = whole.nv - velocity;
    return whole.nq - from_end;
  }
  std::size_t q = 0, v = 0;
  for (const Primitive& p : whole.primitives) {
    if (velocity < v + velocity_count(p.kind)) return p.kind == Primitive::Kind::ball ? none : q;
    q += position_count(p.kind);
    v += velocity_count(p.kind);
  }
  return none;
}

template <class List>
void leave(std::vector<std::size_t>& left, std::size_t count, const List& given, std::size_t GivenCoordinate::*what) {
  for (std::size_t k = 0; k < count; ++k)
    if (std::ranges::find(given, k, what) == given.end()) left.push_back(k);
}

}  // namespace

std::string mistake_in_given(const JointData& whole, std::vector<GivenCoordinate>& given) {
  std::ranges::sort(given, {}, &GivenCoordinate::velocity);
  for (std::size_t i = 0; i < given.size(); ++i) {
    GivenCoordinate& one = given[i];
    if (one.velocity >= whole.nv)
      return fmt::format("it gives velocity coordinate {} of a joint that has {}", one.velocity, whole.nv);
    if (i > 0 && given[i - 1].velocity == one.velocity)
      return fmt::format("it gives velocity coordinate {} twice", one.velocity);
    if (whole.kernel != nullptr && one.velocity != whole.nv - given.size() + i)
      return "it gives coordinates of its kernel that are not the last ones";
    one.position = position_of(whole, one.velocity);
    if (one.position == none) return "it gives a coordinate of a ball, which has none whose rate is its velocity";
  }
  return {};
}

GivenJoint::GivenJoint(const JointData& whole, std::vector<GivenCoordinate> given)
    : whole_(whole), given_(std::move(given)) {
  for (const GivenCoordinate& one : given_) functions_.push_back(one.function);
  leave(positions_, whole.nq, given_, &GivenCoordinate::position);
  leave(velocities_, whole.nv, given_, &GivenCoordinate::velocity);
  name_coordinates(whole.type);
  replace(self_);
}

void GivenJoint::name_coordinates(const JointType* type) {
  if (type != nullptr) {
    const TypeDescriptor& told = type->descriptor();
    for (const std::size_t k : positions_) type_.positions.push_back(told.positions[k]);
    for (const std::size_t k : velocities_) type_.velocities.push_back(told.velocities[k]);
  } else {
    using Kind = Variable::Kind;
    std::size_t q = 0;
    for (const Primitive& p : whole_.primitives) {
      const bool ball = p.kind == Primitive::Kind::ball, length = p.kind == Primitive::Kind::translation;
      for (std::size_t k = 0; k < position_count(p.kind); ++k, ++q)
        if (std::ranges::find(positions_, q) != positions_.end())
          type_.positions.push_back({.name = ball     ? "quaternion"
                                             : length ? "displacement"
                                                      : "angle",
                                     .unit = ball     ? "1"
                                             : length ? "m"
                                                      : "rad",
                                     .kind = ball     ? Kind::quaternion
                                             : length ? Kind::length
                                                      : Kind::angle});
    }
    std::size_t v = 0;
    for (const Primitive& p : whole_.primitives) {
      const bool length = p.kind == Primitive::Kind::translation;
      for (std::size_t k = 0; k < velocity_count(p.kind); ++k, ++v)
        if (std::ranges::find(velocities_, v) != velocities_.end())
          type_.velocities.push_back(
              {.name = length ? "velocity" : "angular velocity", .unit = length ? "m/s" : "rad/s"});
    }
  }
  type_.positions.push_back({.name = "time", .unit = "s"});
  type_.descriptor_.name = "given";
  type_.descriptor_.positions = type_.positions;
  type_.descriptor_.velocities = type_.velocities;
}

void GivenJoint::replace(JointData& joint) const {
  joint.primitives = {};
  joint.kernel = this;
  joint.parameters = {};
  joint.nq = positions_.size() + 1;
  joint.nv = velocities_.size();
  joint.type = &type_;
}

void GivenJoint::complete(const double* q, const double* v, Whole& whole) const noexcept {
  for (std::size_t k = 0; k < positions_.size(); ++k) whole.q[positions_[k]] = q[k];
  for (std::size_t k = 0; k < velocities_.size(); ++k) whole.v[velocities_[k]] = v == nullptr ? 0 : v[k];
  const double t = q[positions_.size()];
  for (const GivenCoordinate& one : given_) {
    const TimeFunction::Value value = one.function(t);
    whole.q[one.position] = value.value;
    whole.v[one.velocity] = value.rate;
  }
}

void GivenJoint::evaluate(const JointBatch& batch, Strided<JointMotion> out) const noexcept {
  for (std::size_t i = 0; i < batch.count; ++i) {
    Whole whole;
    const double* q = batch.q.data() + i * self_.nq;
    complete(q, batch.v.data() + i * self_.nv, whole);
    JointMotion motion;
    joint_motion(whole_, whole.q, whole.v, motion);
    JointMotion& m = out[i];
    m.R_FM = motion.R_FM;
    m.p_FM = motion.p_FM;
    m.twist = motion.twist;
    m.bias = motion.bias;
    for (std::size_t k = 0; k < velocities_.size(); ++k) m.H[k] = motion.H[velocities_[k]];
    for (const GivenCoordinate& one : given_) {
      const double acceleration = one.function(q[positions_.size()]).acceleration;
      if (acceleration != 0) m.bias += acceleration * motion.H[one.velocity];
    }
  }
}

void GivenJoint::position_rates(const JointBatch& batch, std::span<double> qdot) const noexcept {
  for (std::size_t i = 0; i < batch.count; ++i) {
    Whole whole;
    double rates[most_joint_positions];
    complete(batch.q.data() + i * self_.nq, batch.v.data() + i * self_.nv, whole);
    joint_position_rates(whole_, whole.q, whole.v, rates);
    double* out = qdot.data() + i * self_.nq;
    for (const std::size_t k : positions_) *out++ = rates[k];
    *out = 1;
  }
}

/// Over the coordinates that are left, for the whole joint might move the given ones.
void GivenJoint::coordinates(std::span<const double>, const Mat3& R_FM, const Vec3& p_FM,
                             std::span<double> q) const noexcept {
  if (!velocities_.empty()) nearest_joint_coordinates(self_, R_FM, p_FM, q.data());
}

Quat GivenJoint::orientation(std::span<const double>, std::span<const double> q) const noexcept {
  Whole whole;
  complete(q.data(), nullptr, whole);
  return joint_orientation(whole_, whole.q);
}

void GivenJoint::neutral(std::span<double> q) const noexcept {
  double whole[most_joint_positions];
  joint_neutral(whole_, whole);
  for (std::size_t k = 0; k < positions_.size(); ++k) q[k] = whole[positions_[k]];
  q[positions_.size()] = 0;
}

}  // namespace polyform::host::assembly
