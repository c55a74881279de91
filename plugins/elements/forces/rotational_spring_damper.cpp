#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "force_types.hpp"
#include "one_or_each.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/helpers/plain_picture.hpp"

namespace polyform::forces {
namespace {

enum Field : std::size_t { a, b, axes, stiffness, damping, rest };
constexpr std::array specs{
    FieldSpec{.name = "a",
              .type = FieldType::marker,
              .unit = "",
              .meaning = "the body that the first axis is fixed in; the point matters on a flexible body only",
              .required = true},
    FieldSpec{.name = "b",
              .type = FieldType::marker,
              .unit = "",
              .meaning = "the body that turns relative to a",
              .required = true},
    FieldSpec{.name = "axes",
              .type = FieldType::matrix,
              .unit = "",
              .meaning = "one to three axes of successive turns from a to b, in ground as drawn, each perpendicular to "
                         "the one before; angles are zero as drawn",
              .required = true,
              .tied_to_ground = true},
    FieldSpec{.name = "stiffness",
              .type = FieldType::numbers,
              .unit = "N m/rad",
              .meaning = "torque per angle, one for all axes or one for each",
              .required = true,
              .minimum = 0},
    FieldSpec{.name = "damping",
              .type = FieldType::numbers,
              .unit = "N m s/rad",
              .meaning = "torque per rate of the angle, one for all axes or one for each",
              .default_text = "0",
              .minimum = 0},
    FieldSpec{.name = "rest",
              .type = FieldType::numbers,
              .unit = "rad",
              .meaning = "angles without spring torque, one for all axes or one for each",
              .default_text = "0"}};

constexpr auto angle_kind = Variable::Kind::angle;
constexpr std::array outputs{Variable{.name = "angle_1", .unit = "rad", .kind = angle_kind},
                             Variable{.name = "angle_2", .unit = "rad", .kind = angle_kind},
                             Variable{.name = "angle_3", .unit = "rad", .kind = angle_kind},
                             Variable{.name = "torque_1", .unit = "N m"},
                             Variable{.name = "torque_2", .unit = "N m"},
                             Variable{.name = "torque_3", .unit = "N m"}};

/// Below this |det B| the angles are as good as locked: their rates are bounded by what they are there.
constexpr double smallest_determinant = 1e-6;

/// The axes of the three turns in the axes of a, as drawn: u ⟂ v ⟂ w.
struct Axes {
  Vec3 u, v, w;
};

/// The axes as given, made exactly perpendicular one to the next; missing ones are completed.
Axes drawn_axes(const ElementInstance& instance) {
  const std::span<const double> rows = instance.fields[axes].numbers;
  const Mat3 R = rotation_matrix(instance.drawn[0].orientation);
  const auto axis = [&](std::size_t k) {
    const Vec3 d{rows[3 * k], rows[3 * k + 1], rows[3 * k + 2]};
    return transpose_times(R, (1 / norm(d)) * d);
  };
  const auto across = [](const Vec3& to, const Vec3& d) {
    const Vec3 part = d - dot(to, d) * to;
    return (1 / norm(part)) * part;
  };
  Axes out;
  out.u = axis(0);
  const bool mostly_x = std::abs(out.u.x) > 0.9;
  out.v = across(out.u, rows.size() > 3 ? axis(1) : mostly_x ? Vec3{0, 1, 0} : Vec3{1, 0, 0});
  out.w = rows.size() > 6 ? across(out.v, axis(2)) : cross(out.u, out.v);
  return out;
}

/// Successive turns R = Rot(u, θ1) Rot(v, θ2) Rot(w, θ3), and the columns of (Bᵀ)⁻¹.
struct Turns {
  Vec3 angle;
  Vec3 dual[3];  ///< θ̇_k = dual_k · ω, axes of a
};

/// Angles of R (b in a, identity as drawn). With n = u × v the third axis as turned, R w, is
/// sin ψ u + cos ψ (cos θ1 n − sin θ1 v) with ψ = θ2 + ψ as drawn. The sign of cos ψ stays that of the drawing:
/// det B = cos ψ = 0 is the gimbal lock.
Turns turns_of(const Axes& drawn, const Mat3& R) {
  const Vec3 n = cross(drawn.u, drawn.v), third = R * drawn.w, Rv = R * drawn.v;
  const double sign = dot(n, drawn.w) < 0 ? -1 : 1;
  const double along_v = dot(drawn.v, third), along_n = dot(n, third);
  const double psi = std::atan2(dot(drawn.u, third), sign * std::hypot(along_v, along_n));
  const double psi_drawn = std::atan2(dot(drawn.u, drawn.w), dot(n, drawn.w));
  const double first = std::atan2(-sign * along_v, sign * along_n);
  const Vec3 second = std::cos(first) * drawn.v + std::sin(first) * n;
  Turns out;
  out.angle = {first, std::remainder(psi - psi_drawn, 2 * std::numbers::pi),
               std::atan2(dot(cross(third, second), Rv), dot(second, Rv))};
  const double scale = sign / std::max(sign * std::cos(psi), smallest_determinant);
  out.dual[0] = scale * cross(second, third);
  out.dual[1] = scale * cross(third, drawn.u);
  out.dual[2] = scale * cross(drawn.u, second);
  return out;
}

struct Spring {
  Axes drawn;
  Mat3 undo_drawn;  ///< orientation of a in b as drawn
  Vec3 stiffness, damping, rest;
};

/// Rotational spring-damper about several Euler angles (Thompson 2011, Sect. V): n_k = −stiffness_k (θ_k − rest_k) −
/// damping_k θ̇_k about the k-th angle. With ω = B θ̇ the torque on b is B⁻ᵀ n, on a its opposite: n · θ̇ = torque · ω,
/// so that the potential ½ Σ stiffness_k (θ_k − rest_k)² is exact.
class RotationalSpringDampers final : public ForceBatch, public OutputSource {
 public:
  explicit RotationalSpringDampers(Strided<const ElementInstance> instances) {
    springs_.reserve(instances.size());
    for (const ElementInstance& i : instances) {
      const std::size_t count = i.fields[axes].rows;
      const auto three = [&](Field f) {  // nothing acts about the axes that were completed
        Vec3 out;
        for (std::size_t k = 0; k < count; ++k) out[k] = entry(i.fields[f].numbers, k);
        return out;
      };
      springs_.push_back(
          {drawn_axes(i),
           transpose_times(rotation_matrix(i.drawn[1].orientation), rotation_matrix(i.drawn[0].orientation)),
           three(stiffness), three(damping), three(rest)});
    }
  }

  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    for (std::size_t i = 0; i < springs_.size(); ++i) {
      const Spring& s = springs_[i];
      const MarkerMotion& from = in.markers[2 * i];
      const MarkerMotion& to = in.markers[2 * i + 1];
      Vec3 w;
      const Turns turns = turns_between(s, from, to, w);
      Vec3 torque;
      for (std::size_t k = 0; k < 3; ++k) {
        const double deflection = turns.angle[k] - s.rest[k], angle_rate = dot(turns.dual[k], w);
        torque -= (s.stiffness[k] * deflection + s.damping[k] * angle_rate) * turns.dual[k];
        out.potential_energy += 0.5 * s.stiffness[k] * deflection * deflection;
        out.power -= s.damping[k] * angle_rate * angle_rate;
      }
      const Vec3 on_b = from.R * torque;
      out.wrenches[2 * i].angular = -on_b;
      out.wrenches[2 * i + 1].angular = on_b;
    }
  }
  /// The three angles, those about completed axes too, and the torques about them.
  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    for (std::size_t i = 0; i < springs_.size(); ++i) {
      const Spring& s = springs_[i];
      Vec3 w;
      const Turns turns = turns_between(s, in.attachments->markers[2 * i], in.attachments->markers[2 * i + 1], w);
      double* const own = values.data() + outputs.size() * i;
      for (std::size_t k = 0; k < 3; ++k) {
        own[k] = turns.angle[k];
        own[3 + k] = -s.stiffness[k] * (turns.angle[k] - s.rest[k]) - s.damping[k] * dot(turns.dual[k], w);
      }
    }
  }
  void* query(std::string_view asked) noexcept override {
    return asked == OutputSource::interface_name ? static_cast<OutputSource*>(this) : nullptr;
  }
  void destroy() noexcept override { delete this; }

 private:
  /// w: angular velocity of b over a, axes of a.
  static Turns turns_between(const Spring& s, const MarkerMotion& from, const MarkerMotion& to, Vec3& w) noexcept {
    w = transpose_times(from.R, to.angular_velocity - from.angular_velocity);
    return turns_of(s.drawn, transpose_times(from.R, to.R) * s.undo_drawn);
  }

  std::vector<Spring> springs_;
};

/// One to three rows of three numbers, each a direction perpendicular to the one before, the third not along the first.
bool check_axes(const ElementInstance& instance, std::size_t number, FieldSink& sink) {
  const FieldValue& given = instance.fields[axes];
  const std::size_t count = given.rows;
  const auto error = [&](std::string_view message, std::string_view remedy) {
    sink.report(Severity::error, number, axes, message, remedy);
    return false;
  };
  if (count > 3 || given.numbers.size() != 3 * count)
    return error(
        Message("{} row{} of {} numbers given for the axes", count, plural(count), given.numbers.size() / count),
        "Give one to three axes as rows [x, y, z], in the order of the turns.");
  // Cosine up to which axes as written are perpendicular; volume of three axes below which they are in gimbal lock.
  constexpr double perpendicular = 1e-6, gimbal_lock = 1e-3;
  Vec3 axis[3];
  for (std::size_t k = 0; k < count; ++k) {
    axis[k] = {given.numbers[3 * k], given.numbers[3 * k + 1], given.numbers[3 * k + 2]};
    const double length = norm(axis[k]);
    if (!(length > 0)) return error(Message("axis {} has no direction", k + 1), "Give a direction [x, y, z].");
    axis[k] *= 1 / length;
    if (k > 0 && std::abs(dot(axis[k - 1], axis[k])) > perpendicular)
      return error(Message("axis {} makes an angle of {:.6g} rad with axis {}, not π/2", k + 1,
                           std::acos(std::clamp(dot(axis[k - 1], axis[k]), -1.0, 1.0)), k),
                   "Make each axis perpendicular to the one before: only then do the turns reach every orientation.");
  }
  if (count == 3 && std::abs(dot(cross(axis[0], axis[1]), axis[2])) < gimbal_lock)
    return error("the third axis is parallel to the first: the angles are in gimbal lock as drawn",
                 "Give three axes of which the third is not parallel to the first as drawn, such as z, y, x.");
  return true;
}

class RotationalSpringDamper final : public ForceType, public PlainPicture<Picture::Kind::torsion> {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "rotational-spring-damper",
        .meaning = "springs and dampers about the Euler angles between two bodies",
        .fields = specs,
        .outputs = outputs};
    return descriptor;
  }
  const void* query(std::string_view asked) const noexcept override {
    return asked == Picture::interface_name ? static_cast<const Picture*>(this) : nullptr;
  }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    if (instance.markers[0].body == instance.markers[1].body) {
      sink.report(Severity::error, number, b, "both ends of the spring turn with the same body: it does nothing",
                  "Attach one end to another body.");
      return false;
    }
    if (!check_axes(instance, number, sink)) return false;
    bool good = true;
    const std::size_t count = instance.fields[axes].rows;
    const Message owner("there {} {} ax{}s of turns", count == 1 ? "is" : "are", count, count == 1 ? "i" : "e");
    for (const Field field : {stiffness, damping, rest})
      good = check_count(instance.fields[field], specs[field], count, owner, number, field, sink) && good;
    return good;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return make_batch<RotationalSpringDampers>(instances);
  }
};

}  // namespace

const ForceType& rotational_spring_damper() noexcept {
  static constexpr RotationalSpringDamper type;
  return type;
}

}  // namespace polyform::forces
