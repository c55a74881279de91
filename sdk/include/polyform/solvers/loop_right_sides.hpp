// What the rows of cut joints and constraint elements ask for: the right-hand side g of G λ = g + Eᵀ z_b.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "polyform/mechanics/body_motion.hpp"

namespace polyform {

class ClosingConstraints;
class FlexibleLinks;

/// One value per row of all loops, in the order of LoopLayout::Loop::first_row.
class LoopRightSides {
 public:
  /// For which unknown the constraints are solved.
  enum class Level {
    position,      ///< a step that removes the residual
    velocity,      ///< a change of velocities that removes what velocities miss
    acceleration,  ///< accelerations
    rest           ///< what set_rest() asks for beyond accelerations that were found
  };

  explicit LoopRightSides(std::size_t rows) : asked_(rows), rest_(rows) {}

  /// Lets the accelerations pull the constraints back (Baumgarte): c̈ = −2 α ċ − β² c; 1/s.
  void stabilize(double alpha, double beta) {
    alpha_ = alpha;
    beta_ = beta;
  }
  bool is_stabilized() const { return alpha_ != 0 || beta_ != 0; }
  /// Writes the right-hand sides of the rows of a loop to `right`. constraints: as evaluated at the motions of the
  /// frames; to_P: as of LoopClosure::begin.
  void set(Level, std::size_t loop, const ClosingConstraints&, const FlexibleLinks&, std::span<const BodyMotion> frames,
           std::span<const Vec3> to_P, double* right) noexcept;

  /// What set() found last for accelerations: it is for those of the frames' origins, without the part that the turning
  /// of the bodies gives them over P.
  double asked(std::size_t place) const { return asked_[place]; }
  /// Sets what the accelerations and multipliers that were found leave of a row.
  void set_rest(std::size_t place, double value) { rest_[place] = value; }

 private:
  double find(Level, double residual, double rate, double acceleration, std::size_t place) noexcept;
  void set_cut(Level, std::size_t loop, const ClosingConstraints&, const FlexibleLinks&,
               std::span<const BodyMotion> frames, std::span<const Vec3> to_P, double* right) noexcept;
  void set_element(Level, std::size_t loop, const ClosingConstraints&, const FlexibleLinks&,
                   std::span<const BodyMotion> frames, std::span<const Vec3> to_P, double* right) noexcept;

  std::vector<double> asked_, rest_;
  double alpha_ = 0, beta_ = 0;
};

}  // namespace polyform
