// Tests of one element by itself, as authors write them.
#include "plugins/elements/forces/force_types.hpp"
#include "polyform/helpers/element_test.hpp"
#include "tests/offers/offers.hpp"

using namespace polyform;

TEST_CASE("a spring by itself: defaults, loads, energy and power") {
  testing::ElementTest spring(forces::spring_damper());
  spring.set("stiffness", 50).set("damping", 2).set("free_length", 0.8).attach("a").attach("b");
  spring.create();
  spring.marker(1).position = {0, 0, -1};
  spring.marker(1).velocity = {0, 0, -3};
  const auto load = spring.evaluate();
  CHECK(load.wrenches[1].linear.z == Approx(50 * 0.2 + 2 * 3));
  CHECK(load.wrenches[0].linear.z == Approx(-16));
  CHECK(load.potential_energy == Approx(1));
  CHECK(load.power == Approx(-18));
}

TEST_CASE("a default of the type itself needs the drawing") {
  testing::ElementTest spring(forces::spring_damper());
  spring.set("stiffness", 50).attach("a", body_index(0)).attach("b", BodyIndex::ground, {0, 3, 0});
  spring.create();
  CHECK(spring.evaluate().potential_energy == Approx(0).margin(1e-12));  // free_length is 3 m as drawn
}

TEST_CASE("a cable by itself: list of points, outputs, events") {
  testing::ElementTest rope(forces::cable());
  rope.set("stiffness", 100).set("free_length", 2);
  for (const double x : {0.0, 1.0, 2.5}) rope.attach("points", Vec3{x, 0, 0});
  rope.create();
  CHECK(rope.outputs() == std::vector<double>{2.5, 50});
  EventOutput out;
  double value = 0, rate = 0;
  out.values = {&value, 1};
  out.rates = {&rate, 1};
  auto* const events = ask<EventSource>(rope.batch());
  REQUIRE(events != nullptr);
  const ForceInput attachments{.markers = {&rope.marker(0), 3}};
  EventInput in;
  in.attachments = &attachments;
  events->evaluate_events(in, out);
  CHECK(value == Approx(0.5));
}

TEST_CASE("states begin with the motion that is set") {
  testing::ElementTest sensor(forces::inertial_sensor());
  sensor.set("lag", 0.1).attach("at");
  sensor.create();
  sensor.marker(0).angular_velocity = {1, 2, 3};
  CHECK(sensor.evaluate().state_rates == std::vector<double>{10, 20, 30});
  sensor.begin_with_motion();
  CHECK(sensor.states == std::vector<double>{1, 2, 3});
  const Spatial still[1]{};
  CHECK(sensor.outputs({.accelerations = still})[2] == Approx(9.81));
}

TEST_CASE("misuse is told") {
  testing::ElementTest spring(forces::spring_damper());
  CHECK_THROWS_WITH(spring.set("stifness", 1), Catch::Contains("'stifness' is none of this type"));
  CHECK_THROWS_WITH(spring.attach("stiffness"), Catch::Contains("attaches to no body"));
  CHECK_THROWS_WITH(spring.create(), Catch::Contains("'a' is attached to one thing"));
  testing::ElementTest same(forces::spring_damper());
  same.set("stiffness", 1).attach("a", body_index(0)).attach("b", body_index(0));
  CHECK_THROWS_WITH(same.create(), Catch::Contains("fixed in the same body"));
}
