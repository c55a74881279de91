// What an evaluation of a system costs.
#pragma once

#include <cstddef>

#include "polyform/contract/growth.hpp"

namespace polyform {

struct EvaluationCost {
  Size<EvaluationCost> size{};
  double operations = 0;                              ///< multiplications, those of the tree included
  double bytes = 0;                                   ///< memory of the loops
  std::size_t widest = static_cast<std::size_t>(-1);  ///< the body whose hinge most rows pass; none without loops
  std::size_t rows = 0;                               ///< rows that pass it
};

}  // namespace polyform
