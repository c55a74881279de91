// What the rows of the cut joints are asked for: the right-hand side g of G λ = g + Eᵀ z_b.
#pragma once

#include <cstddef>
#include <vector>

#include "polyform/mechanics/constraint.hpp"

namespace polyform {

/// One value per row of all loops, in the order of LoopLayout::Loop::first_row.
class LoopRightSides {
 public:
  /// What the constraints are solved for.
  enum class Level {
    position,     ///< a step that removes the residual
    velocity,     ///< a change of velocities that removes Tᵀ V_FM
    acceleration, ///< accelerations
    rest          ///< what set_rest() asks for beyond accelerations that were found
  };

  explicit LoopRightSides(std::size_t rows) : asked_(rows), rest_(rows) {}

  /// Lets the accelerations pull the constraints back (Baumgarte): c̈ = −2 α ċ − β² c; 1/s.
  void stabilize(double alpha, double beta) {
    alpha_ = alpha;
    beta_ = beta;
  }
  /// Of row r of a cut joint, which is the row `place` of all. bias: of the accelerations, −Ḣ v and what the turning of
  /// the bodies gives, of which the row takes its part.
  double find(Level level, const JointConstraint& c, std::size_t r, const Spatial& bias, std::size_t place) noexcept {
    switch (level) {
      case Level::position: return -c.residual[r];
      case Level::velocity: return -dot(c.T[r], c.relative.twist);
      case Level::rest: return rest_[place];
      case Level::acceleration: break;
    }
    return asked_[place] =
               dot(c.T[r], bias) - 2 * alpha_ * dot(c.T[r], c.relative.twist) - beta_ * beta_ * c.residual[r];
  }

  /// What find() gave last for accelerations: of those of the frames' origins without the part that the bodies' turning
  /// gives them over P.
  double asked(std::size_t place) const { return asked_[place]; }
  /// What accelerations and multipliers that were found leave of a row.
  void set_rest(std::size_t place, double value) { rest_[place] = value; }

 private:
  std::vector<double> asked_, rest_;
  double alpha_ = 0, beta_ = 0;
};

}  // namespace polyform
