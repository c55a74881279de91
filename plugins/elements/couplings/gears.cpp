// Gears, racks, screws, belts and differentials: rows that are linear in joint coordinates.
#include <array>
#include <numbers>

#include "coupling_types.hpp"
#include "linear_coupling.hpp"
#include "polyform/helpers/element_helpers.hpp"

namespace polyform::couplings {
namespace {

constexpr auto rotation = Primitive::Kind::rotation, translation = Primitive::Kind::translation;
constexpr std::array tooth_rows{Variable{.name = "tooth_force", .unit = "N"}};
constexpr std::array torque_rows{Variable{.name = "torque", .unit = "N m"}};

constexpr FieldSpec joint_field(std::string_view name, std::string_view meaning) {
  return {.name = name, .type = FieldType::joint, .unit = "", .meaning = meaning, .required = true};
}
constexpr FieldSpec radius_field(std::string_view name, std::string_view meaning) {
  return {.name = name,
          .type = FieldType::number,
          .unit = "m",
          .meaning = meaning,
          .required = true,
          .minimum = 0,
          .exclusive_minimum = true};
}

constexpr std::array<std::string_view, 2> senses{"opposite", "same"};

/// r₁ q₁ ± r₂ q₂ = 0.
class Gear final : public LinearCoupling {
  enum Field : std::size_t { joint, other_joint, radius, other_radius, sense };
  static constexpr std::array specs{
      joint_field("joint", "the joint that turns one wheel"),
      joint_field("other_joint", "the joint that turns the other wheel; one body, the housing, takes part in both"),
      radius_field("radius", "pitch radius of the one wheel: half of module times teeth"),
      radius_field("other_radius", "pitch radius of the other wheel"),
      FieldSpec{.name = "sense",
                .type = FieldType::choice,
                .unit = "",
                .meaning = "of the two angles: opposite as of spur gears, same as of an internal gear",
                .default_text = "opposite",
                .choices = senses}};

 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "gear",
        .meaning = "two wheels whose teeth mesh, spur, internal or bevel gears, without backlash",
        .fields = specs,
        .rows = tooth_rows};
    return descriptor;
  }
  Primitive::Kind motion(std::size_t) const noexcept override { return rotation; }
  double factor(const ElementInstance& i, std::size_t, std::size_t k) const noexcept override {
    if (k == 0) return i.fields[radius].number;
    return i.fields[sense].integer == 0 ? i.fields[other_radius].number : -i.fields[other_radius].number;
  }
};

/// r q − x = 0.
class RackAndPinion final : public LinearCoupling {
  enum Field : std::size_t { pinion, rack, radius, sense };
  static constexpr std::array specs{
      joint_field("pinion", "the joint that turns the pinion; one body takes part in both joints"),
      joint_field("rack", "the joint that the rack slides in"), radius_field("radius", "pitch radius of the pinion"),
      FieldSpec{.name = "sense",
                .type = FieldType::choice,
                .unit = "",
                .meaning = "of angle and displacement",
                .default_text = "same",
                .choices = senses}};

 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{.name = "rack-and-pinion",
                                               .meaning = "a toothed wheel that meshes with a rack, without backlash",
                                               .fields = specs,
                                               .rows = tooth_rows};
    return descriptor;
  }
  Primitive::Kind motion(std::size_t k) const noexcept override { return k == 0 ? rotation : translation; }
  double factor(const ElementInstance& i, std::size_t, std::size_t k) const noexcept override {
    if (k == 1) return -1;
    return i.fields[sense].integer == 0 ? -i.fields[radius].number : i.fields[radius].number;
  }
};

/// x − lead φ/2π = 0.
class Screw final : public LinearCoupling {
  enum Field : std::size_t { slide, turn, lead };
  static constexpr std::array specs{
      joint_field("slide", "the joint whose displacement the thread drives: of the nut, or a cylindrical joint"),
      joint_field("turn", "the joint whose angle drives it: of the spindle, or the same cylindrical joint"),
      FieldSpec{.name = "lead",
                .type = FieldType::number,
                .unit = "m",
                .meaning = "displacement per turn; negative for a left-handed thread",
                .required = true,
                .typical = 0.01}};
  static constexpr std::array rows_{Variable{.name = "force", .unit = "N"}};

 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{.name = "screw-thread",
                                               .meaning = "a displacement that follows an angle by a thread",
                                               .fields = specs,
                                               .rows = rows_};
    return descriptor;
  }
  bool needs_same_base() const noexcept override { return true; }
  Primitive::Kind motion(std::size_t k) const noexcept override { return k == 0 ? translation : rotation; }
  double factor(const ElementInstance& i, std::size_t, std::size_t k) const noexcept override {
    return k == 0 ? 1 : -i.fields[lead].number / (2 * std::numbers::pi);
  }
  bool check(const ElementInstance& i, std::size_t number, FieldSink& sink) const noexcept override {
    if (i.fields[lead].number != 0) return true;
    sink.report(Severity::error, number, lead, "a thread without lead moves nothing: it would hold the slide fast",
                "Give the displacement per turn.");
    return false;
  }
};

/// r₀ q₀ − s_k r_k q_k = 0 for each further pulley.
class Belt final : public LinearCoupling {
  enum Field : std::size_t { pulleys, radii, senses_ };
  static constexpr std::array specs{
      FieldSpec{.name = "pulleys",
                .type = FieldType::joints,
                .unit = "",
                .meaning = "the joints that turn the pulleys or sprockets, two at least; one body takes part in all",
                .required = true},
      FieldSpec{.name = "radii",
                .type = FieldType::numbers,
                .unit = "m",
                .meaning = "of the pulleys, to the middle of the belt or chain; one for all, or one for each",
                .required = true,
                .minimum = 0,
                .exclusive_minimum = true},
      FieldSpec{.name = "senses",
                .type = FieldType::numbers,
                .unit = "",
                .meaning = "1 for a pulley that turns as the first one does, -1 for one on the other side of the belt",
                .default_text = "1",
                .minimum = -1,
                .maximum = 1}};
  static constexpr std::array rows_{Variable{.name = "force", .unit = "N"}};
  static double entry(std::span<const double> list, std::size_t k) { return list.size() == 1 ? list[0] : list[k]; }

 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "belt",
        .meaning = "a belt or chain over pulleys or sprockets that neither slips nor stretches",
        .fields = specs,
        .rows = rows_};
    return descriptor;
  }
  std::size_t rows(const ElementInstance& i) const noexcept override { return i.joints.size() - 1; }
  Primitive::Kind motion(std::size_t) const noexcept override { return rotation; }
  double factor(const ElementInstance& i, std::size_t row, std::size_t k) const noexcept override {
    const double r = entry(i.fields[radii].numbers, k);
    const double sense = entry(i.fields[senses_].numbers, k) < 0 ? -1 : 1;
    return k == 0 ? r * sense : k == row + 1 ? -r * sense : 0;
  }
  bool check(const ElementInstance& i, std::size_t number, FieldSink& sink) const noexcept override {
    const std::size_t count = i.joints.size();
    if (count < 2) {
      sink.report(Severity::error, number, pulleys, "a belt runs over two pulleys at least", "Name their joints.");
      return false;
    }
    for (const Field field : {radii, senses_}) {
      const std::size_t given = i.fields[field].numbers.size();
      if (given == 1 || given == count) continue;
      sink.report(Severity::error, number, field,
                  Message("{} numbers are given, but there are {} pulleys", given, count),
                  "Give one for all, or one for each.");
      return false;
    }
    for (const double sense : i.fields[senses_].numbers)
      if (sense != 1 && sense != -1) {
        sink.report(Severity::error, number, senses_, Message("a sense is {}", sense),
                    "Give 1 for a pulley that turns as the first one does, -1 for one on the other side of the belt.");
        return false;
      }
    return true;
  }
};

/// q_left + q_right − 2 q_cage = 0.
class Differential final : public LinearCoupling {
  static constexpr std::array specs{
      joint_field("cage", "the joint that turns the cage"),
      joint_field("left",
                  "the joint that turns one shaft, based on the same body; its axis points as that of the cage"),
      joint_field("right",
                  "the joint that turns the other shaft, based on the same body; its axis points as that of the cage")};

 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "differential-gear",
        .meaning = "the cage turns with the mean of two shafts, which get equal torques",
        .fields = specs,
        .rows = torque_rows};
    return descriptor;
  }
  bool needs_same_base() const noexcept override { return true; }
  Primitive::Kind motion(std::size_t) const noexcept override { return rotation; }
  double factor(const ElementInstance&, std::size_t, std::size_t k) const noexcept override { return k == 0 ? -2 : 1; }
};

/// r_s q_s + r_r q_r − (r_s + r_r) q_c = 0 (Willis).
class PlanetaryGear final : public LinearCoupling {
  enum Field : std::size_t { sun, ring, carrier, sun_radius, ring_radius };
  static constexpr std::array specs{
      joint_field("sun", "the joint that turns the sun wheel"),
      joint_field("ring",
                  "the joint that turns the ring wheel, based on the same body; its axis points as that of the sun"),
      joint_field("carrier",
                  "the joint that turns the carrier, based on the same body; its axis points as that of the sun"),
      radius_field("sun_radius", "pitch radius of the sun wheel"),
      radius_field("ring_radius", "pitch radius of the ring wheel, beyond that of the sun")};

 public:
  const TypeDescriptor& descriptor() const noexcept override {
    static constexpr TypeDescriptor descriptor{
        .name = "planetary-gear",
        .meaning = "sun, ring and carrier of a planetary gear whose planets have no inertia of their own",
        .fields = specs,
        .rows = tooth_rows};
    return descriptor;
  }
  bool needs_same_base() const noexcept override { return true; }
  Primitive::Kind motion(std::size_t) const noexcept override { return rotation; }
  double factor(const ElementInstance& i, std::size_t, std::size_t k) const noexcept override {
    const double s = i.fields[sun_radius].number, r = i.fields[ring_radius].number;
    return k == 0 ? s : k == 1 ? r : -(s + r);
  }
};

}  // namespace

const ConstraintType& gear() noexcept {
  static constexpr Gear type;
  return type;
}
const ConstraintType& rack_and_pinion() noexcept {
  static constexpr RackAndPinion type;
  return type;
}
const ConstraintType& screw() noexcept {
  static constexpr Screw type;
  return type;
}
const ConstraintType& belt() noexcept {
  static constexpr Belt type;
  return type;
}
const ConstraintType& differential() noexcept {
  static constexpr Differential type;
  return type;
}
const ConstraintType& planetary_gear() noexcept {
  static constexpr PlanetaryGear type;
  return type;
}

}  // namespace polyform::couplings
