// A bushing: six stiffnesses and dampings between two bodies, with coupling, preload and tables.
#include <array>
#include <cmath>
#include <vector>

#include "polyform/contract/events.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "spring_types.hpp"
#include "table_law.hpp"

namespace polyform::springs {
namespace {

enum Field : std::size_t {
  a,
  b,
  orientation,
  stiffness,
  damping,
  preload,
  coupling_stiffness,
  coupling_damping,
  first_table,
  interpolation = first_table + 6,
  first_damper
};
constexpr std::array<std::string_view, 2> interpolations{"linear", "cubic"};

constexpr FieldSpec table_field(std::string_view name, std::string_view unit, std::string_view meaning) {
  return {.name = name, .type = FieldType::matrix, .unit = unit, .meaning = meaning};
}
constexpr std::array specs{
    FieldSpec{.name = "a",
              .type = FieldType::marker,
              .unit = "",
              .meaning = "the outer sleeve: a point of a body, whose axes the bushing's go with",
              .required = true},
    FieldSpec{.name = "b",
              .type = FieldType::marker,
              .unit = "",
              .meaning = "the inner sleeve: a point of another body",
              .required = true},
    FieldSpec{.name = "orientation",
              .type = FieldType::orientation,
              .unit = "",
              .meaning = "of the bushing's axes x, y, z in ground as drawn; default: those of ground",
              .default_text = "[1, 0, 0, 0]",
              .tied_to_ground = true},
    FieldSpec{.name = "stiffness",
              .type = FieldType::numbers,
              .unit = "N/m and N m/rad",
              .meaning = "along x, y, z, about x, y, z: six numbers, or one for all",
              .default_text = "0",
              .minimum = 0},
    FieldSpec{.name = "damping",
              .type = FieldType::numbers,
              .unit = "N s/m and N m s/rad",
              .meaning = "along x, y, z, about x, y, z: six numbers, or one for all",
              .default_text = "0",
              .minimum = 0},
    FieldSpec{.name = "preload",
              .type = FieldType::numbers,
              .unit = "N and N m",
              .meaning = "on b along and about x, y, z without deflection: six numbers, or one for all",
              .default_text = "0"},
    FieldSpec{.name = "coupling_stiffness",
              .type = FieldType::matrix,
              .unit = "N/m, N/rad and N m/rad",
              .meaning = "six rows of six numbers, symmetric, added to the stiffness"},
    FieldSpec{.name = "coupling_damping",
              .type = FieldType::matrix,
              .unit = "N s/m, N s/rad and N m s/rad",
              .meaning = "six rows of six numbers, symmetric, added to the damping"},
    table_field("force_x", "m and N", "rows [displacement along x, force], which restores where it is positive"),
    table_field("force_y", "m and N", "rows [displacement along y, force]"),
    table_field("force_z", "m and N", "rows [displacement along z, force]"),
    table_field("moment_x", "rad and N m", "rows [turn about x, moment]"),
    table_field("moment_y", "rad and N m", "rows [turn about y, moment]"),
    table_field("moment_z", "rad and N m", "rows [turn about z, moment]"),
    FieldSpec{.name = "interpolation",
              .type = FieldType::choice,
              .unit = "",
              .meaning = "of all tables: linear, or cubic with a continuous second derivative",
              .default_text = "linear",
              .choices = interpolations},
    table_field("damper_force_x", "m/s and N", "rows [speed along x, force], which resists where it is positive"),
    table_field("damper_force_y", "m/s and N", "rows [speed along y, force]"),
    table_field("damper_force_z", "m/s and N", "rows [speed along z, force]"),
    table_field("damper_moment_x", "rad/s and N m", "rows [rate of the turn about x, moment]"),
    table_field("damper_moment_y", "rad/s and N m", "rows [rate of the turn about y, moment]"),
    table_field("damper_moment_z", "rad/s and N m", "rows [rate of the turn about z, moment]")};

enum Output : std::size_t { x, y, z, turn_x, turn_y, turn_z, fx, fy, fz, mx, my, mz };
constexpr auto length_kind = Variable::Kind::length;
constexpr std::array outputs{Variable{.name = "x", .unit = "m", .kind = length_kind},
                             Variable{.name = "y", .unit = "m", .kind = length_kind},
                             Variable{.name = "z", .unit = "m", .kind = length_kind},
                             Variable{.name = "turn_x", .unit = "rad"},
                             Variable{.name = "turn_y", .unit = "rad"},
                             Variable{.name = "turn_z", .unit = "rad"},
                             Variable{.name = "fx", .unit = "N"},
                             Variable{.name = "fy", .unit = "N"},
                             Variable{.name = "fz", .unit = "N"},
                             Variable{.name = "mx", .unit = "N m"},
                             Variable{.name = "my", .unit = "N m"},
                             Variable{.name = "mz", .unit = "N m"}};

using Six = std::array<double, 6>;

double entry(std::span<const double> values, std::size_t k) { return values.size() == 1 ? values[0] : values[k]; }

/// J⁻¹ x for the rotation vector θ, where ω = J θ̇ is the angular velocity in the axes that θ starts from:
/// x − ½ θ × x + c θ × (θ × x), c = (1 − (θ/2) cot(θ/2))/θ². With −θ for θ it is J⁻ᵀ x.
Vec3 inverse_rate(const Vec3& theta, const Vec3& v) noexcept {
  const double s = dot(theta, theta);
  double c = 1.0 / 12 + s / 720 * (1 + s / 42);
  constexpr double small = 1e-3;
  if (s > small) {
    const double half = 0.5 * std::sqrt(s);
    c = (1 - half * std::cos(half) / std::sin(half)) / s;
  }
  const Vec3 turned = cross(theta, v);
  return v - 0.5 * turned + c * cross(theta, turned);
}

struct Bushing {
  Mat3 axes;   ///< of the bushing in body a
  Quat drawn;  ///< of body b in the bushing's axes, as drawn
  Six preload;
  std::array<double, 36> K, C;
  std::array<Spline, 6> tables, dampers;  ///< over d and over its rate; without points if there is no table
  Six energies_at_rest{};
};

/// The deflection of one bushing at an instant, in its axes.
struct Deflection {
  Mat3 R;              ///< of the bushing's axes in ground
  Vec3 arm, theta, w;  ///< from a to b, ground axes; rotation vector; angular velocity of b over a
  Six d{}, rate{};     ///< displacement and rotation vector, and their rates
};
struct Load {
  Six restoring{};  ///< of springs, dampers and tables, on b, conjugate to the rates: it points against the deflection
  double energy = 0, power = 0;
};

/// With d = (x, θ): x the displacement of b's point over a's and θ the rotation vector of b over a, both in the
/// bushing's axes, which go with a:
///
///   U = ½ dᵀ K d + Σ ∫ table − preload·d        −∂U/∂d − C ḋ − dampers(ḋ) = (f, g)
///
/// puts the force f at b and the moment J⁻ᵀ g on it, and the opposite on a at the same point. The rotation vector is
/// within half a turn, where it turns over.
class Bushings final : public ForceBatch, public EventSource, public OutputSource {
 public:
  explicit Bushings(Strided<const ElementInstance> instances) {
    for (const ElementInstance& i : instances) add(i);
  }
  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < bushings_.size(); ++i) {
      const Deflection d = deflection_of(bushings_[i], in.markers[2 * i], in.markers[2 * i + 1]);
      const Load load = load_of(bushings_[i], d);
      const Six& f = load.restoring;
      const Vec3 force = d.R * Vec3{f[0], f[1], f[2]};
      const Vec3 moment = d.R * inverse_rate(-d.theta, {f[3], f[4], f[5]});
      out.wrenches[2 * i + 1] = {moment, force};
      out.wrenches[2 * i] = {-moment - cross(d.arm, force), -force};
      out.potential_energy += load.energy;
      out.power += load.power;
    }
  }
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    for (std::size_t i = 0; i < bushings_.size(); ++i) {
      const auto& markers = in.attachments->markers;
      const Deflection d = deflection_of(bushings_[i], markers[2 * i], markers[2 * i + 1]);
      const Load load = load_of(bushings_[i], d);
      const Vec3 moment = inverse_rate(-d.theta, {load.restoring[3], load.restoring[4], load.restoring[5]});
      double* const own = values.data() + outputs.size() * i;
      for (std::size_t k = 0; k < 6; ++k) own[k] = d.d[k];
      for (std::size_t k = 0; k < 3; ++k) own[fx + k] = load.restoring[k], own[mx + k] = moment[k];
    }
  }
  std::size_t event_count() const noexcept override { return bends_.size(); }
  void describe_event(std::size_t k, EventDescription& out) const noexcept override {
    out.instance = bends_[k].bushing;
    out.name = specs[(bends_[k].of_rate ? first_damper : first_table) + bends_[k].direction].name;
  }
  void evaluate_events(const EventInput& in, EventOutput& out) noexcept override {
    for (std::size_t k = 0; k < bends_.size(); ++k) {
      const Bend& bend = bends_[k];
      const auto& markers = in.attachments->markers;
      const Deflection d =
          deflection_of(bushings_[bend.bushing], markers[2 * bend.bushing], markers[2 * bend.bushing + 1]);
      out.values[k] = (bend.of_rate ? d.rate : d.d)[bend.direction] - bend.at;
      if (!bend.of_rate) out.rates[k] = d.rate[bend.direction];
    }
  }
  void* query(std::string_view asked) noexcept override {
    if (asked == OutputSource::interface_name) return static_cast<OutputSource*>(this);
    return asked == EventSource::interface_name && !bends_.empty() ? static_cast<EventSource*>(this) : nullptr;
  }
  void destroy() noexcept override { delete this; }

 private:
  struct Bend {
    std::size_t bushing, direction;
    double at;
    bool of_rate;
  };
  void add(const ElementInstance& i) {
    const std::size_t number = bushings_.size();
    Bushing& bushing = bushings_.emplace_back();
    const Mat3 axes = rotation_matrix(i.fields[orientation].orientation);
    const Mat3 R_a = rotation_matrix(i.drawn[0].orientation), R_b = rotation_matrix(i.drawn[1].orientation);
    bushing.axes = transpose_times(R_a, axes);
    bushing.drawn = quaternion_of(transpose_times(axes, R_b));
    const auto matrix = [&](Field diagonal, Field coupling, std::array<double, 36>& out) {
      out.fill(0);
      const std::span<const double> given = i.fields[coupling].numbers;
      for (std::size_t k = 0; k < given.size(); ++k) out[k] = given[k];
      for (std::size_t k = 0; k < 6; ++k) out[7 * k] += entry(i.fields[diagonal].numbers, k);
    };
    matrix(stiffness, coupling_stiffness, bushing.K);
    matrix(damping, coupling_damping, bushing.C);
    const bool cubic = i.fields[interpolation].integer == 1;
    for (std::size_t k = 0; k < 6; ++k) {
      bushing.preload[k] = entry(i.fields[preload].numbers, k);
      const auto take = [&](const FieldValue& table, Spline& curve, bool of_rate) {
        if (!has_table(table)) return;
        curve = curve_of(table, cubic);
        const std::span<const double> knots = curve.knots();
        for (std::size_t row = 1; !cubic && row + 1 < knots.size(); ++row)
          bends_.push_back({number, k, knots[row], of_rate});
      };
      take(i.fields[first_table + k], bushing.tables[k], false);
      take(i.fields[first_damper + k], bushing.dampers[k], true);
      if (!bushing.tables[k].knots().empty()) bushing.energies_at_rest[k] = bushing.tables[k].integral(0);
    }
  }
  static Deflection deflection_of(const Bushing& bushing, const MarkerMotion& a, const MarkerMotion& b) noexcept {
    Deflection d;
    d.R = a.R * bushing.axes;
    d.arm = b.position - a.position;
    d.theta = rotation_vector(quaternion_of(transpose_times(d.R, b.R) * transpose(rotation_matrix(bushing.drawn))));
    d.w = transpose_times(d.R, b.angular_velocity - a.angular_velocity);
    const Vec3 x = transpose_times(d.R, d.arm),
               v = transpose_times(d.R, b.velocity - a.velocity - cross(a.angular_velocity, d.arm)),
               turning = inverse_rate(d.theta, d.w);
    for (std::size_t k = 0; k < 3; ++k) {
      d.d[k] = x[k];
      d.d[3 + k] = d.theta[k];
      d.rate[k] = v[k];
      d.rate[3 + k] = turning[k];
    }
    return d;
  }
  static Load load_of(const Bushing& bushing, const Deflection& d) noexcept {
    Load load;
    for (std::size_t r = 0; r < 6; ++r) {
      double spring = 0, damper = 0;
      for (std::size_t c = 0; c < 6; ++c) {
        spring += bushing.K[6 * r + c] * d.d[c];
        damper += bushing.C[6 * r + c] * d.rate[c];
      }
      load.energy += 0.5 * spring * d.d[r] - bushing.preload[r] * d.d[r];
      if (!bushing.tables[r].knots().empty()) {
        spring += bushing.tables[r].at(d.d[r]).value;
        load.energy += bushing.tables[r].integral(d.d[r]) - bushing.energies_at_rest[r];
      }
      if (!bushing.dampers[r].knots().empty()) damper += bushing.dampers[r].at(d.rate[r]).value;
      load.power -= damper * d.rate[r];
      load.restoring[r] = bushing.preload[r] - spring - damper;
    }
    return load;
  }

  std::vector<Bushing> bushings_;
  std::vector<Bend> bends_;
};

class BushingType final : public ForceType {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "bushing",
        .meaning = "six stiffnesses and dampings between two bodies, with coupling, preload and tables",
        .fields = specs,
        .outputs = outputs};
    return descriptor;
  }
  bool define(ElementInstance& i, std::size_t number, FieldSink& sink) const noexcept override {
    const auto refuse = [&](std::size_t field, std::string_view what, std::string_view remedy) {
      sink.report(Severity::error, number, field, what, remedy);
      return false;
    };
    if (i.markers[0].body == i.markers[1].body)
      return refuse(b, "both sleeves are fixed in the same body: the bushing does nothing",
                    "Attach one of them to another body.");
    for (const Field field : {stiffness, damping, preload}) {
      const std::size_t given = i.fields[field].numbers.size();
      if (given != 1 && given != 6)
        return refuse(field, Message("{} numbers are given, but a bushing has six directions", given),
                      "Give six, or one for all.");
    }
    for (const Field field : {coupling_stiffness, coupling_damping}) {
      const FieldValue& matrix = i.fields[field];
      if (!matrix.given) continue;
      if (matrix.rows != 6 || matrix.numbers.size() != 36)
        return refuse(field, "the matrix has not six rows of six numbers", "Write all of them.");
      for (std::size_t r = 0; r < 6; ++r)
        for (std::size_t c = 0; c < r; ++c)
          if (matrix.numbers[6 * r + c] != matrix.numbers[6 * c + r])
            return refuse(field, Message("the matrix is not symmetric in row {}, column {}", r + 1, c + 1),
                          "A bushing that gives no energy away has a symmetric matrix.");
    }
    for (std::size_t k = 0; k < 6; ++k)
      if (!check_table(i.fields[first_table + k], k < 3 ? "displacement" : "turn", number, first_table + k, sink))
        return false;
    for (std::size_t k = 0; k < 6; ++k)
      if (!check_table(i.fields[first_damper + k], k < 3 ? "speed" : "rate", number, first_damper + k, sink))
        return false;
    return true;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<Bushings>(instances);
  }
};

}  // namespace

const ForceType& bushing() noexcept {
  static constexpr BushingType type;
  return type;
}

}  // namespace polyform::springs
