// Eigenvalues and mode shapes of ẋ = A x.
#pragma once

#include <Eigen/Core>
#include <complex>
#include <vector>

namespace polyform::host::inline linearization {

/// One eigenvalue, or a conjugate pair by its member with positive imaginary part.
struct Mode {
  enum class Kind {
    rigid,       ///< eigenvalue zero: a motion that nothing restores
    real,        ///< decays or grows without oscillation
    oscillating  ///< a conjugate pair
  };
  enum class Trend { decaying, neutral, growing };

  Kind kind = Kind::real;
  Trend trend = Trend::neutral;
  std::complex<double> eigenvalue;  ///< rad/s
  double error = 0;                 ///< of the eigenvalue, estimated from that of A and from rounding
  /// repeated: another eigenvalue is equal within the errors. defective: it has the same shape too, so that the motion
  /// has terms t e^(λt), or t for a rigid mode.
  bool repeated = false, defective = false;
  Eigen::VectorXcd shape;  ///< deviation of the state; the largest part, in scales, is 1

  std::size_t eigenvalues() const { return kind == Kind::oscillating ? 2 : 1; }
  double natural_frequency() const { return std::abs(eigenvalue); }  ///< rad/s
  double damping_ratio() const { return kind == Kind::rigid ? 0 : -eigenvalue.real() / std::abs(eigenvalue); }
};

/// The error bounds the distance of the eigenvalue from the true one, so that no more is needed to tell its side.
Mode::Trend trend_of(const Mode&);

struct Modes {
  std::vector<Mode> all;             ///< rigid ones first, then by natural frequency
  std::size_t zero_eigenvalues = 0;  ///< with their multiplicity: at least the number of rigid modes
  /// Rigid modes are known to be slower than this, rad/s: what A and its rounding leave of their accelerations.
  double rigid_within = 0;
  bool has_doubts = false;  ///< a matrix of their own might give slow modes digits, and was not asked for

  bool any(Mode::Trend) const;
};

/// Whether slow modes get digits from a matrix of their own (slow_space.hpp), which takes longer than all else, or have
/// those that the whole matrix gives them.
enum class SlowModes { by_own_matrix, by_whole_matrix };

/// error: estimated, of each entry of A; scales: a large deviation of each state, to normalize shapes by.
///
/// Entries of A that are but error count as zero. A is balanced first (diagonal scaling by powers of 2).
/// Zero eigenvalues, which rounding would scatter (a double one by √ε), are split off exactly by a staircase of null
/// spaces: A → [0 X; 0 A₂], again with A₂ until it is regular. A null space is what the errors of A allow it to be, at
/// least 1e-12 of the norm of A. The rest goes through a dense QR iteration.
Modes find_modes(const Eigen::MatrixXd& A, const Eigen::MatrixXd& error, const std::vector<double>& scales,
                 SlowModes = SlowModes::by_own_matrix);

}  // namespace polyform::host::linearization
