#include "polyform/contract/plugin.hpp"

#include "flexible_types.hpp"

POLYFORM_PLUGIN("elements", "flexible-bodies", "1.0") {
  using namespace polyform::flexible;
  registrar.add(flexible_beam());
  registrar.add(modal_body());
}
