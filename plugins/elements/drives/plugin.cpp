#include "polyform/contract/plugin.hpp"

#include "drive_types.hpp"

POLYFORM_PLUGIN("elements", "standard-drives", "1.0") {
  using namespace polyform::drives;
  registrar.add(hydraulic_cylinder());
  registrar.add(belt_drive());
  registrar.add(computed_torque());
  registrar.add(synchronous_motor());
}
