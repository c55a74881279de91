// For tests of joints: one instance by itself, without a model, a host or a solver.
//
//   polyform::testing::JointTest screw(example::screw());
//   screw.set("position", Vec3{}).set("axis", Vec3{0, 0, 1}).set("lead", 0.02);
//   screw.create();
//   screw.q = {1.5};
//   screw.v = {2};
//   assert(screw.motion().p_FM.z == 0.02 * 1.5);              // what the law says
//   assert(screw.twist_error() < 1e-9 && screw.bias_error() < 1e-8 && screw.round_trip_error() < 1e-12);
//
// Joints of primitives, joints with a kernel, and joints that depend on time are all tested in this way. Misuse throws
// std::invalid_argument, a refusal of define() std::runtime_error, both with a sentence.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "polyform/helpers/test_fields.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::testing {

/// One instance of a JointType. Coordinates are those of the whole joint. Coordinates that functions of time give, and
/// the time as the last coordinate of a kernel with a clock, are set to their values at `time` before each result.
class JointTest : public TestFields<JointTest> {
 public:
  /// The type outlives the object.
  explicit JointTest(const JointType& type) : TestFields(type.fields()), type_(type) {}

  /// The frames of the bodies in ground as drawn; both are at its origin unless they are placed.
  JointTest& place(const Pose& base, const Pose& moving) {
    base_ = base;
    moving_ = moving;
    return *this;
  }
  /// Passes define(); the joint is as drawn, at rest, at time 0. A refusal by define() throws its message.
  void create() {
    Sink sink;
    Definition definition(*this);
    if (!type_.define({.fields = fields_, .base = base_, .moving = moving_}, definition, sink) || sink.failed)
      throw std::runtime_error(sink.message.empty() ? "define() refuses the instance" : sink.message);
    data_.name = type_.name();
    data_.type = &type_;
    data_.primitives = primitives_;
    data_.parameters = parameters_;
    data_.kernel = primitives_.empty() ? type_.kernel() : nullptr;
    data_.nq = data_.kernel != nullptr ? type_.position_count() : 0;
    data_.nv = data_.kernel != nullptr ? type_.velocity_count() : 0;
    for (const Primitive& p : primitives_) data_.nq += position_count(p.kind), data_.nv += velocity_count(p.kind);
    for (const Given& g : given_)
      if (g.velocity >= data_.nv) throw std::runtime_error("define() gives a coordinate that the joint does not have");
    q.resize(data_.nq);
    v.assign(data_.nv, 0);
    joint_neutral(data_, q.data());
  }

  double time = 0;
  std::vector<double> q, v;

  /// The place where define() put the joint, in ground as drawn.
  const Vec3& position() const { return position_; }
  std::span<const double> parameters() const { return parameters_; }
  /// Pose, motion subspace, twist and bias at q, v and time, F axes.
  JointMotion motion() {
    set_clock();
    return motion_at(q, v);
  }
  /// q̇ = N(q) v.
  std::vector<double> position_rates() {
    set_clock();
    return rates_at(q, v);
  }
  /// Coordinates of a pose of M in F, nearest to q.
  std::vector<double> coordinates(const Mat3& R_FM, const Vec3& p_FM) {
    set_clock();
    std::vector<double> found = q;
    joint_coordinates(data_, R_FM, p_FM, found.data());
    return found;
  }
  /// The orientation of M in F, which follows q over many turns.
  Quat orientation() {
    set_clock();
    return joint_orientation(data_, q.data());
  }

  // Errors of the joint's formulas at q, v and time, relative to 1 or the largest term. They come from differences of
  // the pose, which have ten digits or so.

  /// Error of the columns of H, and of the twist, which includes the drift of the clock.
  double twist_error() {
    const JointMotion here = motion();
    double worst = 0;
    std::vector<double> one(data_.nv), still(data_.nv), step(data_.nq);
    const Spatial drift = motion_at(q, still).twist;
    for (std::size_t k = 0; k < data_.nv; ++k) {
      one[k] = 1;
      joint_position_step(data_, q.data(), one.data(), step.data());
      worst = std::max({worst, error(here.H[k], pose_rate(step)), error(motion_at(q, one).twist, drift + here.H[k])});
      one[k] = 0;
    }
    return std::max(worst, error(here.twist, pose_rate(rates_at(q, v))));
  }
  /// Error of the bias, by differences of the twist at v̇ = 0 (coordinates that functions give follow these).
  double bias_error() {
    const JointMotion here = motion();
    const std::vector<double> rates = rates_at(q, v);
    std::vector<double> accelerations(data_.nv);
    for (const Given& g : given_) accelerations[g.velocity] = g.function(time).acceleration;
    const Spatial found =
        difference([&](double h) { return motion_at(moved(q, rates, h), moved(v, accelerations, h)).twist; });
    return error(here.bias, found);
  }
  /// Error of the coordinates that the pose at q gives back, from a hint nearby.
  double round_trip_error() {
    const JointMotion here = motion();
    std::vector<double> aside(data_.nv, 0.05), step(data_.nq), found = q;
    for (const Given& g : given_) aside[g.velocity] = 0;
    joint_position_step(data_, q.data(), aside.data(), step.data());
    found = moved(q, step, 1);
    joint_normalize(data_, found.data());
    joint_coordinates(data_, here.R_FM, here.p_FM, found.data());
    double worst = 0;
    for (std::size_t k = 0; k < q.size(); ++k)
      worst = std::max(worst, std::abs(found[k] - q[k]) / std::max(1.0, std::abs(q[k])));
    return worst;
  }
  /// The kernel, for its further interfaces; throws if the joint is made of primitives.
  const JointKernel& kernel() const {
    if (data_.kernel == nullptr) throw std::invalid_argument("the joint has no kernel, or create() was not called");
    return *data_.kernel;
  }

 private:
  struct Given {
    std::size_t velocity;
    TimeFunction function;
  };
  class Definition final : public JointDefinition, private GivenCoordinates {
   public:
    explicit Definition(JointTest& test) : test_(test) {}
    void set_position(const Vec3& in_ground) noexcept override { test_.position_ = in_ground; }
    void add_primitive(Primitive::Kind kind, const Vec3& axis) noexcept override {
      test_.primitives_.push_back({kind, transpose_times(rotation_matrix(test_.base_.orientation), axis)});
    }
    void set_parameters(std::span<const double> values) noexcept override {
      test_.parameters_.assign(values.begin(), values.end());
    }
    void* query(std::string_view asked) noexcept override {
      return asked == GivenCoordinates::interface_name ? static_cast<GivenCoordinates*>(this) : nullptr;
    }

   private:
    void give(std::size_t velocity, const TimeFunction& function) noexcept override {
      test_.given_.push_back({velocity, function});
    }
    JointTest& test_;
  };

  /// The position coordinate whose rate is the given velocity coordinate.
  std::size_t position_of(std::size_t velocity) const {
    std::size_t at = data_.nq - data_.nv + velocity, passed = 0;  // for a kernel: one of the last nv
    if (data_.kernel != nullptr) return at;
    at = 0;
    for (const Primitive& p : primitives_) {
      if (passed >= velocity) break;
      passed += velocity_count(p.kind);
      at += position_count(p.kind);
    }
    return at;
  }
  void set_clock() {
    if (q.size() != data_.nq || v.size() != data_.nv)
      throw std::invalid_argument("q and v have not as many numbers as the joint has coordinates");
    if (rheonomic_kernel(data_) != nullptr) q.back() = time;
    for (const Given& g : given_) {
      const TimeFunction::Value now = g.function(time);
      q[position_of(g.velocity)] = now.value;
      v[g.velocity] = now.rate;
    }
  }
  JointMotion motion_at(const std::vector<double>& at, const std::vector<double>& velocities) const {
    JointMotion m;
    joint_motion(data_, at.data(), velocities.data(), m);
    for (const Given& g : given_) m.bias += g.function(time).acceleration * m.H[g.velocity];
    return m;
  }
  std::vector<double> rates_at(const std::vector<double>& at, const std::vector<double>& velocities) const {
    std::vector<double> rates(data_.nq);
    joint_position_rates(data_, at.data(), velocities.data(), rates.data());
    return rates;
  }
  static std::vector<double> moved(std::vector<double> from, const std::vector<double>& along, double by) {
    for (std::size_t k = 0; k < from.size(); ++k) from[k] += by * along[k];
    return from;
  }
  /// d/dh at 0 of a function, by five points.
  template <class Function>
  static Spatial difference(const Function& f) {
    constexpr double h = 1e-3;
    return (1 / (12 * h)) * (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h)));
  }
  /// The twist of a pose that moves along a direction of the coordinates.
  Spatial pose_rate(const std::vector<double>& along) const {
    const Mat3 R = motion_at(q, v).R_FM;
    return difference([&](double h) {
      const JointMotion there = motion_at(moved(q, along, h), v);
      return Spatial{rotation_vector(quaternion_of(times_transpose(there.R_FM, R))), there.p_FM};
    });
  }
  static double error(const Spatial& told, const Spatial& found) {
    return std::max(norm(told.angular - found.angular) / std::max(1.0, norm(found.angular)),
                    norm(told.linear - found.linear) / std::max(1.0, norm(found.linear)));
  }

  const JointType& type_;
  Pose base_, moving_;
  Vec3 position_;
  std::vector<Primitive> primitives_;
  std::vector<double> parameters_;
  std::vector<Given> given_;
  JointData data_;
};

}  // namespace polyform::testing
