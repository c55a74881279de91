// Inertia that no body can have, and what of it a joint feels.
#include <catch2/catch.hpp>
#include <string>

#include "framework/host/reading/reader.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;
using Catch::Contains;

namespace {

/// What is said of an arm with a tip of this moment of inertia about the axes of both joints.
std::string said_of(const std::string& moment, const std::string& joint = "revolute") {
  const std::string text =
      "polyform: 1\nlenient: true\nbodies:\n"
      "  - {name: arm, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}\n"
      "  - {name: tip, position: [1, 0, 0], mass: 0.1, center_of_mass: [0.01, 0, 0], inertia: {xx: 0.01, yy: " +
      moment + ", zz: 0.01}}\njoints:\n" +
      "  - {name: shoulder, type: revolute, base: ground, moving: arm, position: [0, 0, 0], axis: [0, 1, 0]}\n"
      "  - {name: wrist, type: " +
      joint + ", base: arm, moving: tip, position: [1, 0, 0]" + (joint == "fixed" ? "" : ", axis: [0, 1, 0]") + "}\n";
  host::Diagnostics diagnostics;
  bool missing = false;
  host::Description model = host::read_model_text(text, "m.yaml", registry().catalog(), diagnostics, missing);
  REQUIRE(host::System::assemble(std::move(model), registry().keep_alive(), diagnostics));
  std::string all;
  for (const Diagnostic& d : diagnostics.all()) all += host::format(d) + "\n";
  return all;
}

}  // namespace

// With J of the tip the inertia of the two rates is [0.45201 + J, 0.00101 + J; 0.00101 + J, 1e-5 + J] kg m², whose
// determinant is zero at J = -7.778e-6.
TEST_CASE("a negative moment is told with the joint where it makes the kinetic energy negative, and only there") {
  const auto told =
      Contains("bodies[1].inertia: this inertia makes the kinetic energy negative where joint `wrist` moves");
  CHECK_THAT(said_of("-0.02"), told);
  CHECK_THAT(said_of("-1.1e-5"), told);
  CHECK_THAT(said_of("-7.9e-6"), Contains("kinetic energy"));
  CHECK_THAT(said_of("-7.7e-6"), Contains("negative principal moment") && !Contains("kinetic energy"));
  CHECK_THAT(said_of("-0.02", "fixed"), Contains("negative principal moment") && !Contains("kinetic energy"));
}
