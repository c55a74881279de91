// Elements written for the tests, straight against the contract.
#pragma once

#include "mechanisms.hpp"

namespace polyform::test {

inline constexpr Variable state_names[] = {{.name = "torque", .unit = "N m"}};

/// A torque on a revolute joint that follows its state x, which decays: ẋ = −x.
class FadingTorque final : public ForceType, public ForceBatch {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "fading-torque", .meaning = "a torque that decays", .states = state_names};
    return descriptor;
  }
  bool define(ElementInstance&, std::size_t, FieldSink&) const noexcept override { return true; }
  ForceBatch* create(Strided<const ElementInstance>) const noexcept override { return const_cast<FadingTorque*>(this); }
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    out.efforts[0] = in.states[0];
    out.state_rates[0] = -in.states[0];
    out.power = in.states[0] * in.v[0];
  }
  void destroy() noexcept override {}
};

/// Joint coordinate = 0.5 sin(2 t).
class DrivenAngle final : public ConstraintType, public ConstraintBatch {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{.name = "driven-angle", .meaning = "a prescribed angle"};
    return descriptor;
  }
  bool holonomic() const noexcept override { return true; }
  std::size_t rows(const ElementInstance&) const noexcept override { return 1; }
  bool define(ElementInstance&, std::size_t, FieldSink&) const noexcept override { return true; }
  ConstraintBatch* create(Strided<const ElementInstance>) const noexcept override {
    return const_cast<DrivenAngle*>(this);
  }
  void evaluate(const ForceInput& in, ConstraintOutput& out) noexcept override {
    out.B[0] = 1;
    out.residual[0] = in.q[0] - 0.5 * std::sin(2 * in.time);
    out.velocity_right[0] = std::cos(2 * in.time);
    out.acceleration_right[0] = -2 * std::sin(2 * in.time);
  }
  void destroy() noexcept override {}
};

/// A knife edge: the marker's point does not move along its body's y axis.
class KnifeEdge final : public ConstraintType, public ConstraintBatch {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{.name = "knife-edge", .meaning = "no sideways velocity"};
    return descriptor;
  }
  bool holonomic() const noexcept override { return false; }
  std::size_t rows(const ElementInstance&) const noexcept override { return 1; }
  bool define(ElementInstance&, std::size_t, FieldSink&) const noexcept override { return true; }
  ConstraintBatch* create(Strided<const ElementInstance>) const noexcept override {
    return const_cast<KnifeEdge*>(this);
  }
  void evaluate(const ForceInput& in, ConstraintOutput& out) noexcept override {
    const MarkerMotion& m = in.markers[0];
    const Vec3 sideways = m.R.column(1);
    out.A[0] = {{}, sideways};
    out.acceleration_right[0] = -dot(cross(m.angular_velocity, sideways), m.velocity);
  }
  void destroy() noexcept override {}
};

/// A screw along F's z axis with pitch p (m/rad), as a joint that is code: one coordinate, the angle.
class Screw final : public JointKernel {
 public:
  void evaluate(const JointBatch& batch, Strided<JointMotion> out) const noexcept override {
    for (std::size_t i = 0; i < batch.count; ++i) {
      const double pitch = batch.parameters[i][0], q = batch.q[i];
      out[i].R_FM = axis_rotation(z_axis, std::cos(q), std::sin(q));
      out[i].p_FM = {0, 0, pitch * q};
      out[i].H[0] = {z_axis, {0, 0, pitch}};
      out[i].twist = batch.v[i] * out[i].H[0];
      out[i].bias = {};
    }
  }
  void position_rates(const JointBatch& batch, std::span<double> qdot) const noexcept override {
    std::copy(batch.v.begin(), batch.v.end(), qdot.begin());
  }
  void coordinates(std::span<const double> parameters, const Mat3&, const Vec3& p,
                   std::span<double> q) const noexcept override {
    q[0] = p.z / parameters[0];
  }
  void neutral(std::span<double> q) const noexcept override { q[0] = 0; }
  Quat orientation(std::span<const double>, std::span<const double> q) const noexcept override {
    return axis_angle(z_axis, q[0]);
  }
};

}  // namespace polyform::test
