#include "polyform/contract/plugin.hpp"

#include "verlet_integrator.hpp"

POLYFORM_PLUGIN("integrator", "verlet-integrator", "1.0") { registrar.add(example::verlet_integrator()); }
