// Friction in a joint that sticks and slides: bearings, brakes, clutches; and a freewheel.
#include <array>

#include "joint_rows.hpp"
#include "polyform/contract/held_states.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "stop_types.hpp"

namespace polyform::stops {
namespace {

enum FrictionField : std::size_t { rubbing_joint, sliding, ratio };
constexpr std::array friction_specs{
    FieldSpec{.name = "joint",
              .type = FieldType::joint,
              .unit = "",
              .meaning = "that rubs; it has one coordinate",
              .required = true},
    FieldSpec{.name = "effort",
              .type = FieldType::time_function,
              .unit = "N or N m",
              .meaning = "of sliding, against it; below 0 it counts as 0. Of a clutch or brake a function of time",
              .required = true},
    FieldSpec{.name = "ratio",
              .type = FieldType::number,
              .unit = "",
              .meaning = "greatest effort at rest over that of sliding",
              .default_text = "1",
              .minimum = 1}};

enum WheelField : std::size_t { wheel_joint, direction };
constexpr std::array<std::string_view, 2> directions{"positive", "negative"};
constexpr std::array wheel_specs{
    FieldSpec{.name = "joint",
              .type = FieldType::joint,
              .unit = "",
              .meaning = "between the two; it has one coordinate",
              .required = true},
    FieldSpec{.name = "free",
              .type = FieldType::choice,
              .unit = "",
              .meaning = "the direction of the joint velocity that is free; the other is locked",
              .default_text = "positive",
              .choices = directions}};

template <class Add>
ForceBatch* batch_of(Strided<const ElementInstance> instances, const Add& add) noexcept {
  try {
    std::vector<std::vector<JointPoint>> points;
    for (const ElementInstance& instance : instances) add(instance, points.emplace_back().emplace_back());
    return make_batch<JointRows>(std::move(points));
  } catch (...) {
    return nullptr;
  }
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
    return check_joint(instance, number, rubbing_joint, "dry-friction", sink);
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return batch_of(instances, [](const ElementInstance& instance, JointPoint& point) {
      point.kind = JointPoint::Kind::friction;
      point.name = "friction";
      point.sliding = instance.fields[sliding].functions[0];
      point.holding = instance.fields[ratio].number;
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
    return check_joint(instance, number, wheel_joint, "freewheel", sink);
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    return batch_of(instances, [](const ElementInstance& instance, JointPoint& point) {
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
