// The examples of Thompson 2011, with aerodynamic forces and springs about Euler angles.
#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "tests/agreement/agreement.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

TEST_CASE("formulations agree on aircraft, pendulum, satellite, connected joints, rotorcraft and wind turbine") {
  for (const std::string name :
       {"navion", "spring_damper_pendulum", "satellite", "connected_joints", "rotorcraft", "wind_turbine"}) {
    INFO(name);
    const std::string file = std::string(POLYFORM_MODELS) + "/" + name + ".yaml";
    CHECK(require_agreement((std::ostringstream() << std::ifstream(file).rdbuf()).str()) > 5);
    const auto system = system_from_file(file);
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name());
      require_power_balance(*system, *formulation);
    }
  }
}
