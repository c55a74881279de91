// Algorithm B of Rui et al. 2020, Sect. 4.2: subchains that meet at one body with several inputs, and the single
// overall equation of that multi-input subsystem (Eqs 53–60).
//
// As in Algorithm A, the moment conditions of each subchain's first hinge are added: with Eq 59 alone the rows of
// m_7,O and m_5,O in the paper's example are identities, and the 9 × 9 matrix has the rank 7.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "chain.hpp"
#include "multi_hinge.hpp"

namespace polyform::riccati::paper {

class OverallEquation {
 public:
  /// body: transfer matrix of the multi-input body (Eq 8); chains: one per input, from their tips (step B2).
  OverallEquation(const Layout&, std::vector<Chain> chains, const MultiHinge&, const Matrix& body);

  /// Eq 57: U_all z_all = 0 with z_all = [z_O, z_b1 1, z_b2 1, …].
  const Matrix& matrix() const { return U_all_; }
  /// Eq 59: without the states known at the output end, without the row of the artificial 1 and with its columns on the
  /// right-hand side.
  void reduced(Boundary output, Matrix& U, Vector& b) const;

  struct Solution {
    Vector z_O;                               ///< state of the output end
    std::vector<std::vector<Vector>> chains;  ///< states of all connection points, per subchain
  };
  /// Step B4. output: free or pinned. Nothing when the equation is singular or a chain is not regular().
  std::optional<Solution> solve(Boundary output) const;

 private:
  Layout layout_;
  std::vector<Chain> chains_;
  Matrix U_all_;
};

}  // namespace polyform::riccati::paper
