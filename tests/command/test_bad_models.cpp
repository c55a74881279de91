// Every class of bad model: exit code 2 (3 where a plugin is missing), and a message that names the place.
#include <catch2/catch.hpp>

#include "tests/command/command_runner.hpp"
#include "tests/command/sample_models.hpp"

using namespace polyform::test;
using Catch::Contains;

namespace {

/// The message for a bad model; checks the exit code, that nothing is printed as a result, and no path of the source.
std::string refusal(const std::string& model, int code = 2) {
  const Workshop shop;
  const Outcome outcome = shop.run({"run", shop.write("model.yaml", model), "--quiet"});
  INFO(outcome.err);
  CHECK(outcome.code == code);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, Contains("model.yaml"));
  CHECK_THAT(outcome.err, Contains("error: "));
  return outcome.err;
}

Rod with_joint(const std::string& joint) {
  Rod rod;
  rod.joint = joint;
  return rod;
}

}  // namespace

TEST_CASE("an unknown key is an error with its place and a suggestion") {
  Rod rod;
  rod.mass = "masss: 1";
  const std::string message = refusal(rod.text());
  CHECK_THAT(message, Contains("model.yaml:6:5"));
  CHECK_THAT(message, Contains("bodies[0]"));
  CHECK_THAT(message, Contains("ean 'mass'?"));
}

TEST_CASE("a value of a wrong type is an error with its place") {
  Rod rod;
  rod.mass = "mass: heavy";
  const std::string message = refusal(rod.text());
  CHECK_THAT(message, Contains("bodies[0].mass"));
  CHECK_THAT(message, Contains("heavy"));
}

TEST_CASE("modes that no body of the given mass has are an error") {
  const std::string message = refusal(R"(
polyform: 1
bodies:
  - {name: frame, type: modal-body, nodes: [[0, 0, 0], [1, 0, 0]], mode_displacements: [[0, 0, 0, 0, 0, 0]], modal_stiffness: [50], integral_phi: [[0, 5, 0]], integral_u_phi: [[0, 0, 0, 0, 0, 0, 0, 0, 0]], integral_phi_phi: [[0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]], mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: pin, type: revolute, base: ground, moving: frame, position: [0, 0, 0], axis: [0, 0, 1]}
)");
  CHECK_THAT(message, Contains("negative kinetic energy") && Contains("`frame`"));
}

TEST_CASE("a solver or an option that the model asks for in vain is an error at its place, a typed one has none") {
  const auto said = [](const std::string& solver, int code = 2) {
    Rod rod;
    rod.more = "solver: " + solver + "\n";
    return refusal(rod.text(), code);
  };
  CHECK_THAT(said("{name: foo}", 3), Contains("model.yaml:11:16: error: solver.name: there is no solver 'foo'"));
  CHECK_THAT(said("{name: hierarchy, options: {level: 7}}"),
             Contains("model.yaml:11:44: error: solver.options.level: hierarchy: level 7 was asked for"));
  CHECK_THAT(
      said("{name: hierarchy, options: {clearance: 'nojoint=1'}}"),
      Contains("model.yaml:11:48: error: solver.options.clearance: hierarchy: clearance is given for `nojoint`"));
  CHECK_THAT(said("{name: hierarchy, options: {clearance: 'pin=1'}}"),
             Contains("model.yaml:11:48: error: solver.options.clearance: ") && Contains("add correction=none"));
  const Workshop shop;
  Rod rod;
  rod.more = "solver: {name: hierarchy, options: {level: 1}}\n";
  const Outcome typed = shop.run({"run", shop.write("model.yaml", rod.text()), "--quiet", "--option", "level=7"});
  CHECK(typed.code == 2);
  CHECK_THAT(typed.err, Catch::StartsWith("error: hierarchy: level 7"));
}

TEST_CASE("rigid surfaces that overlap as drawn are an error at the place of their contact") {
  const std::string message = refusal(R"(polyform: 1
ground:
  geometry: [{type: plane}]
bodies:
  - {name: ball, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, position: [0, 0, 0.4], geometry: [{type: sphere, radius: 0.5}]}
forces:
  - {name: floor, type: contact, a: ball, b: ground, law: rigid}
)");
  CHECK_THAT(message, Contains("model.yaml:7:5: error: forces[0]: what `floor` keeps apart overlaps by 0.1 "));
}

TEST_CASE("rigid contact with a flexible body is an error at the place of the contact") {
  const std::string message = refusal(R"(polyform: 1
ground:
  geometry: [{type: plane, position: [0, 0, -1]}]
bodies:
  - {name: rod, type: flexible-beam, length: 1, linear_density: 8, bending_stiffness: 20000, modes: 2, boundary: clamped-free, geometry: [{type: sphere, radius: 0.1}]}
joints:
  - {name: root, type: fixed, base: ground, moving: rod, position: [0, 0, 0]}
forces:
  - {name: floor, type: contact, a: rod, b: ground, law: rigid}
)");
  CHECK_THAT(message, Contains("model.yaml:9:5: error: forces[0]: `floor` has rigid contact with the flexible body"));
}

TEST_CASE("a negative mass is an error") {
  Rod rod;
  rod.mass = "mass: -1";
  const std::string message = refusal(rod.text());
  CHECK_THAT(message, Contains("bodies[0].mass"));
  CHECK_THAT(message, Contains("-1"));
}

TEST_CASE("an inertia that violates the triangle inequality is an error") {
  Rod rod;
  rod.inertia = "inertia: {xx: 1, yy: 1, zz: 3}";
  const std::string message = refusal(rod.text());
  CHECK_THAT(message, Contains("bodies[0].inertia"));
  CHECK_THAT(message, Contains("triangle"));
}

TEST_CASE("how large a body is drawn says nothing of its inertia") {
  const std::string message = refusal(
      "polyform: 1\nbodies:\n  - {name: a, mass: 1, inertia: {xx: 1e-6, yy: 1e-6, zz: 3e-6}, geometry: [{type: box, "
      "size: "
      "[10000, 10000, 10000]}]}\n");
  CHECK_THAT(message, Contains("the largest exceeds the sum of the others by 1e-06"));
}

TEST_CASE("an inertia that is too large in its eighth digit is told with that digit") {
  Rod rod;
  rod.inertia = "inertia: {xx: 1, yy: 1, zz: 2.00000002}";
  CHECK_THAT(refusal(rod.text()), Contains("1, 1 and 2.00000002 kg m²") && Contains("by 2e-08"));
}

TEST_CASE("a NaN is an error") {
  Rod rod;
  rod.mass = "mass: .nan";
  CHECK_THAT(refusal(rod.text()), Contains("bodies[0].mass"));
}

TEST_CASE("all errors of a file come in one go") {
  Rod rod;
  rod.mass = "mass: -1";
  rod.inertia = "inertia: {xx: 1, yy: 1, zz: 3}";
  rod.joint = "{name: pin, type: revolute, base: ground, moving: rodd, position: [0, 0, 0], axis: [0, 0, 1]}";
  const std::string message = refusal(rod.text());
  CHECK_THAT(message, Contains("bodies[0].mass"));
  CHECK_THAT(message, Contains("triangle"));
  CHECK_THAT(message, Contains("rodd"));
}

TEST_CASE("an unknown body is an error with a suggestion") {
  const std::string message =
      refusal(with_joint("{name: pin, type: revolute, base: ground, moving: rud, position: [0, 0, 0], axis: [0, 0, 1]}")
                  .text());
  CHECK_THAT(message, Contains("joints[0].moving"));
  CHECK_THAT(message, Contains("ean 'rod'?"));
}

TEST_CASE("a duplicate name is an error") {
  Rod rod;
  rod.joint += "\n  - {name: pin, type: fixed, base: ground, moving: rod, position: [0, 0, 0]}";
  const std::string message = refusal(rod.text());
  CHECK_THAT(message, Contains("joints[1]"));
  CHECK_THAT(message, Contains("pin"));
}

TEST_CASE("a joint of a body with itself is an error") {
  CHECK_THAT(refusal(with_joint("{name: pin, type: fixed, base: rod, moving: rod, position: [0, 0, 0]}").text()),
             Contains("joints[0]"));
}

TEST_CASE("an axis of zero length is an error") {
  CHECK_THAT(
      refusal(with_joint("{name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 0]}")
                  .text()),
      Contains("joints[0].axis"));
}

TEST_CASE("a joint type that no plugin offers is exit code 3") {
  const std::string message = refusal(
      with_joint("{name: pin, type: revolut, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1]}").text(),
      3);
  CHECK_THAT(message, Contains("joints[0].type"));
  CHECK_THAT(message, Contains("ean 'revolute'?"));
}

TEST_CASE("files that are no model are refused in plain words") {
  refusal("");
  refusal(
      std::string("\x7f"
                  "ELF\x02\x01\x01\0\0\0\xff\xfe\x00garbage",
                  20));
  refusal("- just\n- a list\n");
  refusal("{unclosed: [1, 2");
  refusal(std::string(5000, '['));
}

TEST_CASE("a file of 100 MB that is no model is refused") {
  const Workshop shop;
  const std::string file = shop.write("model.yaml", "polyform: 1\n");
  std::filesystem::resize_file(file, 100'000'000);
  const Outcome outcome = shop.run({"check", file});
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("model.yaml"));
}

TEST_CASE("a missing file and a folder in place of a file are refused") {
  const Workshop shop;
  const Outcome missing = shop.run({"run", "nowhere.yaml"});
  CHECK(missing.code == 2);
  CHECK_THAT(missing.err, Contains("nowhere.yaml"));
  const Outcome folder = shop.run({"run", shop.path("").string()});
  CHECK(folder.code == 2);
  CHECK_THAT(folder.err, Contains("error: "));
}

TEST_CASE("a part that is turned gives directions whose defaults are those of ground") {
  const Workshop shop;
  const Outcome outcome = shop.run({"check", shop.write("part.yaml", R"(polyform: 1
parts:
  - name: one
    bodies: [{name: b, mass: 1, inertia: {xx: 0.01, yy: 0.012, zz: 0.015}}]
    joints: [{name: j, type: planar, base: ground, moving: b, position: [0, 0, 0], axis: [0, 0, 1]}]
place: [{part: one, name: a, orientation: {axis: [0, 0, 1], angle: 1}}]
)")});
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err,
             Contains("part.yaml:5:14: error: a (line 6, column 9) parts[0].joints[0]: the placement turns "
                      "the part, and 'axis2' of joint 'a.j' is not given"));
}
