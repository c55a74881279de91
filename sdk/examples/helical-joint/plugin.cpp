#include "polyform/contract/plugin.hpp"

#include "helical_joint.hpp"

POLYFORM_PLUGIN("elements", "helical-joint", "1.0") { registrar.add(example::helical_joint()); }
