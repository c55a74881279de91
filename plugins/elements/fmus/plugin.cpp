#include "polyform/contract/plugin.hpp"

#include "fmu_type.hpp"

POLYFORM_PLUGIN("elements", "fmus", "1.0") {
  registrar.add(polyform::fmus::fmu_type());
  registrar.add(polyform::fmus::fmu_module());
}
