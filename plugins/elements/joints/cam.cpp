// A cylindrical cam: turning about the axis lifts along it, by a table of any length.
#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <numbers>
#include <vector>

#include "joint_fields.hpp"
#include "joint_types.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::joints {
namespace {

constexpr double turn = 2 * std::numbers::pi;

enum Field : std::size_t { position, axis, lift };
constexpr std::array specs{position_field, axis_field("axis of the cam, in ground as drawn"),
                           FieldSpec{.name = "lift",
                                     .type = FieldType::numbers,
                                     .unit = "m",
                                     .meaning = "displacement along the axis at equal angles of one turn, the first as "
                                                "drawn; a smooth periodic curve goes through them",
                                     .required = true}};

/// The parameters of an instance, as define() orders them: axis in F axes; then lift and slope of its slope at n
/// angles.
///
/// The periodic cubic spline through (kh, s_k), h = 2π/n, with second derivatives c_k:
///   c_{k−1} + 4 c_k + c_{k+1} = 6 (s_{k−1} − 2 s_k + s_{k+1}) / h²      (de Boor, A Practical Guide to Splines, ch.
///   IV)
class Curve {
 public:
  explicit Curve(std::span<const double> p) noexcept
      : p_(p), n_((p.size() - head) / 2), step_(turn / static_cast<double>(n_)) {}
  static constexpr std::size_t head = 3;

  Vec3 axis() const noexcept { return {p_[0], p_[1], p_[2]}; }
  struct Point {
    double lift, slope, curvature;  ///< m, m/rad, m/rad²
  };
  /// At an angle of any number of turns.
  Point at(double angle) const noexcept {
    const double along = angle - turn * std::floor(angle / turn);
    const std::size_t k = std::min(static_cast<std::size_t>(along / step_), n_ - 1), next = k + 1 < n_ ? k + 1 : 0;
    const double h = step_, b = along / h - static_cast<double>(k), a = 1 - b;
    const double s0 = lift(k), s1 = lift(next), c0 = curvature(k), c1 = curvature(next);
    return {a * s0 + b * s1 + h * h / 6 * ((a * a * a - a) * c0 + (b * b * b - b) * c1),
            (s1 - s0) / h + h / 6 * ((3 * b * b - 1) * c1 - (3 * a * a - 1) * c0), a * c0 + b * c1};
  }

 private:
  double lift(std::size_t k) const noexcept { return p_[head + k]; }
  double curvature(std::size_t k) const noexcept { return p_[head + n_ + k]; }
  std::span<const double> p_;
  std::size_t n_;
  double step_;
};

/// Solves c_{k−1} + 4 c_k + c_{k+1} = r_k with c_{k+n} = c_k, n ≥ 3: without the corners by elimination, and these by
/// the formula of Sherman and Morrison with the vector w = (1, 0 …, 0, 1).
void solve_periodic(std::span<const double> right, std::span<double> c) {
  const std::size_t n = right.size();
  std::vector<double> ratio(n), z(n);
  const auto eliminate = [&](auto of_row, std::span<double> out) {
    // The first and last diagonal entries are 3: the corners are taken out as w wᵀ.
    double pivot = 3;
    out[0] = of_row(0) / pivot;
    for (std::size_t k = 1; k < n; ++k) {
      ratio[k] = 1 / pivot;
      pivot = (k + 1 < n ? 4.0 : 3.0) - ratio[k];
      out[k] = (of_row(k) - out[k - 1]) / pivot;
    }
    for (std::size_t k = n - 1; k > 0; --k) out[k - 1] -= ratio[k] * out[k];
  };
  eliminate([&](std::size_t k) { return right[k]; }, c);
  eliminate([&](std::size_t k) { return k == 0 || k + 1 == n ? 1.0 : 0.0; }, z);
  const double share = (c[0] + c[n - 1]) / (1 + z[0] + z[n - 1]);
  for (std::size_t k = 0; k < n; ++k) c[k] -= share * z[k];
}

//   R_FM = Rot(axis, q),  p_FM = s(q) axis,  H = [axis; s′ axis],  Ḣ v = [0; s″ v² axis],  q̇ = v
class CamKernel final : public JointKernel {
 public:
  void evaluate(const JointBatch& batch, Strided<JointMotion> out) const noexcept override {
    for (std::size_t i = 0; i < batch.count; ++i) {
      const Curve curve(batch.parameters[i]);
      const double q = batch.q[i], v = batch.v[i];
      const Curve::Point point = curve.at(q);
      const Vec3 a = curve.axis();
      JointMotion& m = out[i];
      m.R_FM = axis_rotation(a, std::cos(q), std::sin(q));
      m.p_FM = point.lift * a;
      m.H[0] = {a, point.slope * a};
      m.twist = v * m.H[0];
      m.bias = {{}, point.curvature * v * v * a};
    }
  }
  void position_rates(const JointBatch& batch, std::span<double> qdot) const noexcept override {
    for (std::size_t i = 0; i < batch.count; ++i) qdot[i] = batch.v[i];
  }
  /// The angle comes from the orientation, the number of turns from the hint.
  void coordinates(std::span<const double> parameters, const Mat3& R, const Vec3&,
                   std::span<double> q) const noexcept override {
    const Vec3 a = Curve(parameters).axis(), twice_sine{R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
    const double angle = std::atan2(dot(a, twice_sine), R(0, 0) + R(1, 1) + R(2, 2) - dot(a, R * a));
    q[0] = angle + turn * std::round((q[0] - angle) / turn);
  }
  Quat orientation(std::span<const double> parameters, std::span<const double> q) const noexcept override {
    return axis_angle(Curve(parameters).axis(), q[0]);
  }
  void neutral(std::span<double> q) const noexcept override { q[0] = 0; }
};

constexpr Variable positions[] = {{.name = "angle", .unit = "rad", .kind = Variable::Kind::angle}};
constexpr Variable velocities[] = {{.name = "angular velocity", .unit = "rad/s"}};

class Cam final : public JointType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "cam",
        .meaning = "turns about axis and is lifted along it by a table; coordinate: angle, rad",
        .fields = specs,
        .positions = positions,
        .velocities = velocities};
    return descriptor;
  }
  bool define(const JointInstance& joint, JointDefinition& definition, FieldSink& sink) const noexcept override {
    const std::span<const double> lifts = joint.fields[lift].numbers;
    if (lifts.size() < 3) {
      sink.report(Severity::error, 0, lift,
                  Message("a curve over one turn takes three lifts at least, not {}", lifts.size()),
                  "Give the lifts at equal angles, such as [0, 0.01, 0.02, 0.01].");
      return false;
    }
    try {
      const Vec3 a = transpose_times(rotation_matrix(joint.base.orientation), joint.fields[axis].vector);
      const std::vector<double> parameters = parameters_of(a, lifts);
      // Products of slopes, lifts and masses remain numbers.
      constexpr double largest = 1e100;
      if (!std::ranges::all_of(parameters, [](double x) { return std::abs(x) <= largest; })) {
        sink.report(Severity::error, 0, lift, "the lifts are so large that the curve through them cannot be computed",
                    "Give the lifts in m.");
        return false;
      }
      definition.set_position(joint.fields[position].vector);
      definition.set_parameters(parameters);
      return true;
    } catch (const std::bad_alloc&) {
      sink.report(Severity::error, 0, lift, "no memory is left for the table of lifts", "Give fewer of them.");
      return false;
    }
  }
  const JointKernel* kernel() const noexcept override {
    static constexpr CamKernel kernel;
    return &kernel;
  }

 private:
  /// Lifts count from the first one, for the joint is drawn with its coordinate zero.
  static std::vector<double> parameters_of(const Vec3& axis, std::span<const double> lifts) {
    const std::size_t n = lifts.size();
    const double step = turn / static_cast<double>(n);
    std::vector<double> p{axis.x, axis.y, axis.z}, right(n);
    for (const double s : lifts) p.push_back(s - lifts[0]);
    for (std::size_t k = 0; k < n; ++k)
      right[k] = 6 * (lifts[(k + n - 1) % n] - 2 * lifts[k] + lifts[(k + 1) % n]) / (step * step);
    p.resize(Curve::head + 2 * n);
    solve_periodic(right, std::span(p).subspan(Curve::head + n));
    return p;
  }
};

}  // namespace

const JointType& cam() noexcept {
  static constexpr Cam type;
  return type;
}

}  // namespace polyform::joints
