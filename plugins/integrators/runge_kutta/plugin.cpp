#include "polyform/contract/plugin.hpp"

#include "runge_kutta.hpp"

POLYFORM_PLUGIN("integrator", "runge-kutta", "1.0") {
  using namespace polyform::runge_kutta;
  registrar.add(rk4());
  registrar.add(dopri5());
  registrar.add(dop853());
}
