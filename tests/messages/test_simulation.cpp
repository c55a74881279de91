// The wording and the places of messages about simulation and solver.
#include "tests/messages/messages.hpp"

using namespace polyform::host::testing;

TEST_CASE("messages about simulation and solver") {
  check_messages({
      {"a duration of zero",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "simulation: {duration: 0}\n",
       "m.yaml:4:24: error: simulation.duration: found '0', expected a number in s greater than 0\n"},
      {"a negative tolerance",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "simulation: {tolerance: {relative: -1e-6}}\n",
       "m.yaml:4:36: error: simulation.tolerance.relative: found '-1e-6', expected a number greater "
       "than 0\n"},
      {"a tolerance that is no map",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "simulation: {tolerance: 1e-6}\n",
       "m.yaml:4:25: error: simulation.tolerance: found '1e-6', expected a map of 'key: value' entries\n"},
      {"a misspelt setting",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "simulation: {stepp: 0.1}\n",
       "m.yaml:4:14: error: simulation.stepp: unknown key 'stepp'\n"
       "  Did you mean 'step'? Known keys here: duration, step, max_step, output_interval, integrator, tolerance.\n"},
      {"options that are no map",
       "polyform: 1\n"
       "bodies:\n"
       "  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
       "solver: {name: riccati, options: fast}\n",
       "m.yaml:4:34: error: solver.options: found 'fast', expected a map of options, {option: value}\n"},
  });
}
