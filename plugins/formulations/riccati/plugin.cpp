#include "polyform/contract/plugin.hpp"

#include "riccati.hpp"

POLYFORM_PLUGIN("formulation", "riccati", "1.0") { registrar.add(polyform::riccati::formulation()); }
