#include "polyform/contract/plugin.hpp"

#include "spring_types.hpp"

POLYFORM_PLUGIN("elements", "standard-springs", "1.0") {
  using namespace polyform::springs;
  registrar.add(bushing());
  registrar.add(nonlinear_spring());
  registrar.add(bump_stop());
  registrar.add(gas_spring());
}
