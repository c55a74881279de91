#include "polyform/contract/plugin.hpp"

#include "force_types.hpp"

POLYFORM_PLUGIN("elements", "standard-forces", "1.0") {
  using namespace polyform::forces;
  registrar.add(spring_damper());
  registrar.add(rotational_spring_damper());
  registrar.add(joint_force());
  registrar.add(joint_spring_damper());
  registrar.add(latch());
  registrar.add(point_force());
  registrar.add(cable());
  registrar.add(inertial_sensor());
}
