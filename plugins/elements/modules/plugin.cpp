#include "polyform/contract/plugin.hpp"

#include "module_types.hpp"

POLYFORM_PLUGIN("elements", "standard-modules", "1.0") {
  registrar.add(polyform::modules::acceleration_law());
  registrar.add(polyform::modules::circuit_branch());
  registrar.add(polyform::modules::dc_motor());
  registrar.add(polyform::modules::geared_shaft());
  registrar.add(polyform::modules::rotor());
}
