#include "polyform/contract/plugin.hpp"

#include "implicit_types.hpp"

POLYFORM_PLUGIN("integrator", "implicit", "1.0") {
  registrar.add(polyform::implicit::radau5());
  registrar.add(polyform::implicit::generalized_alpha());
  registrar.add(polyform::implicit::automatic());
}
