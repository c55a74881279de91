#include "polyform/contract/plugin.hpp"

#include "tyre_types.hpp"

POLYFORM_PLUGIN("elements", "tyres", "1.0") {
  using namespace polyform::tyres;
  registrar.add(radial_tyre());
  registrar.add(brush_tyre());
  registrar.add(magic_formula_tyre());
}
