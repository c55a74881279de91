#include "polyform/contract/plugin.hpp"

#include "flywheel_module.hpp"

POLYFORM_PLUGIN("elements", "flywheel-module", "1.0") { registrar.add(example::flywheel_module()); }
