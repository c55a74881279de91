// What the joint types declare, and what they say of fields that contradict each other.
#include <catch2/catch.hpp>

#include "tests/elements/joint_case.hpp"

namespace polyform::test {
namespace {

/// Defines a joint of a type; the reports are in sink.
bool define(std::string_view name, const FieldSet& fields, RecordingSink& sink, Defined& defined) {
  return joint_type(name).define({.fields = fields.values()}, defined, sink);
}
std::vector<std::string> required_fields(std::string_view name) {
  std::vector<std::string> out;
  for (const FieldSpec& spec : joint_type(name).fields())
    if (spec.required) out.emplace_back(spec.name);
  return out;
}

}  // namespace

TEST_CASE("joint types require what places them") {
  using Names = std::vector<std::string>;
  for (const std::string_view name : {"fixed", "spherical"}) CHECK(required_fields(name) == Names{"position"});
  for (const std::string_view name :
       {"revolute", "prismatic", "cylindrical", "planar", "parallel", "point-on-line", "point-on-plane"})
    CHECK(required_fields(name) == Names{"position", "axis"});
  for (const std::string_view name : {"universal", "perpendicular"})
    CHECK(required_fields(name) == Names{"position", "axis", "axis2"});
  CHECK(required_fields("free").empty());
  CHECK(required_fields("helical") == Names{"position", "axis", "pitch"});
}

TEST_CASE("joint types state sizes of their coordinates") {
  Random random(51);
  const std::array<std::array<std::size_t, 2>, joint_names.size()> expected{
      {{0, 0}, {1, 1}, {1, 1}, {2, 2}, {3, 3}, {2, 2}, {4, 3}, {7, 6}, {1, 1}, {5, 5}, {4, 4}, {5, 4}, {6, 5}}};
  for (std::size_t i = 0; i < joint_names.size(); ++i) {
    INFO(joint_names[i]);
    const JointCase made(joint_names[i], random);
    CHECK(made.joint().nq == expected[i][0]);
    CHECK(made.joint().nv == expected[i][1]);
  }
}

TEST_CASE("a universal joint with parallel axes is an error") {
  for (const double sign : {1.0, -1.0}) {
    FieldSet fields(joint_type("universal").fields());
    fields.vector("axis", {0, 0, 1}).vector("axis2", {5e-7, 0, sign});
    RecordingSink sink(fields.specs());
    Defined defined;
    CHECK_FALSE(define("universal", fields, sink, defined));
    REQUIRE(sink.reports.size() == 1);
    CHECK(sink.reports[0] ==
          std::string("axis2: `axis` [0, 0, 1] and `axis2` [5e-07, 0, ") + (sign > 0 ? "1" : "-1") +
              "] of the universal joint are parallel: the two turns would be one | Give two axes that differ "
              "in direction, or use a revolute joint.");
  }
}

TEST_CASE("the angle that a perpendicular joint keeps is none where its axes are parallel") {
  FieldSet fields(joint_type("perpendicular").fields());
  fields.vector("axis", {0, 0, 1}).vector("axis2", {0, 0, -1});
  RecordingSink sink(fields.specs());
  Defined defined;
  CHECK_FALSE(define("perpendicular", fields, sink, defined));
  REQUIRE(sink.reports.size() == 1);
  CHECK(sink.reports[0] ==
        "axis2: `axis` [0, 0, 1] and `axis2` [0, 0, -1] of the perpendicular joint are parallel: the two turns would "
        "be one | Give two axes that differ in direction, or use a parallel joint.");
}

TEST_CASE("a universal joint with axes that are not perpendicular is none") {
  FieldSet fields(joint_type("universal").fields());
  fields.vector("axis", {0, 0, 1}).vector("axis2", {0.6, 0, 0.8});
  RecordingSink sink(fields.specs());
  Defined defined;
  CHECK(define("universal", fields, sink, defined));
  CHECK(sink.reports.empty());
}

TEST_CASE("a planar joint wants its first direction in the plane") {
  FieldSet fields(joint_type("planar").fields());
  fields.vector("axis", {0, 0, 1});
  Defined defined;
  RecordingSink sink(fields.specs());
  SECTION("a direction off the plane is an error that gives the nearest one in it") {
    fields.vector("axis2", {0.8, 0, 0.6});
    CHECK_FALSE(define("planar", fields, sink, defined));
    REQUIRE(sink.reports.size() == 1);
    CHECK(sink.reports[0] ==
          "axis2: `axis2` [0.8, 0, 0.6] does not lie in the plane with the normal `axis` [0, 0, 1]: they make an angle "
          "of 0.927295 "
          "rad, not π/2 | The nearest direction in the plane is [1, 0, 0].");
  }
  SECTION("the normal itself has none nearest") {
    fields.vector("axis2", {0, 0, -1});
    CHECK_FALSE(define("planar", fields, sink, defined));
    REQUIRE(sink.reports.size() == 1);
    CHECK(sink.reports[0].find("| Give a direction perpendicular to `axis`, or leave `axis2` out.") !=
          std::string::npos);
  }
  SECTION("rounding is projected away") {
    fields.vector("axis2", {1, 0, 5e-7});
    REQUIRE(define("planar", fields, sink, defined));
    CHECK(distance(defined.primitives[0].axis, {1, 0, 0}) == 0);
    CHECK(distance(defined.primitives[1].axis, {0, 1, 0}) == 0);
  }
}

TEST_CASE("a planar joint without axis2 takes ground x, or ground y where x is near the normal") {
  struct Expected {
    Vec3 normal, first;
  };
  for (const Expected& e : {Expected{{0, 0, 1}, {1, 0, 0}}, Expected{{0, 1, 0}, {1, 0, 0}},
                            Expected{{1, 0, 0}, {0, 1, 0}}, Expected{{0.6, 0.8, 0}, {0.8, -0.6, 0}}}) {
    FieldSet fields(joint_type("planar").fields());
    fields.vector("axis", e.normal);
    RecordingSink sink(fields.specs());
    Defined defined;
    REQUIRE(define("planar", fields, sink, defined));
    REQUIRE(defined.primitives.size() == 3);
    CHECK(distance(defined.primitives[0].axis, e.first) < 1e-15);
    CHECK(distance(defined.primitives[1].axis, cross(e.normal, e.first)) < 1e-15);
  }
}

TEST_CASE("a free joint does not use position and axis") {
  const JointType& type = joint_type("free");
  FieldSet plain(type.fields()), placed(type.fields());
  placed.vector("position", {1, 2, 3}).vector("axis", {0, 1, 0});
  Random random(52);
  const Pose base = random.pose(), moving = random.pose();
  RecordingSink sink(type.fields());
  Defined a, b;
  REQUIRE(type.define({.fields = plain.values(), .base = base, .moving = moving}, a, sink));
  REQUIRE(type.define({.fields = placed.values(), .base = base, .moving = moving}, b, sink));
  CHECK(distance(a.position, moving.position) == 0);
  CHECK(distance(b.position, moving.position) == 0);
  for (std::size_t k = 0; k < 4; ++k) CHECK(distance(a.primitives[k].axis, b.primitives[k].axis) == 0);
}

TEST_CASE("a screw without pitch is an error") {
  FieldSet fields(joint_type("helical").fields());
  fields.vector("axis", {0, 0, 1}).number("pitch", 0);
  RecordingSink sink(fields.specs());
  Defined defined;
  CHECK_FALSE(define("helical", fields, sink, defined));
  REQUIRE(sink.reports.size() == 1);
  CHECK(sink.reports[0] ==
        "pitch: the pitch of a screw is 0: it would turn and not advance | Give the advance per turn, or use a "
        "revolute joint.");
}

}  // namespace polyform::test
