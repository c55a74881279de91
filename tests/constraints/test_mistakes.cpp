// What the standard constraints say of entries that contradict themselves.
#include <catch2/catch.hpp>
#include <string>

#include "framework/assembly/system.hpp"
#include "framework/reading/reader.hpp"
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

}  // namespace

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
