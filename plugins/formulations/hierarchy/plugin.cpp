#include "polyform/plugin.hpp"

#include "hierarchy.hpp"

POLYFORM_PLUGIN("formulation", "hierarchy", "1.0") { registrar.add(polyform::hierarchy::formulation()); }
