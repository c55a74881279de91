#include "polyform/contract/plugin.hpp"

#include "coupling_types.hpp"

POLYFORM_PLUGIN("elements", "standard-couplings", "1.0") {
  using namespace polyform::couplings;
  registrar.add(gear());
  registrar.add(rack_and_pinion());
  registrar.add(screw());
  registrar.add(belt());
  registrar.add(differential());
  registrar.add(planetary_gear());
  registrar.add(cam_profile());
  registrar.add(distance_rod());
  registrar.add(constant_velocity());
  registrar.add(point_on_curve());
}
