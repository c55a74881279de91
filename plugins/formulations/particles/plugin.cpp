#include "polyform/contract/plugin.hpp"

#include "particles.hpp"

POLYFORM_PLUGIN("formulation", "particles", "1.0") { registrar.add(polyform::particles::formulation()); }
