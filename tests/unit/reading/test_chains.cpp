// Chains: a few lines that stand for many bodies.
#include "tests/support/growth.hpp"
#include "tests/unit/reading/reading.hpp"

using namespace polyform;
using namespace polyform::host;
using namespace polyform::host::testing;

namespace {

std::string chain(const std::string& name, const std::string& count, const std::string& more = "") {
  return "{name: " + name + ", count: " + count +
         ", body: {mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}, joint: {type: revolute, axis: [0, 0, 2]}, start: [1, 0, "
         "0], step: [0, -1, 0]" +
         more + "}";
}

}  // namespace

TEST_CASE("body k of a chain and its joint lie at start + k step and hang from body k - 1") {
  const Description model = read_good("{polyform: 1, chains: [" + chain("arm", "3") + "]}");
  REQUIRE(model.bodies.size() == 3);
  REQUIRE(model.joints.size() == 3);
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 position{1, -static_cast<double>(k), 0};
    REQUIRE(model.bodies[k].name == "arm[" + std::to_string(k) + "]");
    REQUIRE(model.bodies[k].path == "chains[0]");
    require_near(model.bodies[k].pose.position, position);
    REQUIRE(model.joints[k].name == model.bodies[k].name + ".joint");
    REQUIRE(model.joints[k].moving == body_index(k));
    REQUIRE(model.joints[k].base == (k == 0 ? BodyIndex::ground : body_index(k - 1)));
    require_near(model.joints[k].fields.values[0].vector, position);
    REQUIRE(model.joints[k].fields.values[0].given);
    require_near(model.joints[k].fields.values[1].vector, {0, 0, 1});
  }
}

TEST_CASE("names of chains serve everywhere, whatever the order in the file") {
  const Description model = read_good("{polyform: 1, chains: [" + chain("leg", "2", ", base: 'arm[4]'") + ", " +
                                      chain("arm", "5", ", base: hub") +
                                      R"(],
    joints: [{name: tie, type: free, base: "leg[1]", moving: "arm[3]"}],
    forces: [{name: f, type: joint-force, joint: "arm[2].joint", effort: 1},
             {name: s, type: spring-damper, a: {body: hub}, b: {body: "leg[0]"}, stiffness: 1}],
    bodies: [{name: hub, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}]})");
  REQUIRE(model.bodies.size() == 8);
  REQUIRE(model.bodies[0].name == "hub");
  REQUIRE(model.joints[0].name == "tie");
  REQUIRE(model.bodies[at(model.joints[0].base)].name == "leg[1]");
  REQUIRE(model.bodies[at(model.joints[0].moving)].name == "arm[3]");
  REQUIRE(model.bodies[at(model.joints[1].base)].name == "arm[4]");
  REQUIRE(model.bodies[at(model.joints[3].base)].name == "hub");
  REQUIRE(model.joints[at(model.forces[0].fields.values[0].joint)].name == "arm[2].joint");
  REQUIRE(model.bodies[at(model.forces[1].fields.values[1].body)].name == "leg[0]");
}

TEST_CASE("the bodies of a chain are read in linear time") {
  const auto read = [](std::size_t bodies) {
    return read_good("{polyform: 1, chains: [" + chain("arm", std::to_string(bodies)) + "]}");
  };
  REQUIRE(polyform::test::grows_linearly(read, 12500));
  REQUIRE(read(50000).bodies.back().name == "arm[49999]");
}
