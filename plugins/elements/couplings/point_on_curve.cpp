// A point of one body on a curve that is fixed in another: beads on wires, rollers in curved guides, cars on rails.
#include <algorithm>
#include <array>
#include <cmath>
#include <new>
#include <vector>

#include "coupling_types.hpp"
#include "polyform/contract/value_ranges.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "polyform/helpers/spline.hpp"

namespace polyform::couplings {
namespace {

enum Field : std::size_t { position, curve, closed };
constexpr std::array specs{
    FieldSpec{.name = "position",
              .type = FieldType::vector3,
              .unit = "m",
              .meaning = "the point of the moving body, and the first point of the curve, in ground as drawn",
              .required = true,
              .tied_to_ground = true},
    FieldSpec{.name = "curve",
              .type = FieldType::matrix,
              .unit = "m",
              .meaning =
                  "rows [x, y, z] along the curve, which is fixed in base, in ground axes as drawn; it is moved so "
                  "that the first row is at position",
              .required = true,
              .tied_to_ground = true},
    FieldSpec{.name = "closed",
              .type = FieldType::boolean,
              .unit = "",
              .meaning = "the curve returns to its first row; else it goes on straight beyond its ends",
              .default_text = "false"}};

/// The parameters of an instance: whether the curve is closed; at its n points the length s of the straight lines
/// before them, then x, x″, y, y″, z and z″ by s, in F axes from the first point.
class Curve {
 public:
  explicit Curve(std::span<const double> p) noexcept : p_(p), n_((p.size() - 1) / 7) {}
  struct Point {
    Vec3 place, slope, curvature;
  };
  Point at(double s) const noexcept {
    Point point;
    for (std::size_t k = 0; k < 3; ++k) {
      const Spline::Point c = Spline::at(column(0), column(1 + 2 * k), column(2 + 2 * k), closed(), s);
      point.place[k] = c.value;
      point.slope[k] = c.slope;
      point.curvature[k] = c.curvature;
    }
    return point;
  }
  bool closed() const noexcept { return p_[0] != 0; }
  double length() const noexcept { return column(0).back(); }

  /// The place of the curve's point next to r, from a start on: Newton's method for c′·(c − r) = 0, downhill.
  double next_to(const Vec3& r, double s) const noexcept {
    constexpr int most = 60;
    double step = 0, before = gap(r, s);
    for (int k = 0; k < most; ++k) {
      const Point c = at(s);
      const Vec3 away = c.place - r;
      const double slope = dot(c.slope, away), size = dot(c.slope, c.slope), bend = size + dot(c.curvature, away);
      step = -slope / (bend > 0.1 * size ? bend : size);
      double now = gap(r, s + step);
      for (int half = 0; half < 30 && now > before; ++half) now = gap(r, s + (step *= 0.5));
      s += step;
      before = now;
      if (std::abs(step) <= 1e-15 * length()) break;
    }
    return s;
  }
  /// The same over the whole curve: each part between two points is tried from both ends and the middle.
  double nearest_to(const Vec3& r, double hint) const noexcept {
    const double first = next_to(r, hint);
    constexpr double on_the_curve = 1e-9;
    double best = first, least = gap(r, first);
    if (least < on_the_curve * length()) return first;
    const std::span<const double> s = column(0);
    double start = hint;
    double from = least;
    for (std::size_t k = 0; k + 1 < n_; ++k)
      for (const double share : {0.0, 0.25, 0.5, 0.75}) {
        const double there = s[k] + share * (s[k + 1] - s[k]);
        if (gap(r, there) < from) from = gap(r, start = there);
      }
    if (const double other = next_to(r, start); gap(r, other) < least) best = other;
    return closed() ? best + length() * std::round((hint - best) / length()) : best;
  }

 private:
  double gap(const Vec3& r, double s) const noexcept { return norm(at(s).place - r); }
  std::span<const double> column(std::size_t k) const noexcept { return p_.subspan(1 + k * n_, n_); }
  std::span<const double> p_;
  std::size_t n_;
};

//   p_FM = c(s),  R_FM of the quaternion;  H = [0; c′], [e_k; 0];  Ḣ v = [0; c″ ṡ²]
class CurveKernel final : public JointKernel {
 public:
  void evaluate(const JointBatch& batch, Strided<JointMotion> out) const noexcept override {
    for (std::size_t i = 0; i < batch.count; ++i) {
      const double *q = batch.q.data() + 5 * i, *v = batch.v.data() + 4 * i;
      const Curve::Point c = Curve(batch.parameters[i]).at(q[0]);
      JointMotion& m = out[i];
      m = {};
      m.R_FM = rotation_matrix(Quat{q[1], q[2], q[3], q[4]});
      m.p_FM = c.place;
      m.H[0].linear = c.slope;
      m.H[1].angular = {1, 0, 0};
      m.H[2].angular = {0, 1, 0};
      m.H[3].angular = {0, 0, 1};
      m.twist = {{v[1], v[2], v[3]}, v[0] * c.slope};
      m.bias.linear = (v[0] * v[0]) * c.curvature;
    }
  }
  void position_rates(const JointBatch& batch, std::span<double> qdot) const noexcept override {
    for (std::size_t i = 0; i < batch.count; ++i) {
      const double *q = batch.q.data() + 5 * i, *v = batch.v.data() + 4 * i;
      const Quat rate = quaternion_rate(Quat{q[1], q[2], q[3], q[4]}, Vec3{v[1], v[2], v[3]});
      qdot[5 * i] = v[0];
      qdot[5 * i + 1] = rate.w;
      qdot[5 * i + 2] = rate.x;
      qdot[5 * i + 3] = rate.y;
      qdot[5 * i + 4] = rate.z;
    }
  }
  void coordinates(std::span<const double> parameters, const Mat3& R, const Vec3& p,
                   std::span<double> q) const noexcept override {
    q[0] = Curve(parameters).nearest_to(p, q[0]);
    Quat turned = quaternion_of(R);
    if (turned.w * q[1] + turned.x * q[2] + turned.y * q[3] + turned.z * q[4] < 0)
      turned = {-turned.w, -turned.x, -turned.y, -turned.z};
    q[1] = turned.w;
    q[2] = turned.x;
    q[3] = turned.y;
    q[4] = turned.z;
  }
  Quat orientation(std::span<const double>, std::span<const double> q) const noexcept override {
    return normalized(Quat{q[1], q[2], q[3], q[4]});
  }
  void neutral(std::span<double> q) const noexcept override {
    std::ranges::fill(q, 0.0);
    q[1] = 1;
  }
};

constexpr auto part = Variable::Kind::quaternion;
constexpr Variable positions[] = {{.name = "way", .unit = "m", .kind = Variable::Kind::length},
                                  {.name = "w", .unit = "1", .kind = part},
                                  {.name = "x", .unit = "1", .kind = part},
                                  {.name = "y", .unit = "1", .kind = part},
                                  {.name = "z", .unit = "1", .kind = part}};
constexpr Variable velocities[] = {{.name = "way_rate", .unit = "m/s"},
                                   {.name = "wx", .unit = "rad/s"},
                                   {.name = "wy", .unit = "rad/s"},
                                   {.name = "wz", .unit = "rad/s"}};

class PointOnCurve final : public JointType, public ValueRanges {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "point-on-curve",
        .meaning = "a point of moving on a smooth curve of base, free to turn; coordinates: way, m; unit quaternion",
        .fields = specs,
        .positions = positions,
        .velocities = velocities};
    return descriptor;
  }
  bool define(const JointInstance& joint, JointDefinition& definition, FieldSink& sink) const noexcept override {
    const FieldValue& table = joint.fields[curve];
    const bool closes = joint.fields[closed].integer != 0;
    const auto refuse = [&](std::string_view what, std::string_view remedy) {
      sink.report(Severity::error, 0, curve, what, remedy);
      return false;
    };
    if (table.rows == 0 || table.numbers.size() != 3 * static_cast<std::size_t>(table.rows))
      return refuse("each row of the curve has three numbers", "Write [[0, 0, 0], [0.1, 0, 0.02], ...].");
    if (table.rows < (closes ? 3u : 2u))
      return refuse(Message("the curve has {} point{}", table.rows, plural(table.rows)),
                    closes ? "A closed curve takes three at least." : "Give two at least.");
    try {
      const std::vector<double> parameters = parameters_of(joint, table, closes);
      if (parameters.empty())
        return refuse("two points of the curve that follow each other are the same",
                      closes ? "Leave one of them out; a closed curve returns to its first point by itself."
                             : "Leave one of them out.");
      definition.set_position(joint.fields[position].vector);
      definition.set_parameters(parameters);
      return true;
    } catch (const std::bad_alloc&) {
      return refuse("no memory is left for the curve", "Give fewer points.");
    }
  }
  const JointKernel* kernel() const noexcept override {
    static constexpr CurveKernel kernel;
    return &kernel;
  }
  const void* query(std::string_view asked) const noexcept override {
    return asked == ValueRanges::interface_name ? static_cast<const ValueRanges*>(this) : nullptr;
  }
  void describe(ValueRanges::Kind of, std::size_t k, Strided<const FieldValue>,
                ValueRange& out) const noexcept override {
    if (of == ValueRanges::Kind::position && k == 0) out.typical = 0.5;
  }

 private:
  /// Empty if two points that follow each other coincide.
  static std::vector<double> parameters_of(const JointInstance& joint, const FieldValue& table, bool closes) {
    const Mat3 R = rotation_matrix(joint.base.orientation);
    const std::size_t rows = table.rows, n = rows + (closes ? 1 : 0);
    std::vector<double> s(n), column(n), parameters{closes ? 1.0 : 0.0};
    std::vector<Vec3> points;
    const auto row = [&](std::size_t k) {
      return Vec3{table.numbers[3 * k], table.numbers[3 * k + 1], table.numbers[3 * k + 2]};
    };
    for (std::size_t k = 0; k < n; ++k) {
      points.push_back(transpose_times(R, row(k % rows) - row(0)));
      if (k == 0) continue;
      s[k] = s[k - 1] + norm(points[k] - points[k - 1]);
      if (!(s[k] > s[k - 1])) return {};
    }
    parameters.insert(parameters.end(), s.begin(), s.end());
    for (std::size_t c = 0; c < 3; ++c) {
      for (std::size_t k = 0; k < n; ++k) column[k] = points[k][c];
      const Spline spline(s, column, closes ? Spline::Kind::periodic : Spline::Kind::natural);
      parameters.insert(parameters.end(), column.begin(), column.end());
      parameters.insert(parameters.end(), spline.curvatures().begin(), spline.curvatures().end());
    }
    return parameters;
  }
};

}  // namespace

const JointType& point_on_curve() noexcept {
  static constexpr PointOnCurve type;
  return type;
}

}  // namespace polyform::couplings
