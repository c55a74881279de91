// The makers of each integrator. Settings are checked before.
#pragma once

#include <memory>

#include "framework/integration/integrator.hpp"

namespace polyform::host {

std::unique_ptr<Integrator> make_rk4(Ode&, const IntegratorSettings&);
std::unique_ptr<Integrator> make_dopri5(Ode&, const IntegratorSettings&);
std::unique_ptr<Integrator> make_cvode_adams(Ode&, const IntegratorSettings&);
std::unique_ptr<Integrator> make_cvode_bdf(Ode&, const IntegratorSettings&);

}  // namespace polyform::host
