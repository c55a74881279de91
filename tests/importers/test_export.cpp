// What is exported and imported again has the same accelerations.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "tests/support/imported.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

host::Description described(const std::string& text) {
  host::Diagnostics diagnostics;
  bool missing = false;
  host::Description model = host::read_model_text(text, "model.yaml", registry().catalog(), diagnostics, missing);
  REQUIRE_FALSE(diagnostics.failed());
  return model;
}

host::Conversion exported(const std::string& format, const std::string& text) {
  host::Diagnostics diagnostics;
  const auto got =
      host::export_model(*host::find(registry().catalog().importers, format), described(text), diagnostics);
  std::string messages;
  for (const Diagnostic& d : diagnostics.all()) messages += host::format(d) + "\n";
  INFO(messages);
  REQUIRE(got);
  return *got;
}

/// Checks it at the initial state, or (moved) at another state of a tree.
void check_round_trip(const std::string& format, const std::string& text, bool moved,
                      const host::ImportOptions& options = {}) {
  INFO(format);
  const auto before = system_from_text(text);
  const host::Conversion file = exported(format, text);
  INFO(file.text);
  const auto after = imported_system(file.text, options);
  Coordinates q, v;
  double x = 0.1;
  if (moved)
    for (const JointData& joint : before->view().joints)
      if (joint.nq == 1) {
        q[std::string(joint.name)] = {x};
        v[std::string(joint.name)] = {1 - 3 * x};
        x += 0.07;
      }
  const Coordinates expected = accelerations(*before, reference_formulation(), q, v);
  const Coordinates found = accelerations(*after, reference_formulation(), q, v);
  // MJCF closes a loop with balls instead of a hinge.
  Coordinates of_one;
  for (const auto& [name, values] : expected)
    if (values.size() == 1 && (moved || !found.contains(name) || found.at(name).size() == 1)) of_one[name] = values;
  REQUIRE_FALSE(of_one.empty());
  check_equal(found, of_one, 1e-11);
}

const std::string models = POLYFORM_MODELS;

}  // namespace

TEST_CASE("the shipped arm goes through every format and back") {
  // Without the mimic joint any state is possible.
  const std::string text = imported(bytes_of(models + "/arm.urdf"), {{"mimic", "independent"}}).text;
  for (const char* format : {"urdf", "sdf", "mjcf"}) check_round_trip(format, text, true);
  const std::string coupled = imported(bytes_of(models + "/arm.urdf")).text;
  for (const char* format : {"urdf", "sdf", "mjcf"}) check_round_trip(format, coupled, false);
  const std::string free = imported(bytes_of(models + "/arm.urdf"), {{"mimic", "independent"}, {"base", "free"}}).text;
  check_round_trip("urdf", free, true, {{"base", "free"}});
  check_round_trip("sdf", free, true);
  check_round_trip("mjcf", free, true);
}

TEST_CASE("what is exported can be read again without a loss, and what belongs to a run is told") {
  const std::string text = R"(polyform: 1
parameters: {m: 2}
bodies:
  - {name: cart, mass: m, inertia: {xx: 1, yy: 1, zz: 1}, geometry: [{type: box, size: [1, 1, 1]}]}
  - {name: rod, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}, geometry: [{type: sphere, radius: 0.1}]}
joints:
  - {name: slide, type: prismatic, base: ground, moving: cart, position: [0, 0, 0], axis: [1, 0, 0]}
  - {name: pin, type: revolute, base: cart, moving: rod, position: [0, 0, 0], axis: [0, 0, 1]}
solver: {name: riccati}
simulation: {duration: 1}
)";
  for (const char* format : {"urdf", "sdf", "mjcf"}) {
    INFO(format);
    const host::Conversion got = exported(format, text);
    for (const char* what : {"`simulation`", "`solver`", "parameters"})
      CHECK(count_of(got, Treatment::converted, what) == 1);
    CHECK(got.count(Treatment::not_honoured) == 0);
    CHECK(imported(got.text).count(Treatment::not_honoured) == 0);
  }
}

TEST_CASE("bodies that nothing holds stay free in every format") {
  const std::string text = R"(polyform: 1
bodies:
  - {name: arm, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: loose, position: [0, 3, 1], mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: pin, type: revolute, base: ground, moving: arm, position: [0, 0, 0], axis: [0, 1, 0]}
)";
  for (const char* format : {"urdf", "sdf", "mjcf"}) {
    INFO(format);
    const auto system = imported_system(exported(format, text).text);
    std::size_t free = 0;
    for (const JointData& joint : system->view().joints) free += joint.nv == 6 ? 1 : 0;
    CHECK(free == 1);
  }
  const host::Conversion alone = exported("urdf", text.substr(0, text.find("  - {name: arm")) +
                                                      R"(  - {name: loose, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
joints: []
)");
  CHECK(count_of(alone, Treatment::converted, "the free joint to ground") == 1);
}

TEST_CASE("names that a format uses itself are changed, and no two of its names are equal") {
  const std::string text = R"(polyform: 1
bodies:
  - {name: world, mass: 1, center_of_mass: [0, 0, -1], inertia: {xx: 1, yy: 2, zz: 2}}
  - {name: "x::y", mass: 1, center_of_mass: [0, 0.5, -1], inertia: {xx: 1, yy: 1.5, zz: 2}}
  - {name: sled, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: a, type: revolute, base: ground, moving: world, position: [0, 0, 0], axis: [0, 1, 0]}
  - {name: a_1, type: universal, base: world, moving: "x::y", position: [0, 0, -2], axis: [1, 0, 0], axis2: [0, 1, 0]}
  - {name: a_1_1, type: revolute, base: "x::y", moving: sled, position: [0, 0, -3], axis: [1, 0, 0]}
)";
  for (const char* format : {"sdf", "mjcf"}) check_round_trip(format, text, false);
  CHECK(count_of(exported("sdf", text), Treatment::converted, "names of bodies") == 2);
  CHECK(count_of(exported("mjcf", text), Treatment::converted, "names of bodies") == 1);
}

TEST_CASE("MJCF is written as MuJoCo takes it: no inertia that cannot be turned, and what it refuses is told") {
  const std::string tip = R"(polyform: 1
bodies:
  - {name: arm, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}
  - {name: tip, mass: 0.01, position: [1, 0, 0], inertia: {xx: 0, yy: 0, zz: 0}}
joints:
  - {name: j, type: revolute, base: ground, moving: arm, position: [0, 0, 0], axis: [0, 1, 0]}
  - {name: w, type: fixed, base: arm, moving: tip, position: [1, 0, 0]}
)";
  check_round_trip("mjcf", tip, true);
  CHECK(exported("mjcf", tip).text.find("fullinertia") == std::string::npos);
  // The rod has no mass, so its joint moves the bob, which MuJoCo refuses.
  const std::string of_arm = "mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}";
  std::string bob = tip;
  bob.replace(bob.find(of_arm), of_arm.size(), "mass: 0, inertia: {xx: 0, yy: 0, zz: 0}");
  CHECK(count_of(exported("mjcf", bob), Treatment::not_honoured, "moving bodies without mass or with a moment of 0") ==
        1);
  std::string chain = "polyform: 1\nbodies:\n";
  for (int i = 0; i < 210; ++i)
    chain += fmt::format("  - {{name: b{0}, position: [{0}, 0, 0], mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}\n", i);
  chain += "joints:\n";
  for (int i = 0; i < 210; ++i)
    chain += fmt::format(
        "  - {{name: j{0}, type: revolute, base: {1}, moving: b{0}, position: [{0}, 0, 0], axis: [0, 0, 1]}}\n", i,
        i == 0 ? std::string("ground") : fmt::format("b{}", i - 1));
  CHECK(count_of(exported("mjcf", chain), Treatment::not_honoured, "bodies nested deeper than 198 levels") == 12);
}

TEST_CASE("shapes go through the formats, and what is lost of them is told") {
  const std::string text = R"(polyform: 1
gravity: [0, 0, -9.81]
ground: {geometry: [{type: plane}]}
bodies:
  - name: a
    mass: 1
    inertia: {xx: 1, yy: 1, zz: 1}
    geometry: [{type: capsule, radius: 0.1, length: 0.5}, {type: ellipsoid, semi_axes: [0.1, 0.2, 0.3]}]
joints:
  - {name: j, type: spherical, base: ground, moving: a, position: [0, 0, 0]}
forces:
  - {name: s, type: joint-spring-damper, joint: j, stiffness: 1, rest: [0.1, 0, 0], damping: 0.5}
)";
  for (const auto& [format, lost] : {std::pair("sdf", 0U), std::pair("mjcf", 1U)}) {
    INFO(format);
    const host::Conversion got = exported(format, text);
    CHECK(count_of(got, Treatment::honoured, "shapes") == 2);
    CHECK(count_of(got, Treatment::not_honoured, "shapes of ground") == 1);
    CHECK(count_of(got, Treatment::not_honoured, "rest positions of springs of balls") == lost);
    const auto system = imported_system(got.text);
    const auto& body = system->description().bodies.front();
    CHECK(body.geometry.size() + body.pictures.size() == 2);
  }
  std::string hinged = text;
  hinged.replace(hinged.find("spherical"), std::string("spherical").size(), "revolute");
  hinged.replace(hinged.find("position: [0, 0, 0]}"), std::string("position: [0, 0, 0]}").size(),
                 "position: [0, 0, 0], axis: [0, 0, 1]}");
  hinged.replace(hinged.find("[0.1, 0, 0]"), std::string("[0.1, 0, 0]").size(), "0.1");
  const host::Conversion urdf = exported("urdf", hinged);
  CHECK(count_of(urdf, Treatment::converted, "shapes of type capsule") == 1);
  CHECK(count_of(urdf, Treatment::not_honoured, "shapes of type ellipsoid") == 1);
}

TEST_CASE("bodies without mass between two joints become joints of one body of MJCF, which MuJoCo does not refuse") {
  const std::string text =
      imported(
          "<mujoco><worldbody><body name=\"a\" pos=\"0 0 1\" euler=\"10 20 30\"><joint name=\"x\" type=\"slide\" "
          "axis=\"1 0 0\" armature=\"0.1\"/><joint name=\"y\" axis=\"0 1 0\" pos=\"0 0 0.1\" damping=\"0.2\"/><joint "
          "name=\"z\" axis=\"0 1 1\"/><geom size=\"0.1\" pos=\"0.1 0 0\"/><body name=\"b\" pos=\"0 0.3 0\"><joint "
          "name=\"w\" axis=\"1 0 0\"/><geom size=\"0.1\"/></body></body></worldbody></mujoco>")
          .text;
  check_round_trip("mjcf", text, true);
  const host::Conversion got = exported("mjcf", text);
  CHECK(count_of(got, Treatment::converted, "bodies without mass between two joints") == 2);
  CHECK(got.count(Treatment::not_honoured) == 0);
  const std::string sdf = "moving bodies without mass or with a moment of 0";
  CHECK(count_of(exported("sdf", text), Treatment::not_honoured, sdf) == 2);
}

TEST_CASE("closed loops and rotors go through the formats that have them") {
  const std::string gripper = imported(bytes_of(models + "/gripper.sdf")).text;
  check_round_trip("sdf", gripper, false);
  check_round_trip("mjcf", gripper, false);
  const std::string file = models + "/leg.xml";
  const std::string leg = imported(bytes_of(file), {}, file).text;
  check_round_trip("mjcf", leg, false);
}

TEST_CASE("joints towards ground and joints of several coordinates are exported") {
  const std::string text =
      "polyform: 1\ngravity: [0.5, 0, -9]\nbodies:\n"
      "  - {name: a, position: [0, 0, 1], orientation: {rpy: [0.3, 0.2, 0.1]}, mass: 2, center_of_mass: [0.1, 0, "
      "0.2],\n"
      "     inertia: {xx: 0.1, yy: 0.2, zz: 0.15, xy: 0.01}}\n"
      "  - {name: b, position: [0, 1, 1], mass: 1, center_of_mass: [0, 0.1, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}\n"
      "  - {name: c, position: [0, 2, 1], mass: 1, center_of_mass: [0, 0.1, 0.3], inertia: {xx: 0.1, yy: 0.1, zz: "
      "0.1}}\n"
      "joints:\n"
      "  - {name: up, type: revolute, base: a, moving: ground, position: [0, 0, 1.5], axis: [1, 0.2, 0]}\n"
      "  - {name: slide, type: prismatic, base: b, moving: a, position: [0, 1, 1], axis: [0, 1, 0]}\n"
      "  - {name: cross, type: universal, base: b, moving: c, position: [0, 2, 1], axis: [1, 0, 0], axis2: [0, 1, 0]}\n"
      "forces:\n"
      "  - {name: s, type: joint-spring-damper, joint: slide, stiffness: 20, damping: 1, rest: 0.1}\n"
      "  - {name: wind, type: point-force, body: a, point: [0, 0, 0], force: [0, 0, 0]}\n";
  check_round_trip("sdf", text, true);
  check_round_trip("mjcf", text, true);
  CHECK(count_of(exported("mjcf", text), Treatment::not_honoured, "forces of type point-force") == 1);
  CHECK(count_of(exported("mjcf", text + "signals:\n  - {name: told, type: external}\n"), Treatment::not_honoured,
                 "signals") == 1);
  host::Diagnostics diagnostics;
  CHECK_FALSE(host::export_model(*host::find(registry().catalog().importers, "urdf"), described(text), diagnostics));
  CHECK(diagnostics.all().front().message.find("`cross`") == std::string::npos);
  CHECK(diagnostics.all().front().message.find("'cross' is of type universal") != std::string::npos);
}

TEST_CASE("limits of joints with several coordinates and of balls go as far as the format has them") {
  const std::string text =
      "polyform: 1\nbodies:\n"
      "  - {name: a, mass: 2, center_of_mass: [0.1, 0, 0], inertia: {xx: 0.1, yy: 0.2, zz: 0.15}}\n"
      "  - {name: b, mass: 1, center_of_mass: [0, 0.1, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}\n"
      "joints:\n"
      "  - {name: u, type: universal, base: ground, moving: a, position: [0, 0, 0], axis: [0, 1, 0], axis2: [1, 0, 0]}\n"
      "  - {name: k, type: spherical, base: a, moving: b, position: [0, 0, 0]}\n"
      "forces:\n"
      "  - {name: l, type: joint-limit, joint: u, coordinate: 1, lower: -0.5, upper: 1.25}\n"
      "  - {name: f, type: dry-friction, joint: u, coordinate: 1, effort: 0.75}\n"
      "  - {name: t, type: joint-limit, joint: k, turn: 0.75}\n";
  const auto back = [&](const char* format) {
    return imported(exported(format, text).text, {{"limits", "keep"}, {"friction", "keep"}}).text;
  };
  const std::string sdf = back("sdf"), mjcf = back("mjcf");
  INFO(sdf << mjcf);
  CHECK(sdf.find("type: joint-limit, joint: \"u\", coordinate: 1, lower: -0.5, upper: 1.25}") != std::string::npos);
  CHECK(sdf.find("type: dry-friction, joint: \"u\", effort: 0.75, coordinate: 1}") != std::string::npos);
  CHECK(sdf.find("turn") == std::string::npos);
  CHECK(count_of(exported("sdf", text), Treatment::not_honoured, "limits of ball joints") == 1);
  CHECK(mjcf.find("type: joint-limit, joint: \"u_1\", lower: -0.5, upper: 1.25}") != std::string::npos);
  CHECK(mjcf.find("type: dry-friction, joint: \"u_1\", effort: 0.75}") != std::string::npos);
  CHECK(mjcf.find("type: joint-limit, joint: \"k\", turn: 0.75}") != std::string::npos);
  const std::string cone = text + "  - {name: c, type: joint-limit, joint: k, cone: 0.5, axis: [0, 0, 1]}\n";
  for (const char* format : {"sdf", "mjcf"})
    CHECK(count_of(exported(format, cone), Treatment::not_honoured, "forces of type joint-limit") == 1);
}

TEST_CASE("limits and dry friction of joints go through every format and back") {
  const std::string text =
      "polyform: 1\nbodies:\n"
      "  - {name: a, mass: 2, center_of_mass: [0.1, 0, 0], inertia: {xx: 0.1, yy: 0.2, zz: 0.15}}\n"
      "  - {name: b, mass: 1, center_of_mass: [0, 0.1, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}\n"
      "joints:\n"
      "  - {name: j, type: revolute, base: ground, moving: a, position: [0, 0, 0], axis: [0, 1, 0]}\n"
      "  - {name: k, type: prismatic, base: a, moving: b, position: [0, 0, 0], axis: [0, 1, 0]}\n"
      "forces:\n"
      "  - {name: l, type: joint-limit, joint: j, lower: -0.5, upper: 1.25}\n"
      "  - {name: f, type: dry-friction, joint: j, effort: 0.75}\n"
      "  - {name: e, type: joint-limit, joint: k, lower: -2}\n";
  for (const char* format : {"urdf", "sdf", "mjcf"}) {
    INFO(format);
    const host::Conversion file = exported(format, text);
    INFO(file.text);
    for (const host::FoundThing& thing : file.findings) CHECK(thing.treatment != Treatment::not_honoured);
    const std::string back = imported(file.text, {{"limits", "keep"}, {"friction", "keep"}}).text;
    CHECK(back.find("type: joint-limit, joint: \"j\", lower: -0.5, upper: 1.25}") != std::string::npos);
    CHECK(back.find("type: joint-limit, joint: \"k\", lower: -2}") != std::string::npos);
    CHECK(back.find("type: dry-friction, joint: \"j\", effort: 0.75}") != std::string::npos);
    const std::string without = imported(file.text, {{"limits", "drop"}, {"friction", "drop"}}).text;
    CHECK(without.find("forces:") == std::string::npos);
  }
}
