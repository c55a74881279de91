#include "polyform/contract/plugin.hpp"

#include "hierarchy.hpp"

POLYFORM_PLUGIN("formulation", "hierarchy", "1.0") { registrar.add(polyform::hierarchy::formulation()); }
