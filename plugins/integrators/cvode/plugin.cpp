#include "polyform/contract/plugin.hpp"

#include "cvode_types.hpp"

POLYFORM_PLUGIN("integrator", "cvode", "1.0") {
  registrar.add(polyform::cvode::adams());
  registrar.add(polyform::cvode::bdf());
}
