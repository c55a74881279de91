// What the standard constraints say of entries that contradict themselves.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>

#include "framework/assembly/system.hpp"
#include "framework/reading/reader.hpp"
#include "framework/simulation/observation_store.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// All that is reported of a body on a spherical joint, with this constraint.
std::string reported(const std::string& constraint) {
  const std::string text = R"(
polyform: 1
bodies:
  - {name: body, mass: 1, center_of_mass: [0, 0, 1], inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: ball, type: spherical, base: ground, moving: body, position: [0, 0, 0]}
constraints:
  - )" + constraint + "\n";
  host::Diagnostics diagnostics;
  bool missing = false;
  host::Description model = host::read_model_text(text, "m.yaml", registry().catalog(), diagnostics, missing);
  if (!diagnostics.failed()) host::System::assemble(std::move(model), registry().keep_alive(), diagnostics);
  std::string all;
  for (const Diagnostic& d : diagnostics.all()) all += host::format(d) + "\n";
  return all;
}

/// What a solver says of a slide with two prescribed motions, the second by a factor apart; empty if it runs.
std::string said_of_two_motions(const std::string& solver, double factor) {
  const auto system = system_from_text(fmt::format(R"(
polyform: 1
bodies:
  - {{name: body, mass: 1, center_of_mass: [0, 0, 0], inertia: {{xx: 1, yy: 1, zz: 1}}}}
joints:
  - {{name: slide, type: prismatic, base: ground, moving: body, position: [0, 0, 0], axis: [1, 0, 0]}}
constraints:
  - {{name: one, type: prescribed-motion, joint: slide, motion: {{polynomial: [0, 0, 1]}}}}
  - {{name: other, type: prescribed-motion, joint: slide, motion: {{polynomial: [0, 0, {:.12g}]}}}}
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
      CHECK_THAT(said_of_two_motions(solver, factor), Catch::Contains("contradict each other at constraint `o"));
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
}
