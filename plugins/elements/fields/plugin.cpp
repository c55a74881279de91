#include "polyform/contract/plugin.hpp"

#include "field_types.hpp"

POLYFORM_PLUGIN("elements", "standard-fields", "1.0") {
  using namespace polyform::fields;
  registrar.add(central_gravity());
  registrar.add(magnets());
  registrar.add(magnetic_field());
  registrar.add(drag());
}
