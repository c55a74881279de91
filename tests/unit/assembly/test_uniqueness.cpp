// Which components of reactions the equations of motion determine where constraints are redundant, by statics.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "tests/unit/assembly/assembled.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A bar of 2 m along x between two joints to ground at its ends, in a world that is moved by `far` along y.
std::string bar(const std::string& left, const std::string& right, const std::string& far = "0") {
  return R"(
polyform: 1
bodies:
  - {name: bar, position: [0, )" +
         far + R"(, 0], mass: 3, center_of_mass: [1, 0, 0], inertia: {xx: 0.1, yy: 1, zz: 1}}
joints:
  - {name: left, )" +
         left + ", base: ground, moving: bar, position: [0, " + far + R"(, 0]}
  - {name: right, )" +
         right + ", base: bar, moving: ground, position: [2, " + far + ", 0]}\n";
}

/// A planar four-bar whose plane holds x and the given direction across it.
std::string four_bar(const std::string& across, const std::string& up, const std::string& more = "") {
  const auto at_height = [&](double x) { return fmt::format("[{}, {}]", x, up); };
  const auto link = [&](const std::string& name, const std::string& place) {
    return "  - {name: " + name + ", position: " + place +
           ", mass: 1, center_of_mass: [0, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}\n";
  };
  const auto pin = [&](const std::string& name, const std::string& base, const std::string& moving,
                       const std::string& place) {
    return "  - {name: " + name + ", type: revolute, base: " + base + ", moving: " + moving + ", position: " + place +
           ", axis: " + across + "}\n";
  };
  return "polyform: 1\nbodies:\n" + link("crank", "[0, 0, 0]") + link("rod", at_height(0.3)) +
         link("rocker", "[2, 0, 0]") + "joints:\n" + pin("A", "ground", "crank", "[0, 0, 0]") +
         pin("B", "crank", "rod", at_height(0.3)) + pin("C", "rod", "rocker", at_height(2.1)) +
         pin("D", "rocker", "ground", "[2, 0, 0]") + more;
}

/// Components mx my mz fx fy fz of a joint: 1 if it is unique.
std::string unique_of(const Assembled& model, std::string_view joint) {
  for (const host::OpenDirections& open : model.system->count_constraints().open)
    if (model.system->view().joints[at(open.joint())].name == joint) {
      std::string text;
      for (const bool unique : open.unique()) text += unique ? '1' : '0';
      return text;
    }
  return "111111";
}

}  // namespace

TEST_CASE("a planar mechanism leaves open what acts across its plane, and nothing in it") {
  const Assembled model(four_bar("[0, 0, 1]", "0.7, 0"));
  for (const char* joint : {"A", "B", "C", "D"}) CHECK(unique_of(model, joint) == "001110");
}

TEST_CASE("the size of a planar mechanism does not decide what is open") {
  for (const double size : {1e-9, 1e-6, 1e-3, 1e3, 1e6}) {
    INFO(size);
    const auto place = [&](double x, double y) { return fmt::format("[{}, {}, 0]", x * size, y * size); };
    const auto link = [&](const std::string& name, double x, double y) {
      return fmt::format(
          "  - {{name: {}, position: {}, mass: 1, center_of_mass: {}, "
          "inertia: {{xx: {}, yy: {}, zz: {}}}}}\n",
          name, place(x, y), place(0.3, 0.1), size * size, size * size, size * size);
    };
    const auto pin = [&](const std::string& name, const std::string& base, const std::string& moving, double x,
                         double y) {
      return "  - {name: " + name + ", type: revolute, base: " + base + ", moving: " + moving +
             ", position: " + place(x, y) + ", axis: [0, 0, 1]}\n";
    };
    const Assembled model("polyform: 1\nbodies:\n" + link("crank", 0, 0) + link("rod", 0.3, 0.4) +
                          link("rocker", 1.1, 0) + "joints:\n" + pin("A", "ground", "crank", 0, 0) +
                          pin("B", "crank", "rod", 0.3, 0.4) + pin("C", "rod", "rocker", 1.3, 0.9) +
                          pin("D", "ground", "rocker", 1.1, 0));
    for (const char* joint : {"A", "B", "C", "D"}) CHECK(unique_of(model, joint) == "001110");
  }
}

TEST_CASE("frames without mass whose joints stand in their origin up to rounding leave the same open") {
  for (const char* const off : {"0", "1e-17", "1e-15", "1e-12"}) {
    INFO(off);
    const std::string frame = "mass: 0, inertia: {xx: 0, yy: 0, zz: 0}",
                      link = "mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}";
    const Assembled model(
        "polyform: 1\nbodies:\n  - {name: frame, " + frame + "}\n  - {name: a, " + link +
        "}\n  - {name: b, position: [1, 0, 0], " + link + "}\njoints:\n" +
        "  - {name: A, type: revolute, base: ground, moving: frame, position: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  - {name: weld, type: fixed, base: frame, moving: a, position: [0, " +
        off +
        ", 0]}\n"
        "  - {name: B, type: revolute, base: a, moving: b, position: [1, 0, 0], axis: [0, 0, 1]}\n"
        "  - {name: C, type: revolute, base: b, moving: ground, position: [1, 1, 0], axis: [0, 0, 1]}\n");
    for (const char* joint : {"A", "weld", "B", "C"}) CHECK(unique_of(model, joint) == "001110");
  }
}

TEST_CASE("in a tilted plane directions are unique that are no components") {
  const Assembled model(four_bar("[0, -0.6, 0.8]", "0.56, 0.42"));
  const auto open = model.system->count_constraints().open;
  REQUIRE(open.size() == 4);
  for (const host::OpenDirections& directions : open) {
    CHECK(directions.count() == 3);
    CHECK(directions.unique() == std::array<bool, 6>{false, false, false, true, false, false});
    const Spatial in_plane{{0, -1.2, 1.6}, {5, 4, 3}}, across{{7, 0.8, 0.6}, {0, -3, 4}};
    const Spatial kept = directions.unique_part(in_plane + across);
    for (std::size_t c = 0; c < 6; ++c) CHECK(kept[c] == Approx(in_plane[c]).margin(1e-9));
  }
}

TEST_CASE("what is unique in a tilted plane is told by directions") {
  const Assembled model(four_bar("[0, -0.6, 0.8]", "0.56, 0.42"));
  for (const host::OpenDirections& open : model.system->count_constraints().open) {
    const host::UniqueDirections along = open.along();
    REQUIRE(along.force.size() == 2);
    REQUIRE(along.moment.size() == 1);
    CHECK(along.combined.empty());
    CHECK(norm(along.force[0] - Vec3{1, 0, 0}) < 1e-9);
    CHECK(norm(along.force[1] - Vec3{0, 0.8, 0.6}) < 1e-9);
    CHECK(norm(along.moment[0] - Vec3{0, -0.6, 0.8}) < 1e-9);
  }
}

TEST_CASE("a force and a moment that are unique only together are told as a combination") {
  // The pin at the left end turns about y, so that the moments about it determine one number of the clamp at the right
  // end: my − 2 m fz.
  const Assembled model(bar("type: revolute, axis: [0, 1, 0]", "type: fixed"));
  const std::vector<host::OpenDirections> open = model.system->count_constraints().open;
  REQUIRE(open.size() == 2);
  const host::UniqueDirections pin = open[0].along(), clamp = open[1].along();
  REQUIRE(pin.moment.size() == 1);
  CHECK(pin.count() == 1);
  CHECK(norm(pin.moment[0] - Vec3{0, 1, 0}) < 1e-9);
  REQUIRE(clamp.combined.size() == 1);
  CHECK(clamp.count() == 1);
  const Spatial& c = clamp.combined[0];
  CHECK(c.linear.z == Approx(-2 * c.angular.y));
  CHECK(norm(c.angular - Vec3{0, c.angular.y, 0}) + norm(c.linear - Vec3{0, 0, c.linear.z}) < 1e-9);
}

TEST_CASE("two drives of one pin leave no reaction of a joint of a tree open that is not theirs") {
  const Assembled pin(R"(
polyform: 1
bodies:
  - {name: rod, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.08, zz: 0.08}}
joints:
  - {name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1]}
constraints:
  - {name: d1, type: prescribed-motion, joint: pin, motion: 0}
  - {name: d2, type: prescribed-motion, joint: pin, motion: 0}
)");
  const host::ConstraintCount count = pin.system->count_constraints();
  CHECK(count.redundant == 1);
  CHECK(count.redundant_joints.empty());  // their sum is what the pin transmits
}

TEST_CASE("between two ball joints only the force along the line is open, however far from the origin") {
  for (const char* far : {"0", "1e5"}) {
    const Assembled model(bar("type: spherical", "type: spherical", far));
    CHECK(unique_of(model, "left") == "111011");
    CHECK(unique_of(model, "right") == "111011");
  }
}

TEST_CASE("a bar clamped at both ends leaves all open, one on a slide but what the slide gives way to") {
  const Assembled clamped(bar("type: fixed", "type: fixed"));
  CHECK(unique_of(clamped, "left") == "000000");
  const Assembled sliding(bar("type: fixed", "type: prismatic, axis: [1, 0, 0]"));
  CHECK(unique_of(sliding, "left") == "000100");
  CHECK(unique_of(sliding, "right") == "000100");
}

TEST_CASE("two drives of one degree of freedom leave their torques open") {
  const Assembled one(
      four_bar("[0, 0, 1]", "0.7, 0", "constraints:\n  - {name: a, type: prescribed-motion, joint: A, motion: 0}\n"));
  CHECK(unique_of(one, "A") == "001110");
  CHECK(unique_of(one, "D") == "001110");
  const Assembled two(four_bar("[0, 0, 1]", "0.7, 0",
                               "constraints:\n  - {name: a, type: prescribed-motion, joint: A, motion: 0}\n"
                               "  - {name: d, type: prescribed-motion, joint: D, motion: 0}\n"));
  CHECK(unique_of(two, "A").substr(0, 3) == "000");
  CHECK(unique_of(two, "D").substr(0, 3) == "000");
  CHECK(unique_of(two, "B").substr(0, 3) == "001");  // a pin without a drive carries no torque
}

TEST_CASE("constraints that a solver leaves out make none redundant") {
  const Assembled model(four_bar("[0, 0, 1]", "0.7, 0"));
  const host::System& system = *model.system;
  std::vector<bool> absent(system.view().joints.size());
  absent.back() = true;  // the loop is open
  const host::ConstraintCount open = system.count_constraints(0, system.initial_state(), absent);
  CHECK(open.redundant == 0);
  CHECK(open.degrees_of_freedom == 3);
  const host::ConstraintCount none =
      system.count_constraints(0, system.initial_state(), std::vector<bool>(absent.size(), true));
  CHECK(none.redundant == 0);
  CHECK(none.degrees_of_freedom == 18);
}
