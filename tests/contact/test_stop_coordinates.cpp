// Limits, dry friction and freewheels in joints with several coordinates, against closed forms; and what is said of
// wrong ones.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "exact_run.hpp"
#include "framework/host/assembly/system.hpp"
#include "framework/host/reading/reader.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A body of 2 kg and 0.5 kg m² about all axes on a joint at its mass centre.
std::string body_on(const std::string& joint, const std::string& forces, const std::string& gravity = "[0, 0, 0]") {
  return "polyform: 1\ngravity: " + gravity +
         "\nbodies:\n  - {name: body, mass: 2, inertia: {xx: 0.5, yy: 0.5, zz: 0.5}}\njoints:\n"
         "  - {name: j, base: ground, moving: body, position: [0, 0, 0], " +
         joint + "}\nforces:\n" + forces;
}

/// All that is reported of a model.
std::string reported(const std::string& joint, const std::string& force) {
  host::Diagnostics diagnostics;
  bool missing = false;
  host::Description model = host::read_model_text(body_on(joint, "  - {name: f, joint: j, " + force + "}\n"), "m.yaml",
                                                  registry().catalog(), diagnostics, missing);
  if (!diagnostics.failed()) host::System::assemble(std::move(model), registry().keep_alive(), diagnostics);
  std::string all;
  for (const Diagnostic& d : diagnostics.all()) all += host::format(d) + "\n";
  return all;
}

}  // namespace

// The shaft slides to and fro within its bush with an impact after 0.1 m and after 0.2 m/0.5; meanwhile it turns, and a
// brake of 1 N m stops that after J ω/T.
TEST_CASE("the slide of a cylindrical joint is limited while its turn is braked") {
  const auto system = system_from_text(body_on(
      "type: cylindrical, axis: [1, 0, 0], initial: {velocity: [1, 0.8]}",
      "  - {name: ends, type: joint-limit, joint: j, coordinate: 0, lower: -0.1, upper: 0.1, restitution: 0.5}\n"
      "  - {name: brake, type: dry-friction, joint: j, coordinate: 1, effort: 1}\n"));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended turning = run_to_end(*system, *formulation, exact_run(0.3));
    CHECK(turning.velocities[0].x == Approx(-0.5).epsilon(1e-12));
    CHECK(turning.positions[0].x == Approx(0.1 - 0.5 * 0.2).margin(1e-11));
    CHECK(turning.angular_velocities[0].x == Approx(0.8 - 0.3 / 0.5).epsilon(1e-9));
    CHECK(turning.record.energy_drift < 1e-9);
    const Ended held = run_to_end(*system, *formulation, exact_run(0.6));
    CHECK(held.velocities[0].x == Approx(0.25).epsilon(1e-12));
    CHECK(std::abs(held.angular_velocities[0].x) < 1e-12);
    CHECK(2 * std::atan2(held.orientations[0].x, held.orientations[0].w) == Approx(0.5 * 0.8 * 0.4).epsilon(1e-8));
  }
}

// The effort falls through zero after 0.5 s: the shaft is driven until then, runs on while the freewheel lets it, and
// is held where it would turn back.
TEST_CASE("a freewheel in one coordinate of a cylindrical joint leaves the other alone") {
  const auto system =
      system_from_text(body_on("type: cylindrical, axis: [1, 0, 0], initial: {velocity: [-1, 0]}",
                               "  - {name: wheel, type: freewheel, joint: j, coordinate: 1}\n"
                               "  - {name: drive, type: joint-force, joint: j, effort: [0, {polynomial: [1, -2]}]}\n"));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended on = run_to_end(*system, *formulation, exact_run(0.75));
    CHECK(on.angular_velocities[0].x == Approx((0.75 - 0.75 * 0.75) / 0.5).epsilon(1e-9));
    const Ended held = run_to_end(*system, *formulation, exact_run(1.5));
    CHECK(std::abs(held.angular_velocities[0].x) < 1e-10);
    CHECK(held.velocities[0].x == Approx(-1).epsilon(1e-12));
    CHECK(held.positions[0].x == Approx(-1.5).epsilon(1e-11));
  }
}

TEST_CASE("each of the two angles of a universal joint has limits of its own") {
  for (const int k : {0, 1}) {
    const auto system = system_from_text(body_on(
        fmt::format("type: universal, axis: [1, 0, 0], axis2: [0, 1, 0], initial: {{velocity: [{}, {}]}}", 2 - 2 * k,
                    2 * k),
        fmt::format("  - {{name: a, type: joint-limit, joint: j, coordinate: {}, upper: 0.5, restitution: 0.5}}\n"
                    "  - {{name: b, type: joint-limit, joint: j, coordinate: {}, upper: 0.01, lower: -0.01}}\n",
                    k, 1 - k)));
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << " " << k);
      const Ended ended = run_to_end(*system, *formulation, exact_run(0.75));
      const Vec3& w = ended.angular_velocities[0];
      CHECK((k == 0 ? w.x : w.y) == Approx(-1).epsilon(1e-10));
      CHECK(std::abs(k == 0 ? w.y : w.x) < 1e-11);
      const Quat& q = ended.orientations[0];
      CHECK(2 * std::atan2(k == 0 ? q.x : q.y, q.w) == Approx(0).margin(1e-10));
    }
  }
}

// A puck between four walls, which are the limits of two coordinates; its spin dies away.
TEST_CASE("a planar joint keeps a puck between walls") {
  const auto system = system_from_text(
      body_on("type: planar, axis: [0, 0, 1], axis2: [1, 0, 0], initial: {velocity: [1.3, 0.7, 2]}",
              "  - {name: x, type: joint-limit, joint: j, coordinate: 0, lower: -0.3, upper: 0.3, restitution: 1}\n"
              "  - {name: y, type: joint-limit, joint: j, coordinate: 1, lower: -0.2, upper: 0.2, restitution: 1}\n"
              "  - {name: rub, type: dry-friction, joint: j, coordinate: 2, effort: 0.4}\n"));
  const auto folded = [](double way, double half) {  // a triangle wave
    const double from = std::remainder(way + half, 4 * half);
    return std::abs(from) - half;
  };
  const double t = 1.5;
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, exact_run(t));
    CHECK(ended.positions[0].x == Approx(folded(1.3 * t, 0.3)).margin(1e-10));
    CHECK(ended.positions[0].y == Approx(folded(0.7 * t, 0.2)).margin(1e-10));
    CHECK(ended.angular_velocities[0].z == Approx(2 - 0.4 * t / 0.5).epsilon(1e-8));
    CHECK(ended.record.energy_drift < 1e-9);
  }
}

TEST_CASE("a limit of a displacement of a free joint is a floor, hard and compliant") {
  const double fall = std::sqrt(2 * 0.5 / 9.81), speed = 9.81 * fall;
  const std::string joint = "type: free, initial: {position: [0, 0, 0.5, 1, 0, 0, 0], velocity: [1, 0, 0, 1, 2, 3]}",
                    gravity = "[0, 0, -9.81]";
  const auto hard = system_from_text(body_on(
      joint, "  - {name: floor, type: joint-limit, joint: j, coordinate: 2, lower: 0, restitution: 0.8}\n", gravity));
  const auto soft = system_from_text(body_on(
      joint,
      "  - {name: floor, type: joint-limit, joint: j, coordinate: 2, lower: 0, law: compliant, stiffness: 1e5}\n",
      gravity));
  for (const Formulation* formulation : formulations_for(*hard)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*hard, *formulation, exact_run(fall + 0.1));
    CHECK(ended.velocities[0].z == Approx(0.8 * speed - 0.981).epsilon(1e-10));
    CHECK(norm(ended.angular_velocities[0] - Vec3{1, 2, 3}) < 1e-10);
    const Ended thrown = run_to_end(*soft, *formulation, exact_run(fall + 0.1));
    CHECK(thrown.velocities[0].x == Approx(1).epsilon(1e-10));
    const double height = thrown.positions[0].z, up = thrown.velocities[0].z;
    CHECK(up > 0);
    CHECK(9.81 * height + up * up / 2 == Approx(9.81 * 0.5).epsilon(1e-8));
  }
}

// The load of a bush across its axis is the weight, whether the shaft slides or turns in it.
TEST_CASE("friction by the load acts in either motion of a shaft in a bush") {
  const std::string joint = "type: cylindrical, axis: [1, 0, 0], initial: {velocity: [1, 2]}", gravity = "[0, 0, -10]";
  const auto slide = system_from_text(
      body_on(joint, "  - {name: f, type: dry-friction, joint: j, coordinate: 0, coefficient: 0.2}\n", gravity));
  const auto turn = system_from_text(body_on(
      joint, "  - {name: f, type: dry-friction, joint: j, coordinate: 1, coefficient: 0.2, radius: 0.05}\n", gravity));
  for (const Formulation* formulation : formulations_for(*slide)) {
    INFO(formulation->name());
    const Ended a = run_to_end(*slide, *formulation, exact_run(0.3)),
                b = run_to_end(*turn, *formulation, exact_run(0.3));
    CHECK(a.velocities[0].x == Approx(1 - 0.2 * 10 * 0.3).epsilon(1e-9));
    CHECK(a.angular_velocities[0].x == Approx(2).epsilon(1e-11));
    CHECK(b.velocities[0].x == Approx(1).epsilon(1e-11));
    CHECK(b.angular_velocities[0].x == Approx(2 - 0.2 * 0.05 * 20 / 0.5 * 0.3).epsilon(1e-9));
  }
}

TEST_CASE("stops say which of their keys do not fit the joint, where, and what to do") {
  const auto says = [](const std::string& joint, const std::string& force, std::string_view what) {
    const std::string all = reported(joint, force);
    INFO(all);
    CHECK(all.find("m.yaml:8:") != std::string::npos);
    CHECK(all.find(what) != std::string::npos);
  };
  const std::string shaft = "type: cylindrical, axis: [1, 0, 0]", ball = "type: spherical",
                    hinge = "type: revolute, axis: [1, 0, 0]", limit = "type: joint-limit, ";
  says(shaft, limit + "upper: 1", "the joint has 2 velocity coordinates, and a joint-limit is about one");
  says(shaft, limit + "coordinate: 2, upper: 1", "the joint has 2 velocity coordinates");
  says(shaft, limit + "coordinate: -1, upper: 1", "coordinate");
  says(shaft, limit + "coordinate: 1, upper: 1, lower: 1", "the upper end, 1, is not above the lower one, 1");
  says(hinge, limit + "coordinate: 1, upper: 1", "Leave `coordinate` out, or give 0, the only one");
  says(hinge, limit + "cone: 1, axis: [1, 0, 0]", "'cone' is of joints that turn about all axes");
  says("type: fixed", limit + "upper: 1", "the joint has no coordinates");
  says(ball, limit + "upper: 1", "Give `cone` and `axis`");
  says(ball, limit + "coordinate: 1, upper: 1", "no coordinates whose rates are its velocities");
  says(ball, limit + "cone: 1", "the cone has no axis");
  says(ball, limit + "turn: 1, axis: [1, 0, 0]", "'axis' is that of a cone");
  says(ball, limit + "turn: 1, upper: 2", "'upper' is of a coordinate, and 'turn' of a rotation about all axes");
  says(ball, limit + "turn: 1, cone: 2, axis: [1, 0, 0]", "a limit has either a cone or a turn");
  says(ball, limit + "turn: 3.2", "the angle, 3.2, is not below pi");
  says(ball, limit + "turn: 0", "turn");
  says(ball, "type: dry-friction, effort: 1", "no coordinates whose rates are its velocities");
  says("type: free", "type: freewheel", "Give `coordinate`, a number from 0 to 2");
  says("type: free", "type: freewheel, coordinate: 4", "no coordinates whose rates are its velocities");
  says("type: universal, axis: [1, 0, 0], axis2: [0, 1, 0]",
       "type: dry-friction, coordinate: 0, coefficient: 0.1, radius: 0.1", "this joint moves about several axes");
  says(shaft, "type: dry-friction, coordinate: 1, coefficient: 0.1", "the friction of a bearing needs its radius");
  says(shaft, "type: dry-friction, coordinate: 0, coefficient: 0.1, radius: 0.1", "the joint slides");
}

// In ground axes a cone would not turn with the part; where the base is a body of the part, its axis does.
TEST_CASE("a cone in a part that is placed turned keeps its axis, or is refused") {
  const auto part = [](const std::string& base) {
    host::Diagnostics diagnostics;
    bool missing = false;
    host::Description model = host::read_model_text(
        "polyform: 1\nparts:\n  - name: arm\n    bodies:\n"
        "      - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
        "      - {name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
        "    joints:\n      - {name: i, type: spherical, base: ground, moving: a, position: [0, 0, 0]}\n"
        "      - {name: j, type: spherical, base: " +
            base +
            ", moving: b, position: [0, 0, 0]}\n"
            "    forces:\n      - {name: f, type: joint-limit, joint: j, cone: 1, axis: [0, 0, 1]}\n"
            "place:\n  - {part: arm, name: s, orientation: {rpy: [0.3, 0, 0]}}\n",
        "m.yaml", registry().catalog(), diagnostics, missing);
    std::string all;
    for (const Diagnostic& d : diagnostics.all()) all += host::format(d) + "\n";
    return all;
  };
  CHECK(part("a") == "");
  INFO(part("ground"));
  CHECK(part("ground").find("the placement turns the part") != std::string::npos);
}
