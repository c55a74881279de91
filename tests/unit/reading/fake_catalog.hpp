// Element types that only declare fields: enough for reading, which never calls more.
#pragma once

#include <array>
#include <string_view>

#include "framework/host/registry/catalog.hpp"

namespace polyform::host::testing {

inline FieldSpec field(std::string_view name, FieldType type, std::string_view unit = {}, bool required = false,
                       std::string_view default_text = {}) {
  FieldSpec out;
  out.name = name;
  out.type = type;
  out.unit = unit;
  out.meaning = "for the tests";
  out.required = required;
  out.default_text = default_text;
  return out;
}
inline FieldSpec at_least_zero(FieldSpec spec) {
  spec.minimum = 0;
  return spec;
}
inline FieldSpec positive(FieldSpec spec) {
  spec.minimum = 0;
  spec.exclusive_minimum = true;
  return spec;
}

/// What all element types have in common.
template <class Base>
class Fake : public Base {
 public:
  Fake(std::string_view name, std::vector<FieldSpec> specs)
      : specs_(std::move(specs)), descriptor_{.name = name, .meaning = "for the tests", .fields = specs_} {}
  const TypeDescriptor& descriptor() const noexcept override { return descriptor_; }

 private:
  std::vector<FieldSpec> specs_;

 protected:
  TypeDescriptor descriptor_;
};

class FakeJoint final : public Fake<JointType> {
 public:
  using Fake::Fake;
  bool define(const JointInstance&, JointDefinition&, FieldSink&) const noexcept override { return true; }
};
class FakeForce final : public Fake<ForceType> {
 public:
  using Fake::Fake;
  bool define(ElementInstance&, std::size_t, FieldSink&) const noexcept override { return true; }
  ForceBatch* create(Strided<const ElementInstance>) const noexcept override { return nullptr; }
};
class FakeConstraint final : public Fake<ConstraintType> {
 public:
  using Fake::Fake;
  bool holonomic() const noexcept override { return true; }
  std::size_t rows(const ElementInstance&) const noexcept override { return 1; }
  bool define(ElementInstance&, std::size_t, FieldSink&) const noexcept override { return true; }
  ConstraintBatch* create(Strided<const ElementInstance>) const noexcept override { return nullptr; }
};
class FakeModule final : public Fake<ModuleType> {
 public:
  FakeModule(std::string_view name, std::vector<FieldSpec> specs) : Fake(name, std::move(specs)) {
    descriptor_.variables = descriptor_.rows = one;
  }
  bool define(ElementInstance&, std::size_t, FieldSink&) const noexcept override { return true; }
  ModuleBatch* create(Strided<const ElementInstance>) const noexcept override { return nullptr; }

 private:
  static constexpr Variable one[] = {{"current", "A"}};
};
class FakeFlexible final : public Fake<FlexibleBodyType> {
 public:
  using Fake::Fake;
  std::size_t modes(const FlexibleInstance&) const noexcept override { return 1; }
  bool define(const FlexibleInstance&, std::size_t, FieldSink&) const noexcept override { return true; }
  bool shapes_at(const FlexibleInstance&, const Vec3&, ModeShapes&) const noexcept override { return true; }
  void initial_state(const FlexibleInstance&, std::span<double>, std::span<double>) const noexcept override {}
  void mass_moment(const FlexibleInstance&, std::span<const double>, double&, Vec3&) const noexcept override {}
  FlexibleBatch* create(Strided<const FlexibleInstance>) const noexcept override { return nullptr; }
};

/// A catalog with one or more types of each kind.
inline const Catalog& fake_catalog() {
  using enum FieldType;
  static const std::array<std::string_view, 2> axes{"ground", "body"};
  static const std::array<std::string_view, 3> boundaries{"clamped-free", "pinned-pinned", "free-free"};
  const auto choose = [](FieldSpec spec, std::span<const std::string_view> choices) {
    spec.choices = choices;
    return spec;
  };
  const FieldSpec position = field("position", vector3, "m", true), axis = field("axis", direction, "", true);
  static const FakeJoint revolute("revolute", {position, axis}), prismatic("prismatic", {position, axis}),
      spherical("spherical", {position}), universal("universal", {position, axis, field("axis2", direction, "", true)}),
      free_joint("free", {field("position", vector3, "m")});
  static const FakeForce spring("spring-damper", {field("a", marker, "", true), field("b", marker, "", true),
                                                  at_least_zero(field("stiffness", number, "N/m", true)),
                                                  at_least_zero(field("damping", number, "N s/m", false, "0")),
                                                  positive(field("free_length", number, "m"))});
  static const FakeForce joint_force(
      "joint-force", {field("joint", joint, "", true), field("effort", time_functions, "N or N m", true)});
  static const FakeForce wind("point-force",
                              {field("body", body, "", true), field("point", vector3, "m", false, "[0, 0, 0]"),
                               field("force", time_functions, "N", false, "[0, 0, 0]"),
                               choose(field("axes", choice, "", false, "ground"), axes)});
  static const FakeForce everything(
      "everything", {field("flag", boolean, "", false, "true"), at_least_zero(field("n", integer, "", false, "3")),
                     field("label", text), field("turn", orientation), field("list", numbers, "m", false, "[1, 2]"),
                     field("matrix", matrix, "N/m"), field("law", time_function, "N", false, "1.5")});
  static const FakeForce broken("broken-default", {field("x", number, "m", false, "many")});
  static const FakeConstraint drive("prescribed-motion",
                                    {field("joint", joint, "", true), field("motion", time_function, "rad", true)});
  static const FakeModule motor("dc-motor",
                                {field("joint", joint, "", true), positive(field("resistance", number, "ohm", true))});
  static const FakeFlexible beam(
      "flexible-beam",
      {positive(field("length", number, "m", true)), field("linear_density", number, "kg/m", true),
       field("bending_stiffness", number, "N m²", true), at_least_zero(field("modes", integer, "", true)),
       choose(field("boundary", choice, "", true), boundaries), field("modal_position", numbers),
       field("modal_velocity", numbers)});
  static const Catalog catalog = [] {
    Catalog c;
    for (const FakeJoint* j : {&revolute, &prismatic, &spherical, &universal, &free_joint})
      c.joints.emplace(j->name(), j);
    for (const FakeForce* f : {&spring, &joint_force, &wind, &everything, &broken}) c.forces.emplace(f->name(), f);
    c.constraints.emplace(drive.name(), &drive);
    c.modules.emplace(motor.name(), &motor);
    c.flexible_bodies.emplace(beam.name(), &beam);
    return c;
  }();
  return catalog;
}

}  // namespace polyform::host::testing
