// The slow motions of ẋ = A x beside much faster ones.
//
// With an orthogonal U = [U₁ U₂] whose first columns span the slow motions nearly, Uᵀ A U = [A₁₁ A₁₂; A₂₁ A₂₂] with a
// small A₂₁. The slow motions themselves are the columns of V = U₁ + U₂ P, and the rows Wᵀ ~ U₁ᵀ + Q U₂ᵀ see nothing of
// the fast ones, where
//
//   A₂₁ + A₂₂ P = P (A₁₁ + A₁₂ P),    A₁₂ + Q A₂₂ = (A₁₁ + Q A₂₁) Q
//
// Both are iterated with A₂₂⁻¹, which contracts by slow over fast rates. Wᵀ A V is the matrix of the slow motions. Its
// errors are those that the entries of A leave along them, not those of an iteration on the whole of A, which are
// rounding of the fastest motion.
#pragma once

#include <Eigen/Core>
#include <optional>

namespace polyform::host::inline linearization {

struct SlowSpace {
  Eigen::MatrixXd V, W;                   ///< n × slow, Wᵀ V = 1
  Eigen::MatrixXd slow, error;            ///< Wᵀ A V, and what may be wrong with each entry
  Eigen::MatrixXd fast_right, fast_left;  ///< n × fast: the same of the others
  Eigen::MatrixXd fast;                   ///< fast_leftᵀ A fast_right
};

/// error: of each entry of A; U: square, the first `slow` columns nearly span the slow motions. Nothing where these are
/// not parted from the others.
std::optional<SlowSpace> slow_space(const Eigen::MatrixXd& A, const Eigen::MatrixXd& error, const Eigen::MatrixXd& U,
                                    Eigen::Index slow);

}  // namespace polyform::host::linearization
