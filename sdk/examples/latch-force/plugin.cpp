#include "polyform/contract/plugin.hpp"

#include "latch_force.hpp"

POLYFORM_PLUGIN("elements", "latch-force", "1.0") { registrar.add(example::latch_force()); }
