// All ball hinges before one body with several inputs (Rui et al. 2020, Eqs 11–17): the main transfer equation and the
// geometric equations.
#pragma once

#include <span>
#include <vector>

#include "state_vector.hpp"

namespace polyform::riccati::paper {

class MultiHinge {
 public:
  /// outboard: the (extended) transfer matrix of the outboard body, Eq 8. others: from its first input end I1 to I2 …
  MultiHinge(const Layout&, const Matrix& outboard, std::span<const Vec3> others, const Vec3& Omega);

  Index inputs() const { return static_cast<Index>(main_.size()); }
  /// Û_Ik, Eqs 12 (k = 0) and 13: z_O = Σ Û_Ik z_Ik, extended size × size.
  const Matrix& main(Index k) const { return main_[static_cast<std::size_t>(k)]; }
  /// H_{r̈,m}, Eq 16, half × size: the part of an input state that enters the geometric equations.
  const Matrix& taken() const { return taken_; }
  /// H_{O1,Ik} for k ≥ 1, Eq 16, half × extended size: H_{r̈,m} z_Ik = H_{O1,Ik} z_O. Accelerations follow those of the
  /// rigid outboard body, Eq 14; moments vanish.
  const Matrix& geometry(Index k) const { return geometry_[static_cast<std::size_t>(k - 1)]; }

 private:
  std::vector<Matrix> main_, geometry_;
  Matrix taken_;
};

}  // namespace polyform::riccati::paper
