#include "moreau_jean.hpp"
#include "polyform/contract/plugin.hpp"

POLYFORM_PLUGIN("integrator", "time-stepping", "1.0") { registrar.add(polyform::time_stepping::moreau_jean()); }
