// The ends of a joint's way: hard, or as springs.
#include <array>
#include <limits>
#include <numbers>

#include "compliant_limits.hpp"
#include "joint_rows.hpp"
#include "polyform/contract/held_states.hpp"
#include "polyform/contract/type_variants.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "polyform/helpers/plain_picture.hpp"
#include "stop_types.hpp"

namespace polyform::stops {
namespace {

enum Field : std::size_t {
  joint,
  lower,
  upper,
  law,
  restitution,
  impact,
  stiffness,
  damping,
  coordinate,
  cone,
  axis,
  turn
};
enum Law : std::int64_t { hard, compliant };
constexpr std::array<std::string_view, 2> laws{"hard", "compliant"};
constexpr std::array<std::string_view, 2> impact_laws{"newton", "poisson"};
constexpr std::array specs{
    FieldSpec{.name = "joint", .type = FieldType::joint, .unit = "", .meaning = "whose way ends", .required = true},
    FieldSpec{.name = "lower",
              .type = FieldType::number,
              .unit = "m or rad",
              .meaning = "least coordinate; none where it is absent"},
    FieldSpec{.name = "upper",
              .type = FieldType::number,
              .unit = "m or rad",
              .meaning = "greatest coordinate; none where it is absent"},
    FieldSpec{.name = "law",
              .type = FieldType::choice,
              .unit = "",
              .meaning = "hard: no way beyond, with impacts; compliant: springs with damping",
              .default_text = "hard",
              .choices = laws},
    FieldSpec{.name = "restitution",
              .type = FieldType::number,
              .unit = "",
              .meaning = "of hard limits: speed after an impact over the speed before",
              .default_text = "0",
              .minimum = 0,
              .maximum = 1},
    FieldSpec{.name = "impact",
              .type = FieldType::choice,
              .unit = "",
              .meaning = "what the restitution of hard limits is: newton, speeds; poisson, impulses",
              .default_text = "newton",
              .choices = impact_laws},
    FieldSpec{.name = "stiffness",
              .type = FieldType::number,
              .unit = "N/m or N m/rad",
              .meaning = "of compliant limits, which need it",
              .minimum = 0,
              .exclusive_minimum = true,
              .typical = 1e5},
    FieldSpec{.name = "damping",
              .type = FieldType::number,
              .unit = "N s/m or N m s/rad",
              .meaning = "of compliant limits",
              .default_text = "0",
              .minimum = 0},
    coordinate_spec,
    FieldSpec{
        .name = "cone",
        .type = FieldType::number,
        .unit = "rad",
        .meaning = "of spherical and free joints: greatest angle between 'axis' and the same axis of the moving body",
        .minimum = 0,
        .exclusive_minimum = true,
        .typical = 1},
    FieldSpec{.name = "axis",
              .type = FieldType::direction,
              .unit = "",
              .meaning = "of the cone, as drawn, in the axes of the base body's frame"},
    FieldSpec{.name = "turn",
              .type = FieldType::number,
              .unit = "rad",
              .meaning = "of spherical and free joints: greatest angle of the whole rotation from the drawn pose",
              .minimum = 0,
              .exclusive_minimum = true}};

/// What the limit is about: an angle of a ball, or a coordinate.
StopCoordinate::Choice choice_of(const ElementInstance& instance) {
  const Strided<const FieldValue> f = instance.fields;
  if (f[cone].given) return {.kind = StopCoordinate::Kind::swing, .axis = f[axis].vector};
  if (f[turn].given) return {.kind = StopCoordinate::Kind::turn};
  return chosen_coordinate(instance, coordinate);
}

/// The fields of the ends, an angle of a ball having but an upper one.
std::size_t upper_field(const ElementInstance& instance) {
  return instance.fields[cone].given ? cone : instance.fields[turn].given ? turn : upper;
}

constexpr std::string_view of_ball_remedy =
    "Give `cone` and `axis`, for the angle of an axis; or `turn`, for that of the whole rotation.";

/// Of a ball: its angle is the only thing that ends.
bool check_angle(const ElementInstance& instance, std::size_t number, std::size_t given, FieldSink& sink) noexcept {
  const Strided<const FieldValue> f = instance.fields;
  const JointShape& shape = instance.joints[0];
  const auto refuse = [&](std::size_t field, std::string_view what, std::string_view remedy) {
    sink.report(Severity::error, number, field, what, remedy);
    return false;
  };
  if (ball_of(shape).v == shape.nv)
    return refuse(
        given, Message("'{}' is of joints that turn about all axes, as spherical and free ones do", specs[given].name),
        "Give `lower` and `upper`, and `coordinate` where the joint has several.");
  for (const std::size_t field : {lower, upper, coordinate})
    if (f[field].given)
      return refuse(field,
                    Message("'{}' is of a coordinate, and '{}' of a rotation about all axes", specs[field].name,
                            specs[given].name),
                    "Leave it out, or make a limit of its own of it.");
  if (f[cone].given && f[turn].given)
    return refuse(turn, "a limit has either a cone or a turn", "Make two limits of them.");
  if (!(f[given].number < std::numbers::pi))
    return refuse(
        given, Message("the angle, {:g}, is not below pi, and no angle of a ball is larger than that", f[given].number),
        "Give an angle between 0 and pi, in rad, or leave the limit out.");
  if (f[cone].given && !f[axis].given)
    return refuse(cone, "the cone has no axis", "Give `axis`, in the axes of the base body's frame.");
  return true;
}

bool check_limits(const ElementInstance& instance, std::size_t number, FieldSink& sink) noexcept {
  const Strided<const FieldValue> f = instance.fields;
  if (f[axis].given && !f[cone].given) {
    sink.report(Severity::error, number, axis, "'axis' is that of a cone", "Give `cone` too, or leave it out.");
    return false;
  }
  if (f[cone].given || f[turn].given) return check_angle(instance, number, upper_field(instance), sink);
  if (!check_coordinate(instance, number, joint, coordinate, "joint-limit", of_ball_remedy, sink)) return false;
  if (!f[lower].given && !f[upper].given) {
    sink.report(Severity::error, number, joint, "the limit has neither a lower nor an upper end", "Give one or both.");
    return false;
  }
  if (f[lower].given && f[upper].given && !(f[lower].number < f[upper].number)) {
    sink.report(Severity::error, number, upper,
                Message("the upper end, {:g}, is not above the lower one, {:g}", f[upper].number, f[lower].number),
                "Give a way between them.");
    return false;
  }
  return true;
}

/// Refuses fields of the other law.
bool check_absent(const ElementInstance& instance, std::size_t number, std::span<const std::size_t> fields,
                  std::string_view other, FieldSink& sink) noexcept {
  for (const std::size_t field : fields) {
    if (!instance.fields[field].given) continue;
    sink.report(Severity::error, number, field,
                Message("'{}' is of {} limits", std::string_view(specs[field].name), other),
                Message("Leave it out, or give 'law: {}'.", other));
    return false;
  }
  return true;
}

class CompliantLimit final : public ForceType, public PlainPicture<Picture::Kind::stop> {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{.name = "joint-limit",
                                               .meaning = "ends of a joint's way, as springs",
                                               .fields = specs,
                                               .outputs = compliant_outputs};
    return descriptor;
  }
  const void* query(std::string_view asked) const noexcept override {
    return asked == Picture::interface_name ? static_cast<const Picture*>(this) : nullptr;
  }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    constexpr std::array<std::size_t, 2> of_hard{restitution, impact};
    if (!check_limits(instance, number, sink) || !check_absent(instance, number, of_hard, "hard", sink)) return false;
    if (instance.fields[stiffness].given) return true;
    sink.report(Severity::error, number, stiffness, "compliant limits need a stiffness",
                "Give 'stiffness', or 'law: hard'.");
    return false;
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    try {
      constexpr double far = std::numeric_limits<double>::infinity();
      std::vector<CompliantLimits::Ends> ends;
      for (const ElementInstance& instance : instances) {
        const Strided<const FieldValue> f = instance.fields;
        const FieldValue& most = f[upper_field(instance)];
        ends.push_back({f[lower].given ? f[lower].number : -far, most.given ? most.number : far, f[stiffness].number,
                        f[damping].number});
      }
      return make_batch<CompliantLimits>(stop_coordinates(instances, choice_of), std::move(ends));
    } catch (...) {
      return nullptr;
    }
  }
};

class HardLimit final : public ForceType,
                        public TypeVariants,
                        public HeldStates,
                        public PlainPicture<Picture::Kind::stop> {
 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static const TypeDescriptor descriptor{
        .name = "joint-limit",
        .meaning = "ends of a joint's way, hard or as springs; backlash between halves",
        .fields = specs,
        .states = effort_states};
    return descriptor;
  }
  const void* query(std::string_view asked) const noexcept override {
    if (asked == HeldStates::interface_name) return static_cast<const HeldStates*>(this);
    if (asked == UnilateralRows::interface_name) return this;
    if (asked == Picture::interface_name) return static_cast<const Picture*>(this);
    return asked == TypeVariants::interface_name ? static_cast<const TypeVariants*>(this) : nullptr;
  }
  const ForceType* variant(Strided<const FieldValue> fields) const noexcept override {
    static constexpr CompliantLimit type;
    return fields[law].integer == compliant ? static_cast<const ForceType*>(&type) : this;
  }
  bool is_held(std::size_t state) const noexcept override { return state != lost; }
  bool define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept override {
    constexpr std::array<std::size_t, 2> of_compliant{stiffness, damping};
    return check_limits(instance, number, sink) && check_absent(instance, number, of_compliant, "compliant", sink);
  }
  ForceBatch* create(Strided<const ElementInstance> instances) const noexcept override {
    try {
      std::vector<std::vector<JointPoint>> points;
      for (const ElementInstance& instance : instances) {
        const Strided<const FieldValue> f = instance.fields;
        auto& own = points.emplace_back();
        const auto add = [&](std::size_t field, std::string_view name, double sign) {
          if (!f[field].given) return;
          JointPoint& point = own.emplace_back();
          point.name = name;
          point.sign = sign;
          point.place = f[field].number;
          point.restitution = f[restitution].number;
          point.poisson = f[impact].integer == 1;
        };
        add(lower, "lower limit", 1);
        add(upper, "upper limit", -1);
        add(cone, "cone", -1);
        add(turn, "turn", -1);
      }
      return make_batch<JointRows>(stop_coordinates(instances, choice_of), points);
    } catch (...) {
      return nullptr;
    }
  }
};

}  // namespace

const ForceType& joint_limit() noexcept {
  static constexpr HardLimit type;
  return type;
}

}  // namespace polyform::stops
