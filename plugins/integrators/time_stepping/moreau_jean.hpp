// Time stepping for bodies that touch: J. J. Moreau, in: Nonsmooth Mechanics and Applications (1988) 1-82; M. Jean,
// Comput. Methods Appl. Mech. Engrg. 177 (1999) 235-257; D. E. Stewart, J. C. Trinkle, Int. J. Numer. Meth. Engrg. 39
// (1996) 2673-2691.
#pragma once

#include "polyform/contract/integrator.hpp"

namespace polyform::time_stepping {

const IntegratorType& moreau_jean() noexcept;

}  // namespace polyform::time_stepping
