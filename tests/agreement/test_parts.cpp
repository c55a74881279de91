// Models of placed parts are the models that they stand for, in every formulation.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "framework/host/evaluation/observation_store.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

using Accelerations = std::map<std::string, Spatial>;

Accelerations accelerations(const host::System& system, const Formulation& formulation) {
  const auto solver = solver_for(system, formulation);
  host::ObservationStore store(system.view());
  REQUIRE(solver->observe(0, initial_vector(system, *solver), store.now()) == Status::ok);
  Accelerations found;
  for (std::size_t i = 0; i < system.view().bodies.size(); ++i)
    found[std::string(system.view().bodies[i].name)] = {store.now().bodies[i].angular_acceleration,
                                                        store.now().bodies[i].acceleration};
  return found;
}

/// names: of bodies of the long form, and what they are called in placed parts.
void require_same(const host::System& whole, const host::System& parts,
                  const std::map<std::string, std::string>& names) {
  REQUIRE(whole.view().bodies.size() == parts.view().bodies.size());
  std::size_t formulations = 0;
  for (const Formulation* formulation : formulations_for(whole)) {
    INFO(formulation->name());
    const Accelerations expected = accelerations(whole, *formulation), found = accelerations(parts, *formulation);
    double size = 1;
    for (const auto& [name, a] : expected) size = std::max({size, norm(a.angular), norm(a.linear)});
    for (const auto& [name, in_part] : names) {
      INFO(name);
      REQUIRE(found.contains(in_part));
      CHECK(norm(found.at(in_part).angular - expected.at(name).angular) < 1e-13 * size);
      CHECK(norm(found.at(in_part).linear - expected.at(name).linear) < 1e-13 * size);
    }
    ++formulations;
  }
  CHECK(formulations >= 4);
}

const std::string fork_part = R"(
  - name: fork
    parameters: {side: 0.3, k: 40, spin: 1}
    bodies:
      - {name: arm, position: [side, 0, 0], mass: 1.5, center_of_mass: [0.2, 0.1, 0], inertia: {xx: 0.02, yy: 0.03, zz: 0.04}, angular_velocity: [0, 0, spin]}
    joints:
      - {name: pin, type: universal, base: hub, moving: arm, position: [side, 0, 0], axis: [0, 0, 1], axis2: [0, 1, 0]}
    forces:
      - {name: spring, type: spring-damper, a: {body: arm, point: [0.4, 0, 0]}, b: {body: ground, point: [side, 0, 1]}, stiffness: k}
)";

}  // namespace

TEST_CASE("the legs of the planar 3RRR written once are those written three times") {
  const auto whole = system_from_file(POLYFORM_MODELS "/planar_3rrr.yaml");
  const auto parts = system_from_file(POLYFORM_MODELS "/planar_3rrr_parts.yaml");
  std::map<std::string, std::string> names{{"platform", "platform"}};
  for (const std::string k : {"0", "1", "2"}) {
    const std::string number = std::to_string(std::stoi(k) + 1);
    names["p" + number] = "leg[" + k + "].link";
    names["d" + number] = "leg[" + k + "].forearm.link";
  }
  require_same(*whole, *parts, names);
}

TEST_CASE("a part is turned with its joints, springs to ground and velocities") {
  // Placed at (0, 1, 0.5), turned by a right angle about z: x becomes y, y becomes −x.
  const std::string hub = R"(
  - {name: hub, mass: 5, center_of_mass: [0, 0, 0.1], inertia: {xx: 0.4, yy: 0.5, zz: 0.6}}
)";
  const auto parts = system_from_text("polyform: 1\nbodies:" + hub + "parts:" + fork_part + R"(
place:
  - {part: fork, name: left, position: [0, 1, 0.5], orientation: {axis: [0, 0, 1], angle: 1.5707963267948966}, parameters: {k: 55}}
)");
  const auto whole = system_from_text("polyform: 1\nbodies:" + hub + R"(
  - {name: arm, position: [0, 1.3, 0.5], orientation: {axis: [0, 0, 1], angle: 1.5707963267948966}, mass: 1.5, center_of_mass: [0.2, 0.1, 0], inertia: {xx: 0.02, yy: 0.03, zz: 0.04}, angular_velocity: [0, 0, 1]}
joints:
  - {name: pin, type: universal, base: hub, moving: arm, position: [0, 1.3, 0.5], axis: [0, 0, 1], axis2: [-1, 0, 0]}
forces:
  - {name: spring, type: spring-damper, a: {body: arm, point: [0.4, 0, 0]}, b: {body: ground, point: [0, 1.3, 1.5]}, stiffness: 55}
)");
  require_same(*whole, *parts, {{"hub", "hub"}, {"arm", "left.arm"}});
}

TEST_CASE("defaults of a part are placed as if they were written out") {
  // A skate on a slope that is turned by a right angle about x: its edge holds across the slope, along ground −y.
  const auto skate = [](const std::string& normal) {
    return std::string("polyform: 1\ngravity: [0, -9.81, 0]\nparts:") + R"(
  - name: skate
    bodies:
      - {name: s, mass: 1, inertia: {xx: 0.01, yy: 0.012, zz: 0.015}}
    joints:
      - {name: ice, type: planar, base: ground, moving: s, position: [0, 0, 0], axis: [0, 0, 1], axis2: [1, 0, 0], initial: {velocity: [1, 0, 2]}}
    constraints:
      - {name: edge, type: knife-edge, body: s, edge: [1, 0, 0])" +
           normal + R"(}
place:
  - {part: skate, name: a, orientation: {axis: [1, 0, 0], angle: -1.5707963267948966}}
)";
  };
  require_same(*system_from_text(skate(", normal: [0, 0, 1]")), *system_from_text(skate("")), {{"a.s", "a.s"}});
}

TEST_CASE("the number of modes of a part may be a parameter") {
  const auto beam = [](const std::string& modes) {
    return R"(
      - {name: beam, type: flexible-beam, length: 1, linear_density: 1, bending_stiffness: 40, boundary: pinned-pinned,
         modes: )" +
           modes + R"(}
    joints:
      - {name: pin, type: revolute, base: ground, moving: beam, position: [0, 0, 0], axis: [0, 0, 1]}
)";
  };
  const auto parts =
      system_from_text("polyform: 1\nparts:\n  - name: arm\n    parameters: {n: 2}\n    bodies:" + beam("n") +
                       "place: [{part: arm, name: a}, {part: arm, name: b, "
                       "position: [0, 2, 0], parameters: {n: 3}}]\n");
  CHECK(parts->view().modes == 5);
}

TEST_CASE("a part in a file defines parts for itself") {
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "polyform_parts_of_parts";
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
  const std::string link = "{name: link, mass: m, inertia: {xx: 1, yy: 1, zz: 1}}";
  write("leg.yaml", "parameters: {m: 2}\nbodies: [" + link +
                        "]\nparts:\n  - name: foot\n    parameters: {m: 3}\n"
                        "    bodies: [" +
                        link +
                        "]\n  - {name: toe, file: toe.yaml}\n"
                        "place:\n  - {part: foot, name: front}\n  - {part: foot, name: back, parameters: {m: 4}}\n"
                        "  - {part: toe, name: toe}\n");
  write("toe.yaml", "parameters: {m: 0.5}\nbodies: [" + link + "]\n");
  write("model.yaml",
        "polyform: 1\nparts:\n  - {name: leg, file: leg.yaml}\n  - name: foot\n    parameters: {m: 9}\n"
        "    bodies: [" +
            link + "]\nplace: [{part: leg, name: left}, {part: foot, name: other}]\n");
  const auto system = system_from_file((folder / "model.yaml").string());
  std::map<std::string, double> masses;
  for (const BodyData& body : system->view().bodies) masses[std::string(body.name)] = body.mass;
  CHECK(
      masses ==
      std::map<std::string, double>{
          {"left.link", 2}, {"left.front.link", 3}, {"left.back.link", 4}, {"left.toe.link", 0.5}, {"other.link", 9}});
  std::filesystem::remove_all(folder);
}
