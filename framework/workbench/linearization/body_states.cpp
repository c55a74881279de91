#include "framework/workbench/linearization/body_states.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <optional>

#include "framework/dense_equations.hpp"
#include "framework/diagnostics.hpp"
#include "framework/host/columns/body_axes_columns.hpp"
#include "polyform/mechanics/body_angles.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::host::inline linearization {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;

/// Nearer to gimbal lock, the rates of angles are over a hundred times ω: as in the option `angles` of thompson.
constexpr double least_clearance = 0.01;

Matrix3d eigen(const Mat3& m) {
  Matrix3d out;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) out(r, c) = m.m[3 * r + c];
  return out;
}
Matrix3d eigen(const std::array<Vec3, 3>& columns) {
  Matrix3d out;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) out(r, c) = columns[static_cast<std::size_t>(c)][static_cast<std::size_t>(r)];
  return out;
}
Vec3 vector_of(const Eigen::Vector3d& v) { return {v[0], v[1], v[2]}; }
Eigen::Vector3d eigen(const Vec3& v) { return {v.x, v.y, v.z}; }

/// A ball and the motions before it.
struct Ball {
  const JointData* joint;
  std::size_t q;      ///< of the quaternion, among all coordinates
  std::size_t w;      ///< of the angular velocity, among the velocities of the tree
  bool has_velocity;  ///< three translations along right angles stand before it: v is w − 3
  BodyAngles angles;
};

std::optional<Ball> ball_of(const JointData& joint, const BodyAngles& angles) {
  if (joint.reversed) return {};
  const std::span<const Primitive> p = joint.primitives;
  if (p.size() == 1 && p[0].kind == Primitive::Kind::ball)
    return Ball{&joint, joint.q_offset, joint.v_offset, false, angles};
  if (p.size() != 4 || p[3].kind != Primitive::Kind::ball) return {};
  for (std::size_t k = 0; k < 3; ++k) {
    Vec3 unit{};
    unit[k] = 1;
    if (p[k].kind != Primitive::Kind::translation || norm(p[k].axis - unit) > 0) return {};
  }
  return Ball{&joint, joint.q_offset + 3, joint.v_offset + 3, true, angles};
}

std::vector<Ball> balls_of(const System& system, const std::string& euler_angles) {
  const SystemView& view = system.view();
  const std::vector<BodyAngles> angles = body_angles(system, euler_angles);
  std::vector<Ball> balls;
  for (std::size_t i = 0; i < view.bodies.size(); ++i)
    if (const auto ball = ball_of(view.joints[i], angles[i])) balls.push_back(*ball);
  return balls;
}

/// The place of three coordinates among the independent ones; nothing if they are not among them.
std::optional<Index> place_of_three(const std::vector<std::size_t>& independent, std::size_t first,
                                    const JointData& joint) {
  const auto found = std::ranges::find(independent, first);
  std::size_t count = 0;
  for (std::size_t k = 0; k < 3; ++k) count += std::ranges::count(independent, first + k) > 0 ? 1u : 0u;
  if (count == 0) return {};
  if (count < 3)
    throw Failure(Exit::bad_input,
                  fmt::format("joint `{}` has no linear model in body axes: constraints make some of its coordinates "
                              "depend on others",
                              joint.name),
                  "Ask for the states of the independent coordinates, without --states body.");
  return static_cast<Index>(found - independent.begin());
}

class Transformation {
 public:
  Transformation(const System& system, const Linearization& linear, const std::string& euler_angles)
      : linear_(linear),
        T(Eigen::MatrixXd::Identity(linear.A.value.rows(), linear.A.value.rows())),
        rate(Eigen::MatrixXd::Zero(T.rows(), T.cols())),
        states(linear.states),
        values(Eigen::Map<const Eigen::VectorXd>(linear.values.data(), T.rows())) {
    bool any = false;
    for (const Ball& ball : balls_of(system, euler_angles)) any = add(ball) || any;
    if (!any)
      throw Failure(Exit::bad_input, "no joint of the model turns freely, so there are no states in body axes",
                    "Joints with one or two angles have these as states without --states body.");
  }

 private:
  bool add(const Ball& ball) {
    const MinimalCoordinates& choice = linear_.choice;
    const auto turn = place_of_three(choice.position.independent, ball.w, *ball.joint);
    const auto spin = place_of_three(choice.velocity.independent, ball.w, *ball.joint);
    if (!turn || !spin) return false;
    const Index w = static_cast<Index>(linear_.positions) + *spin;
    const double* q = linear_.nominal.q.data() + ball.q;
    const Mat3 R = rotation_matrix(normalized(Quat{q[0], q[1], q[2], q[3]})) * ball.joint->R_drawn;
    const Vec3 omega{linear_.nominal.v[ball.w], linear_.nominal.v[ball.w + 1], linear_.nominal.v[ball.w + 2]};
    put_angles(ball, *turn, R, omega);
    put_velocity(ball, *turn, w, R, omega, omega, "wb", "rad/s");
    if (!ball.has_velocity) return true;
    const auto slide = place_of_three(choice.velocity.independent, ball.w - 3, *ball.joint);
    if (!slide) return true;
    const double* v = linear_.nominal.v.data() + ball.w - 3;
    put_velocity(ball, *turn, static_cast<Index>(linear_.positions) + *slide, R, omega, {v[0], v[1], v[2]}, "vb",
                 "m/s");
    return true;
  }

  /// δβ = B⁻¹ δ, and d/dt B⁻¹ = −B⁻¹ Ḃ B⁻¹.
  void put_angles(const Ball& ball, Index turn, const Mat3& R, const Vec3& omega) {
    const Vec3 beta = ball.angles.of(R);
    if (ball.angles.clearance(beta) < least_clearance)
      throw Failure(Exit::bad_input,
                    fmt::format("joint `{}` is at gimbal lock of its Euler angles: their rates are not defined there",
                                ball.joint->name),
                    "Give its body another sequence with --euler-angles, such as zxy.");
    const std::array<Vec3, 3> columns = ball.angles.columns(beta);
    const Matrix3d inverse = eigen(columns).inverse();
    const Vec3 betadot = vector_of(inverse * eigen(omega));
    const Vec3 first = betadot.x * columns[0], second = first + betadot.y * columns[1];
    const Matrix3d B_rate = eigen(std::array<Vec3, 3>{Vec3{}, cross(first, columns[1]), cross(second, columns[2])});
    T.block<3, 3>(turn, turn) = inverse;
    rate.block<3, 3>(turn, turn) = -inverse * B_rate * inverse;
    for (std::size_t k = 0; k < 3; ++k) {
      const Index i = turn + static_cast<Index>(k);
      states[static_cast<std::size_t>(i)] = {fmt::format("{}.angle{}", ball.joint->name, k + 1), "rad"};
      values[i] = beta[k];
    }
  }

  /// δ(Rᵀ v) = Rᵀ (δv + v × δ), and its rate.
  void put_velocity(const Ball& ball, Index turn, Index at, const Mat3& R, const Vec3& omega, const Vec3& v,
                    const char* name, const char* unit) {
    const Matrix3d back = eigen(transpose(R)), spin = eigen(skew(omega));
    const double* vdot = linear_.rates.data() + at;
    T.block<3, 3>(at, at) = back;
    T.block<3, 3>(at, turn) = back * eigen(skew(v));
    rate.block<3, 3>(at, at) = -back * spin;
    rate.block<3, 3>(at, turn) = back * (eigen(skew(Vec3{vdot[0], vdot[1], vdot[2]})) - spin * eigen(skew(v)));
    const Vec3 in_body = transpose_times(R, v);
    constexpr const char* letters[] = {"x", "y", "z"};
    for (std::size_t k = 0; k < 3; ++k) {
      const Index i = at + static_cast<Index>(k);
      states[static_cast<std::size_t>(i)] = {fmt::format("{}.{}{}", ball.joint->name, name, letters[k]), unit};
      values[i] = in_body[k];
    }
  }

  const Linearization& linear_;

 public:
  Eigen::MatrixXd T, rate;
  std::vector<Channel> states;
  Eigen::VectorXd values;
};

}  // namespace

StateSpace to_body_states(const System& system, const Linearization& linear, const std::string& euler_angles) {
  const Transformation t(system, linear, euler_angles);
  const Eigen::MatrixXd inverse = inverse_of(t.T);
  const Eigen::Map<const Eigen::VectorXd> rates(linear.rates.data(), static_cast<Index>(linear.rates.size()));
  return {t.states,
          (t.T * linear.A.value + t.rate) * inverse,
          t.T * linear.B.value,
          linear.C.value * inverse,
          linear.D.value,
          t.values,
          t.T * rates};  // the velocities among the rates of positions are those that T turns with
}

}  // namespace polyform::host::inline linearization
