// Where a hinge still has inertia to move, and where it has none.
#include <catch2/catch.hpp>

#include <string>

#include "polyform/mechanics/transfer.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A wheel on a pin with a motor of 2.5 N m; inertia: of the wheel about its centre, which is on the pin.
std::string wheel(const std::string& inertia) {
  return "polyform: 1\nname: wheel\ngravity: [0, 0, 0]\nbodies:\n  - {name: wheel, mass: 1, inertia: " + inertia + R"(}
joints:
  - {name: pin, type: revolute, base: ground, moving: wheel, position: [0, 0, 0], axis: [0, 0, 1]}
forces:
  - {name: motor, type: joint-force, joint: pin, effort: 2.5}
)";
}

}  // namespace

TEST_CASE("an inertia that is small only against those about other axes moves its hinge") {
  // The disc turns freely on the wheel and lends it its inertia about the other axes.
  std::string text = wheel("{xx: 1, yy: 1, zz: 0.1}");
  text.insert(text.find("joints:"), "  - {name: disc, mass: 1, inertia: {xx: 1e14, yy: 1e14, zz: 1}}\n");
  text.insert(text.find("forces:"),
              "  - {name: inner, type: revolute, base: wheel, moving: disc, position: [0, 0, 0], axis: [0, 0, 1]}\n");
  const auto system = system_from_text(text);
  const auto solver = solver_for(*system, *registry().catalog().formulations.at("riccati"));
  const std::vector<double> y = initial_vector(*system, *solver);
  std::vector<double> rate(y.size());
  REQUIRE(solver->derivative(0, y, rate) == Status::ok);
  CHECK(rate[2] == Approx(25).epsilon(1e-12));
  CHECK(rate[3] == Approx(-25).epsilon(1e-12));
}

TEST_CASE("a hinge whose body has no inertia about it fails by name, however large the others are") {
  const auto system = system_from_text(wheel("{xx: 1, yy: 1, zz: 0}"));
  const auto solver = solver_for(*system, *registry().catalog().formulations.at("riccati"));
  const std::vector<double> y = initial_vector(*system, *solver);
  std::vector<double> rate(y.size());
  CHECK(solver->derivative(0, y, rate) == Status::failed);
  CHECK(std::string(solver->failure()).find("joint `pin` moves body `wheel`") != std::string::npos);
}

TEST_CASE("a pivot of rounding alone does not count") {
  // S after a hinge with the same axis has been eliminated: its inertia about that axis is rounding.
  Transfer<double> s;
  s.aa = {1, 1, 1e-17, 0, 0, 0};
  Column<double> column;
  column.H.angular = {0, 0, 1};
  CHECK_FALSE(prepare_rotation(s, column, 0.0));
  CHECK_FALSE(prepare_small_rotation(s, column, 0.0, 0.0));
  // A body's own inertia gives the same pivot.
  CHECK(prepare_small_rotation(s, column, 2e-17, 1e-17));
  CHECK(column.inverse * column.free == Approx(2));
}
