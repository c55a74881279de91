// The solution of the saddle-point system: factors of a neighbour, and refinement against the true matrix.
#pragma once

#include <vector>

#include "factors.hpp"
#include "polyform/helpers/failure.hpp"
#include "polyform/solvers/absolute_equations.hpp"
#include "residual.hpp"

namespace polyform::absolute {

/// If the neighbour is far, further rounds by conjugate gradients follow for these parts of the rest: motions with
/// little inertia of their own; all: also rows that nearly depend on others.
enum class Follow : unsigned char { nothing, inertia, all };

/// How far a solution is to be refined, and what is left of the residual, relative to the size of its terms.
struct Refinement {
  std::size_t rounds;  ///< at most; rounds of `follow` are not counted
  double tolerance;
  Follow follow;
  Neighbour neighbour{};
  bool leaves_nearly_dependent = false;  ///< the usual rounds alone are made for such rows
  Remainder left{};
  double last_step = 0;  ///< the most that one more round would change, relative to the motion of a block
  std::size_t worst_step = 0;
  bool conjugate = false;  ///< the last round was one of conjugate gradients
  double work = 0;         ///< of the residual along its step, before the last conjugate step
};

/// Solves a linear problem whose matrix is that of the rows and inertia last evaluated. Functions that can fail leave a
/// sentence in the failure text.
class SaddlePoint {
 public:
  /// All arguments outlive the object.
  SaddlePoint(const Model&, const Scales&, LinearProblem&, Failure&);

  /// To be called when rows or inertia have changed: factors are made anew when they are needed.
  void forget_factors() noexcept { factors_.forget(); }
  /// Refines the solution, from the value it has on entry, until its residual is below the tolerance, at round-off or
  /// no longer shrinking. False when anything is not finite.
  bool solve(Refinement&) noexcept;
  /// The same from zero.
  bool solve_from_zero(Refinement&) noexcept;
  /// Finds accelerations and multipliers from zero. False if they are not determined, or not as accurate as wanted.
  bool find_accelerations(Accelerations) noexcept;
  /// After find_accelerations(): the change, relative to the motion of a block, that more rounds for rows that nearly
  /// depend on others would make, and that block.
  double uncertain() const { return uncertain_; }
  std::size_t uncertain_block() const { return uncertain_block_; }
  /// After solve(): the block on which the residual does the most work, if the inertia that the factors lend it is
  /// ignored.
  bool find_free(const Refinement&, std::size_t& block) noexcept;
  /// After find_free(): refuses motions of a block that its inertia does not determine.
  bool fail_free(const Refinement&, std::size_t block) noexcept;
  /// The residual after solve().
  const Residual& residual() const { return residual_; }

 private:
  bool refine(Refinement&) noexcept;
  bool factorize(const Neighbour&) noexcept;
  bool find_refinement(const Refinement&, bool rows_count = true) noexcept;
  bool step_is_inertial(const Refinement&) const noexcept;
  double work_along_direction() noexcept;
  void take_conjugate_step(Refinement&) noexcept;
  void take_step(Refinement&) noexcept;
  /// Whether motions are as accurate as they have to be. Rows that nearly depend on others count only if they are
  /// followed to the end: near a singular position of a loop no step of an integrator gets that far.
  bool check_accuracy(const Refinement&) noexcept;
  bool fail_infinite(const Refinement&) noexcept;

  const Model& model_;
  const Scales& scales_;
  LinearProblem& problem_;
  Failure& failure_;
  Factors factors_;
  Residual residual_;
  double uncertain_ = 0;
  std::size_t uncertain_block_ = 0;
  std::vector<double> step_;
  std::vector<double> direction_, previous_residual_;  ///< of conjugate gradients
  std::vector<double> kept_;                           ///< the solution before them
};

}  // namespace polyform::absolute
