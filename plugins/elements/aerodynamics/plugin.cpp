#include "polyform/contract/plugin.hpp"

#include "aerodynamic_types.hpp"

POLYFORM_PLUGIN("elements", "aerodynamics", "1.0") {
  using namespace polyform::aerodynamics;
  registrar.add(aerodynamic_body());
  registrar.add(blade_elements());
}
