#include "polyform/contract/plugin.hpp"

#include "thompson.hpp"

POLYFORM_PLUGIN("formulation", "thompson", "1.0") { registrar.add(polyform::thompson::formulation()); }
