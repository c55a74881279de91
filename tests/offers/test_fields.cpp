// Lists of attachments as fields, and the facts about the model that elements get.
#include "framework/host/assembly/system.hpp"
#include "polyform/contract/system_view.hpp"
#include "tests/offers/offers.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

std::string with_points(const std::string& points) {
  return R"(
polyform: 1
gravity: [0, 0, -3]
bodies:
  - {name: a, mass: 1, center_of_mass: [0.1, 0, 0], inertia: {xx: 1, yy: 2, zz: 2.5}}
  - {name: b, position: [1, 0, 0], mass: 2, center_of_mass: [0, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}
forces:
  - {name: rope, type: cable, stiffness: 10, points: )" +
         points + "}\n";
}

}  // namespace

TEST_CASE("markers come from a list in its order, with the inertias of their bodies and gravity") {
  const auto system = system_from_text(
      with_points("[{body: b, point: [0, 1, 0]}, {body: ground, point: [0, 0, 1]}, {body: a, point: [1, 0, 0]}]"));
  const ForceInstances& group = system->view().forces[0];
  const ElementInstance& instance = group.instances[0];
  REQUIRE(instance.markers.size() == 3);
  const auto name = [&](std::size_t k) {
    const BodyIndex b = instance.markers[k].body;
    return is_ground(b) ? std::string_view("ground") : system->view().bodies[at(b)].name;
  };
  CHECK(name(0) == "b");
  CHECK(name(1) == "ground");
  CHECK(name(2) == "a");
  CHECK(instance.markers[0].point.y == 1);
  CHECK(instance.fields[0].bodies.size() == 3);
  CHECK(instance.fields[0].bodies[0] == instance.markers[0].body);
  CHECK(instance.gravity.z == -3);
  REQUIRE(instance.inertias.size() == 3);
  CHECK(instance.inertias[0].mass == 2);
  CHECK(instance.inertias[1].mass == 0);
  CHECK(instance.inertias[2].center_of_mass.x == 0.1);
  CHECK(instance.inertias[2].inertia.zz == 2.5);
}

TEST_CASE("the inertia of a flexible body is that of the whole") {
  const auto system = system_from_text(R"(
polyform: 1
bodies:
  - {name: beam, type: flexible-beam, length: 2, linear_density: 3, bending_stiffness: 100, modes: 2, boundary: clamped-free, mass: 1, center_of_mass: [0, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
forces:
  - {name: rope, type: cable, stiffness: 10, points: [{body: beam, point: [2, 0, 0]}, {body: ground, point: [2, 1, 0]}]}
)");
  const BodyInertia found = system->view().forces[0].instances[0].inertias[0];
  CHECK(found.mass == Approx(7));
  CHECK(found.center_of_mass.x == Approx(6.0 / 7));
  CHECK(found.center_of_mass.y == Approx(0).margin(1e-12));
  CHECK(found.inertia.zz == Approx(0.1 + 3 * 8.0 / 3 - 36.0 / 7));
}

TEST_CASE("mistakes in lists are told with their places") {
  const auto message = [](const std::string& points) { return assembled(with_points(points)).first; };
  CHECK_THAT(message("[{body: a, point: [0, 0, 0]}, {body: c}]"),
             Catch::Contains("points[1]") && Catch::Contains("'c'"));
  CHECK_THAT(message("[{body: a, point: [0, 0]}, {body: b}]"), Catch::Contains("points[0].point"));
  CHECK_THAT(message("{body: a, point: [0, 0, 0]}"), Catch::Contains("two points at least"));
  CHECK_THAT(message("[{body: a}, {body: a, point: [1, 0, 0]}]"), Catch::Contains("fixed in the same body"));
  CHECK_THAT(message("[a, b]"), Catch::Contains("a point of a body"));
}
