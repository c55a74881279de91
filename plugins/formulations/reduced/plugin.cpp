#include "polyform/contract/plugin.hpp"

#include "reduced.hpp"

POLYFORM_PLUGIN("formulation", "reduced", "1.0") { registrar.add(polyform::reduced::formulation()); }
