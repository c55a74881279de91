#include "polyform/contract/plugin.hpp"

#include "cartesian.hpp"

POLYFORM_PLUGIN("formulation", "cartesian", "1.0") { registrar.add(polyform::cartesian::formulation()); }
