// The description that is read from a valid model.
#include <fmt/format.h>

#include <cmath>

#include "tests/unit/reading/reading.hpp"

using namespace polyform;
using namespace polyform::host;
using namespace polyform::host::testing;

namespace {

const std::string hinged_rods = R"(
polyform: 1
name: hinged rods
gravity: [0, -9.81, 0]
bodies:
  - name: rod
    position: [1, 2, 3]
    orientation: {axis: [0, 0, 2], angle: 0.5}
    mass: 1.5
    center_of_mass: [0.5, 0, 0]
    inertia: {xx: 0, yy: 0.0833, zz: 0.0833}
    velocity: [1, 0, 0]
    geometry: [{type: cylinder, radius: 0.1, length: 2, position: [1, 0, 0], orientation: {axis: [0, 1, 0], angle: 1}},
               {type: box, size: [1, 2, 3]}, {type: sphere, radius: 0.2}]
  - name: tip
    type: rigid
    mass: 0
    inertia: {xx: 1, yy: 2, zz: 2.5, xy: 0.1, xz: -0.2, yz: 0.3}
    orientation: [-1, 0, 0, 0]
    angular_velocity: [0, 0, 1]
joints:
  - {name: pin, type: revolute, base: ground, moving: rod, position: [1, 2, 3], axis: [0, 3, 4],
     initial: {position: 0.3, velocity: [1.0]}}
  - {name: ball, type: spherical, base: rod, moving: tip, position: [2, 2, 3], cut: true}
forces:
  - {name: s, type: spring-damper, a: {body: rod, point: [1, 0, 0]}, b: {body: ground}, stiffness: 100}
  - {name: m, type: joint-force, joint: ball, effort: [1, {sine: {amplitude: 2, frequency: 3, phase: 0.5}}, 2.5]}
constraints:
  - {name: drive, type: prescribed-motion, joint: pin, motion: {ramp: {rate: 2, start: 1, end: 3}}}
modules:
  - {name: motor, type: dc-motor, joint: pin, resistance: 2}
subsystems:
  - {name: all, bodies: [rod], subsystems: [{name: inner, bodies: [tip]}]}
simulation: {duration: 5, integrator: rk4, step: 0.001, tolerance: {relative: 1e-8, absolute: 1e-10},
             output_interval: 0.01}
solver: {name: riccati, options: {order: 3, label: "3", list: [1, a]}}
)";

}  // namespace

TEST_CASE("a name may hold characters that JSON writes as surrogates") {
  const std::string json = R"({"polyform": 1, "name": "a \ud83d\ude00 \\ud83d b", "bodies": [{"name": "rod", "mass": 1,
    "inertia": {"xx": 1, "yy": 1, "zz": 1}}]})";
  REQUIRE(read_good(json).name == "a \U0001F600 \\ud83d b");
}

TEST_CASE("bodies are read with their values and defaults") {
  const Description model = read_good(hinged_rods);
  REQUIRE(model.name == "hinged rods");
  require_near(model.gravity, {0, -9.81, 0});
  REQUIRE(model.bodies.size() == 2);
  const BodyItem& rod = model.bodies[0];
  REQUIRE(rod.name == "rod");
  REQUIRE(rod.path == "bodies[0]");
  REQUIRE(rod.place.line == 6);
  REQUIRE(rod.place.column == 5);
  require_near(rod.pose.position, {1, 2, 3});
  REQUIRE(rod.pose.orientation.w == Approx(std::cos(0.25)));
  REQUIRE(rod.pose.orientation.z == Approx(std::sin(0.25)));
  REQUIRE(rod.mass == 1.5);
  require_near(rod.center_of_mass, {0.5, 0, 0});
  require_near(*rod.velocity, {1, 0, 0});
  REQUIRE_FALSE(rod.angular_velocity);
  REQUIRE(rod.geometry.size() == 3);
  REQUIRE(rod.geometry[0].kind == GeometricShape::Kind::cylinder);
  REQUIRE(rod.geometry[0].radius == 0.1);
  REQUIRE(rod.geometry[0].length == 2);
  require_near(rod.geometry[0].pose.position, {1, 0, 0});
  REQUIRE(rod.geometry[0].pose.orientation.y == Approx(std::sin(0.5)));
  REQUIRE(rod.geometry[1].kind == GeometricShape::Kind::box);
  require_near(rod.geometry[1].edges, {1, 2, 3});
  REQUIRE(rod.geometry[2].kind == GeometricShape::Kind::sphere);
  REQUIRE(rod.geometry[2].radius == 0.2);
  const BodyItem& tip = model.bodies[1];
  REQUIRE(tip.mass == 0);
  REQUIRE(tip.inertia.yz == 0.3);
  REQUIRE(tip.pose.orientation.w == -1);
  require_near(tip.pose.position, {0, 0, 0});
  REQUIRE_FALSE(tip.velocity);
}

TEST_CASE("joints are read with ends, fields and initial coordinates") {
  const Description model = read_good(hinged_rods);
  REQUIRE(model.joints.size() == 2);
  const JointItem& pin = model.joints[0];
  REQUIRE(pin.type->name() == "revolute");
  REQUIRE(is_ground(pin.base));
  REQUIRE(pin.moving == body_index(0));
  REQUIRE(pin.initial_position == std::vector<double>{0.3});
  REQUIRE(pin.initial_velocity == std::vector<double>{1.0});
  REQUIRE_FALSE(pin.cut);
  REQUIRE(pin.fields.values.size() == 2);
  require_near(pin.fields.values[1].vector, {0, 0.6, 0.8});
  REQUIRE(pin.fields.places[1].line == 22);
  REQUIRE(model.joints[1].cut);
  REQUIRE(model.joints[1].initial_position.empty());
}

TEST_CASE("forces, constraints and modules refer to bodies and joints by number") {
  const Description model = read_good(hinged_rods);
  const std::vector<FieldValue>& s = model.forces[0].fields.values;
  REQUIRE(s[0].body == body_index(0));
  require_near(s[0].vector, {1, 0, 0});
  REQUIRE(is_ground(s[1].body));
  REQUIRE(s[2].number == 100);
  REQUIRE_FALSE(s[3].given);
  REQUIRE(s[3].number == 0);
  REQUIRE_FALSE(s[4].given);
  const std::vector<FieldValue>& m = model.forces[1].fields.values;
  REQUIRE(m[0].joint == joint_index(1));
  REQUIRE(m[1].functions.size() == 3);
  REQUIRE(m[1].functions[1].kind == TimeFunction::Kind::sine);
  REQUIRE(m[1].functions[1].phase == 0.5);
  REQUIRE(model.constraints[0].fields.values[1].functions[0].end == 3);
  REQUIRE(model.modules.size() == 1);
  REQUIRE(model.subsystems.size() == 2);
  REQUIRE(model.subsystems[0].bodies == std::vector{body_index(0)});
  REQUIRE(model.subsystems[1].parent == 0);
  REQUIRE(model.subsystems[1].path == "subsystems[0].subsystems[0]");
}

TEST_CASE("subsystems under the key `modules`, which they had before, are read with a note") {
  const std::string bodies = R"(
polyform: 1
bodies:
  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
)";
  const std::string old = bodies + "modules: [{name: all, bodies: [a], modules: [{name: inner, bodies: [b]}]}]\n";
  const std::string now = bodies + "subsystems: [{name: all, bodies: [a], subsystems: [{name: inner, bodies: [b]}]}]\n";
  const Description before = read_good(old), after = read_good(now);
  REQUIRE(before.subsystems.size() == after.subsystems.size());
  for (std::size_t i = 0; i < after.subsystems.size(); ++i) {
    CHECK(before.subsystems[i].name == after.subsystems[i].name);
    CHECK(before.subsystems[i].bodies == after.subsystems[i].bodies);
    CHECK(before.subsystems[i].parent == after.subsystems[i].parent);
  }
  CHECK(messages_of(now).empty());
  CHECK(messages_of(old).find("note: modules[0]: a named part of the system is a subsystem") != std::string::npos);
}

TEST_CASE("simulation and solver hold what the file says and nothing else") {
  const Description model = read_good(hinged_rods);
  REQUIRE(model.simulation.duration == 5.0);
  REQUIRE(model.simulation.absolute_tolerance == 1e-10);
  REQUIRE(model.simulation.integrator == "rk4");
  REQUIRE(model.solver.name == "riccati");
  using Options = std::vector<std::pair<std::string, std::string>>;
  REQUIRE(model.solver.options == Options{{"order", "3"}, {"label", "\"3\""}, {"list", "[1,\"a\"]"}});
  const Description bare = read_good("{polyform: 1, bodies: [{name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}]}");
  REQUIRE(bare.name == "model");
  require_near(bare.gravity, {0, 0, -9.81});
  REQUIRE_FALSE(bare.simulation.duration);
  REQUIRE_FALSE(bare.solver.name);
}

TEST_CASE("JSON is read as well, indented with tabs too") {
  const Description model = read_good(
      "{\n\t\"polyform\": 1,\n\t\"bodies\": [\n\t\t{\"name\": \"a\", \"mass\": 1.0, \"inertia\": {\"xx\": 1, \"yy\": "
      "1, \"zz\": 1}}\n\t]\n}\n");
  REQUIRE(model.bodies[0].name == "a");
}

TEST_CASE("rpy is Rz(y) Ry(p) Rx(r)") {
  const Description model = read_good(
      "{polyform: 1, bodies: [{name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, orientation: {rpy: [0.1, 0.2, "
      "0.3]}}]}");
  const Mat3 R = rotation_matrix(model.bodies[0].pose.orientation);
  const auto turn = [](const Vec3& axis, double a) { return axis_rotation(axis, std::cos(a), std::sin(a)); };
  const Mat3 expected = turn({0, 0, 1}, 0.3) * turn({0, 1, 0}, 0.2) * turn({1, 0, 0}, 0.1);
  for (std::size_t i = 0; i < 9; ++i) REQUIRE(R.m[i] == Approx(expected.m[i]).margin(1e-15));
}

TEST_CASE("slender rods, whose moments of inertia add up exactly, are no error in any axes") {
  const Mat3 R = rotation_matrix(normalized(Quat{0.3, -0.5, 0.7, 0.2}));
  const Sym3 turned = rotate(R, Sym3{0, 1.0 / 12, 1.0 / 12, 0, 0, 0});
  const std::string inertia = fmt::format("{{xx: {}, yy: {}, zz: {}, xy: {}, xz: {}, yz: {}}}", turned.xx, turned.yy,
                                          turned.zz, turned.xy, turned.xz, turned.yz);
  read_good("{polyform: 1, bodies: [{name: a, mass: 1, inertia: " + inertia + "}]}");
}

TEST_CASE("a flexible body has the fields of its type and a rigid part that defaults to zero") {
  const Description model =
      read_good(R"({polyform: 1, bodies: [{name: beam, type: flexible-beam, length: 1, linear_density: 0.5,
    bending_stiffness: 0.8, modes: 2, boundary: free-free, modal_position: [0.02, 0]}]})");
  const BodyItem& beam = model.bodies[0];
  REQUIRE(beam.flexible != nullptr);
  REQUIRE(beam.mass == 0);
  REQUIRE(beam.fields.values[3].integer == 2);
  REQUIRE(beam.fields.values[4].text == "free-free");
  REQUIRE(beam.fields.values[4].integer == 2);
  REQUIRE(beam.fields.values[5].numbers.size() == 2);
  REQUIRE_FALSE(beam.fields.values[6].given);
}

TEST_CASE("an anchor repeats a value") {
  const Description model = read_good(R"(
polyform: 1
bodies:
  - {name: a, mass: 1, inertia: &round {xx: 1, yy: 1, zz: 1}}
  - {name: b, mass: 1, inertia: *round}
)");
  REQUIRE(model.bodies[1].inertia.zz == 1);
}
