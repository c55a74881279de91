// The formulas as text, LaTeX or C.
#pragma once

#include <string>

#include "apps/formulas/expansion.hpp"

namespace polyform::apps::formulas {

std::string write(const Expansion&, Language);

}  // namespace polyform::apps::formulas
