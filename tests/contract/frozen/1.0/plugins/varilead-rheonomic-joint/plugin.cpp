#include "polyform/contract/plugin.hpp"

#include "varilead_rheonomic_joint.hpp"

POLYFORM_PLUGIN("elements", "varilead-rheonomic-joint", "1.0") { registrar.add(example::varilead_rheonomic_joint()); }
