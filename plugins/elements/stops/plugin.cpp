#include "polyform/contract/plugin.hpp"

#include "stop_types.hpp"

POLYFORM_PLUGIN("elements", "joint-stops", "1.0") {
  registrar.add(polyform::stops::joint_limit());
  registrar.add(polyform::stops::dry_friction());
  registrar.add(polyform::stops::freewheel());
}
