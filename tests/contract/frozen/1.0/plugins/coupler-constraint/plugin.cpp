#include "polyform/contract/plugin.hpp"

#include "coupler_constraint.hpp"

POLYFORM_PLUGIN("elements", "coupler-constraint", "1.0") { registrar.add(example::coupler_constraint()); }
