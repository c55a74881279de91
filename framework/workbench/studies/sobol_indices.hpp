// Sobol indices: which share of a quantity's variance each factor makes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "framework/workbench/studies/table.hpp"

namespace polyform::host::inline studies {

/// An estimate with the ends of its 95 % interval.
struct Estimate {
  double value = 0, low = 0, high = 0;
};
/// first: the share of the variance that goes with the factor alone. total: the share that is left if all other factors
/// are known; it contains what the factor does together with others.
struct FactorIndices {
  Estimate first, total;
};
/// The indices of one quantity. why_not: the reason if there are none, otherwise "".
struct SobolIndices {
  std::vector<FactorIndices> factors;
  std::size_t samples = 0, left_out = 0;  ///< samples in the estimate; samples with a case that failed or has no number
  std::string why_not;
};

/// One for each quantity, from the cases of the method saltelli (design.hpp). First indices by Saltelli et al. (2010,
/// Comput. Phys. Comm. 181, table 2 b), total ones by Jansen (1999, Comput. Phys. Comm. 117, eq. 22), intervals by
/// bootstrap over the samples (Archer, Saltelli, Sobol 1997). Other methods have no indices, and why_not says so.
std::vector<SobolIndices> sobol_indices(const StudyTable&, std::string_view method);

}  // namespace polyform::host::inline studies
