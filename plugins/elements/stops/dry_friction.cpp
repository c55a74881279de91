// Friction in a joint that sticks and slides: bearings, brakes, clutches; and a freewheel.
#include <algorithm>
#include <array>

#include "joint_rows.hpp"
#include "polyform/contract/held_states.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "stop_types.hpp"

namespace polyform::stops {
namespace {

enum FrictionField : std::size_t {
  rubbing_joint,
  sliding,
  ratio,
  coefficient,
  radius,
  length,
  preload,
  rubbing_coordinate
};
constexpr std::array friction_specs{
    FieldSpec{.name = "joint", .type = FieldType::joint, .unit = "", .meaning = "that rubs", .required = true},
    FieldSpec{.name = "effort",
              .type = FieldType::time_function,
              .unit = "N or N m",
              .meaning = "of sliding, against it; below 0 it counts as 0. Of a clutch or brake a function of time",
              .default_text = "0"},
    FieldSpec{.name = "ratio",
              .type = FieldType::number,
              .unit = "",
              .meaning = "greatest effort at rest over that of sliding",
              .default_text = "1",
              .minimum = 1},
    FieldSpec{.name = "coefficient",
              .type = FieldType::number,
              .unit = "",
              .meaning = "of friction by what the joint transmits across its way; it adds to 'effort'",
              .default_text = "0",
              .minimum = 0},
    FieldSpec{.name = "radius",
              .type = FieldType::number,
              .unit = "m",
              .meaning = "of the bearing, at which that friction acts; of a joint that turns, which needs it",
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{.name = "length",
              .type = FieldType::number,
              .unit = "m",
              .meaning =
                  "between two places along the axis that carry the load, the joint in their middle; one place where "
                  "it is absent, which carries moments without friction",
              .minimum = 0,
              .exclusive_minimum = true},
    FieldSpec{.name = "preload",
              .type = FieldType::number,
              .unit = "N",
              .meaning = "normal force beside that of the load, with 'coefficient'",
              .default_text = "0",
              .minimum = 0},
    coordinate_spec};

enum WheelField : std::size_t { wheel_joint, direction, wheel_coordinate };
constexpr std::array<std::string_view, 2> directions{"positive", "negative"};
constexpr std::array wheel_specs{
    FieldSpec{.name = "joint", .type = FieldType::joint, .unit = "", .meaning = "between the two", .required = true},
    FieldSpec{.name = "free",
              .type = FieldType::choice,
              .unit = "",
              .meaning = "the direction of the joint velocity that is free; the other is locked",
              .default_text = "positive",
              .choices = directions},
    coordinate_spec};

constexpr std::string_view one_axis_remedy =
    "Name a joint with an axis or a guide, or one of its coordinates that has its own.";

template <class Add>
ForceBatch* batch_of(Strided<const ElementInstance> instances, std::size_t coordinate, const Add& add) noexcept {
  try {
    std::vector<std::vector<JointPoint>> points;
    for (const ElementInstance& instance : instances) add(instance, points.emplace_back().emplace_back());
    return make_batch<JointRows>(
        stop_coordinates(instances,
                         [=](const ElementInstance& instance) { return chosen_coordinate(instance, coordinate); }),
        points);
  } catch (...) {
    return nullptr;
  }
}

/// Whether all motions of a joint are along or about one axis, as of a shaft in a bush.
bool has_one_axis(const JointShape& joint) noexcept {
  constexpr double parallel = 1e-12;  // the square of the sine: axes of a drawing agree to rounding
  if (joint.nv == 1) return true;
  return !joint.primitives.empty() && std::ranges::all_of(joint.primitives, [&](const Primitive& p) {
    const Vec3 across = cross(p.axis, joint.primitives[0].axis);
    return p.kind != Primitive::Kind::ball && dot(across, across) < parallel;
  });
}

class DryFriction final : public ForceType, public HeldStates {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static const TypeDescriptor descriptor{
        .name = "dry-friction",
        .meaning = "Coulomb friction in a joint, which sticks and slides: a bearing, a brake, a clutch",
        .fields = friction_specs,
        .states = effort_states};
    return descriptor;
  }
  const void* query(std::string_view asked) const noexcept override {
    if (asked == UnilateralRows::interface_name) return this;
    return asked == HeldStates::interface_name ? static_cast<const HeldStates*>(this) : nullptr;
  }
  bool is_held(std::size_t state) const noexcept override { return state != lost; }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    if (!check_coordinate(instance, number, rubbing_joint, rubbing_coordinate, "dry-friction", one_axis_remedy, sink))
      return false;
    const Strided<const FieldValue> f = instance.fields;
    if (!f[sliding].given && !f[coefficient].given) {
      sink.report(Severity::error, number, sliding, "the friction has neither an effort nor a coefficient",
                  "Give 'effort', or 'coefficient' for friction by what the joint transmits.");
      return false;
    }
    for (const std::size_t field : {radius, length, preload})
      if (f[field].given && !f[coefficient].given) {
        sink.report(Severity::error, number, field,
                    Message("'{}' is of friction by what the joint transmits", friction_specs[field].name),
                    "Give 'coefficient' too.");
        return false;
      }
    const std::span<const Primitive> primitives = instance.joints[0].primitives;
    if (f[coefficient].given && !has_one_axis(instance.joints[0])) {
      sink.report(Severity::error, number, coefficient,
                  "friction by the load is that of one bearing or guide, and this joint moves about several axes",
                  "Give 'effort', or make the joint of revolute and prismatic joints with bodies between them.");
      return false;
    }
    // Of joints whose velocities are rates of coordinates each motion has one.
    const std::size_t motion = chosen_coordinate(instance, rubbing_coordinate).coordinate;
    const bool slides = motion < primitives.size() && primitives[motion].kind == Primitive::Kind::translation;
    if (f[coefficient].given && f[radius].given == slides) {
      sink.report(
          Severity::error, number, radius,
          slides ? "the joint slides, and its friction has no lever" : "the friction of a bearing needs its radius",
          slides ? "Leave 'radius' out." : "Give 'radius', in m.");
      return false;
    }
    return true;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return batch_of(instances, rubbing_coordinate, [](const ElementInstance& instance, JointPoint& point) {
      point.kind = JointPoint::Kind::friction;
      point.name = "friction";
      point.sliding = instance.fields[sliding].functions[0];
      point.holding = instance.fields[ratio].number;
      point.coefficient = instance.fields[coefficient].number;
      point.lever = instance.fields[radius].given ? instance.fields[radius].number : 1;
      point.length = instance.fields[length].number;
      point.preload = instance.fields[preload].number;
    });
  }
};

class Freewheel final : public ForceType, public HeldStates {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static const TypeDescriptor descriptor{.name = "freewheel",
                                           .meaning = "lets a joint move one way and locks it the other",
                                           .fields = wheel_specs,
                                           .states = effort_states};
    return descriptor;
  }
  const void* query(std::string_view asked) const noexcept override {
    if (asked == UnilateralRows::interface_name) return this;
    return asked == HeldStates::interface_name ? static_cast<const HeldStates*>(this) : nullptr;
  }
  bool is_held(std::size_t state) const noexcept override { return state != lost; }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    return check_coordinate(instance, number, wheel_joint, wheel_coordinate, "freewheel", one_axis_remedy, sink);
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return batch_of(instances, wheel_coordinate, [](const ElementInstance& instance, JointPoint& point) {
      point.kind = JointPoint::Kind::freewheel;
      point.name = "freewheel";
      point.sign = instance.fields[direction].integer == 0 ? 1 : -1;
    });
  }
};

}  // namespace

const ForceType& dry_friction() noexcept {
  static constexpr DryFriction type;
  return type;
}
const ForceType& freewheel() noexcept {
  static constexpr Freewheel type;
  return type;
}

}  // namespace polyform::stops
