// What the standard constraints say of entries that contradict themselves.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>

#include "framework/host/assembly/system.hpp"
#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/reading/reader.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// All that is reported of a body on a joint, with this constraint.
std::string reported_of(const std::string& joint, const std::string& constraint) {
  const std::string text = R"(
polyform: 1
bodies:
  - {name: body, mass: 1, center_of_mass: [0, 0, 1], inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - )" + joint + "\nconstraints:\n  - " +
                           constraint + "\n";
  host::Diagnostics diagnostics;
  bool missing = false;
  host::Description model = host::read_model_text(text, "m.yaml", registry().catalog(), diagnostics, missing);
  if (!diagnostics.failed()) host::System::assemble(std::move(model), registry().keep_alive(), diagnostics);
  std::string all;
  for (const Diagnostic& d : diagnostics.all()) all += host::format(d) + "\n";
  return all;
}

std::string reported(const std::string& constraint) {
  return reported_of("{name: ball, type: spherical, base: ground, moving: body, position: [0, 0, 0]}", constraint);
}

/// What a solver says of two slides, fixed to each other, with prescribed motions by a factor apart; empty if it runs.
std::string said_of_two_motions(const std::string& solver, double factor) {
  const auto system = system_from_text(fmt::format(R"(
polyform: 1
bodies:
  - {{name: body, mass: 1, center_of_mass: [0, 0, 0], inertia: {{xx: 1, yy: 1, zz: 1}}}}
  - {{name: next, mass: 1, center_of_mass: [0, 0, 0], inertia: {{xx: 1, yy: 1, zz: 1}}}}
joints:
  - {{name: slide, type: prismatic, base: ground, moving: body, position: [0, 0, 0], axis: [1, 0, 0]}}
  - {{name: rail, type: prismatic, base: ground, moving: next, position: [0, 0, 0], axis: [1, 0, 0]}}
  - {{name: weld, type: fixed, base: body, moving: next, position: [0, 0, 0], cut: true}}
constraints:
  - {{name: one, type: prescribed-motion, joint: slide, motion: {{polynomial: [0, 0, 1]}}}}
  - {{name: other, type: prescribed-motion, joint: rail, motion: {{polynomial: [0, 0, {:.12g}]}}}}
)",
                                                   factor));
  const auto made = solver_for(*system, *registry().catalog().formulations.at(solver));
  host::ObservationStore store(system->view());
  if (made->observe(0, initial_vector(*system, *made), store.now()) == Status::ok) return {};
  return std::string(made->failure());
}

}  // namespace

TEST_CASE("prescribed motions that contradict each other are refused, however little, and equal ones are not") {
  for (const char* solver : {"cartesian", "hierarchy"}) {
    INFO("solver " << solver);
    CHECK(said_of_two_motions(solver, 1).empty());
    for (const double factor : {1.1, 1.0001, 1.000001})
      CHECK_THAT(said_of_two_motions(solver, factor), Catch::Contains("contradict each other at"));
  }
}

TEST_CASE("constraints that cannot be met as written are refused at their place in the file") {
  using Catch::Contains;
  CHECK_THAT(reported("{name: c, type: rolling-disc, body: body, axis: [0, 0, 2], radius: 1}"),
             Contains("m.yaml:8:") && Contains("constraints[0].axis") && Contains("the disc lies flat on the plane"));
  CHECK_THAT(reported("{name: c, type: rolling-disc, body: body, axis: [0, 1, 0], radius: 0}"),
             Contains("constraints[0].radius") && Contains("greater than 0"));
  CHECK_THAT(reported("{name: c, type: knife-edge, body: body, edge: [0, 0, 1]}"),
             Contains("constraints[0].edge") && Contains("parallel to the normal"));
  CHECK_THAT(reported("{name: c, type: prescribed-motion, joint: ball, motion: [0, 0, 0]}"),
             Contains("constraints[0].joint") && Contains("cannot be functions of time"));
  CHECK_THAT(reported("{name: c, type: prescribed-motion, joint: ball, motion: 1}"),
             Contains("constraints[0].motion") && Contains("1 function given for 3 driven coordinates"));
  CHECK_THAT(reported("{name: c, type: prescribed-motion, joint: ball, coordinate: 3, motion: 1}"),
             Contains("constraints[0].coordinate") && Contains("Give a number from 0 to 2."));
  CHECK_THAT(
      reported_of("{name: pin, type: revolute, base: ground, moving: body, position: [0, 0, 0], axis: [0, 0, 1]}",
                  "{name: c, type: prescribed-motion, joint: pin, coordinate: 1, motion: 1}"),
      Contains("constraints[0].coordinate") && Contains("Leave `coordinate` out, or give 0, the only one."));
}

TEST_CASE(
    "two prescribed motions of one coordinate that contradict each other are refused at the second, with both names") {
  using Catch::Contains;
  const std::string
      slide = "{name: rail, type: prismatic, base: ground, moving: body, position: [0, 0, 0], axis: [1, 0, 0]}",
      cylinder = "{name: rail, type: cylindrical, base: ground, moving: body, position: [0, 0, 0], axis: [1, 0, 0]}";
  const auto two = [](const std::string& more, const std::string& one, const std::string& other) {
    return "{name: one, type: prescribed-motion, joint: rail, " + more + "motion: {polynomial: " + one +
           "}}\n  - {name: other, type: prescribed-motion, joint: rail, " + more + "motion: {polynomial: " + other +
           "}}";
  };
  const std::string place = "m.yaml:9:5: error: constraints[1]: constraints `one` and `other` contradict each other: ";
  CHECK_THAT(reported_of(slide, two("", "[0, 0, 1]", "[0, 0, 2]")),
             Contains(place + "they ask joint `rail` for accelerations that are 2 apart at t = 0"));
  CHECK_THAT(reported_of(slide, two("", "[0, 1]", "[0, -1]")),
             Contains(place) && Contains("velocities that are 2 apart"));
  CHECK_THAT(reported_of(slide, two("", "[1]", "[0.5]")), Contains(place) && Contains("positions that are 0.5 apart"));
  CHECK_THAT(reported_of(cylinder, two("coordinate: 1, ", "[0, 0, 1]", "[0, 0, 1.000001]")), Contains(place));
  CHECK(reported_of(slide, two("", "[0, 0, 1]", "[0, 0, 1]")).empty());
  CHECK(reported_of(cylinder,
                    "{name: one, type: prescribed-motion, joint: rail, coordinate: 0, motion: 0}\n"
                    "  - {name: other, type: prescribed-motion, joint: rail, coordinate: 1, motion: 1}")
            .empty());
}
