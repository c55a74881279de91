#include "polyform/contract/plugin.hpp"

#include "magnet_force.hpp"

POLYFORM_PLUGIN("elements", "magnet-force", "1.0") { registrar.add(example::magnet_force()); }
