// The residual of a solution of the saddle-point system; that of other formulations is in other unknowns, and apart.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "polyform/solvers/absolute/scales.hpp"

namespace polyform::absolute {

/// [M Aᵀ; A 0] solution = data, over all unknowns and then one number per row. The solution holds −λ.
struct LinearProblem {
  explicit LinearProblem(const Model& model)
      : data(model.blocks.row_at(model.constraints.rows())), solution(data.size()) {}

  /// The right-hand sides of the rows.
  void set_rows(std::span<const double> right) noexcept {
    std::copy(right.begin(), right.end(), data.end() - static_cast<std::ptrdiff_t>(right.size()));
  }

  std::vector<double> data, solution;
};

/// The size of a residual relative to its terms.
struct Remainder {
  double body_error = 0, row_error = 0;  ///< the largest, of blocks and of rows
  double judged = 0;  ///< of blocks, beside the motions that the rows ask for too, and so not beside zero
  std::size_t worst_body = 0, worst_row = 0;  ///< where they are
};

/// residual = data − K solution, with the sizes of the motions and forces that are in it.
class Residual {
 public:
  /// How large the motion and the forces of a block are, m/s² and N (or the units of the level).
  struct Size {
    double motion = 0;  ///< the present one, and the one that the load would give the body alone
    double force = 0;
  };

  /// All arguments outlive the object.
  Residual(const Model&, const Scales&, const LinearProblem&);

  /// Finds the residual of all blocks and rows.
  void find(Remainder&) noexcept;
  /// The same where the solution is zero: the residual is the data, and all of it is left. Sizes stay unknown.
  void find_at_zero(Remainder&) noexcept;
  /// Finds the residual of one block with its inertia alone, and its size.
  void find_block(std::size_t block) noexcept;
  const std::vector<double>& values() const { return values_; }
  Size& size(std::size_t block) { return sizes_[block]; }

  /// The largest share that a step of all unknowns has in the motion of a block, and that block. A body's motion counts
  /// as at least a small part of the largest.
  double relative_step(std::span<const double> step, std::size_t& worst_block) const noexcept;
  /// The largest change of a row by a motion of unit size of a block.
  double row_weight(const Constraints::Entry&, std::size_t row) const noexcept;

 private:
  /// The least motion or force that counts: a small part of the largest. Unknowns of modules have sizes in units of the
  /// root of an inertia, and compare with it times such a root.
  struct Floors {
    double of_bodies = 0, of_modules = 0;
    double of(bool module) const { return module ? of_modules : of_bodies; }
  };
  Floors motion_floors() const noexcept;
  Floors force_floors() const noexcept;
  /// The force that a block without inertia would need, with that of its neighbours, for the motion that the rows ask
  /// for: where nothing else acts, what is left of its equation is rounding of that.
  double asked_force(std::size_t block) const noexcept;
  /// Notes how fast a row asks a block to move by itself.
  void note_asked(double right, double weight, bool module) noexcept;
  void find_rows(std::size_t constraint, const Floors& motion, Remainder&, double& sum) noexcept;
  double largest_force(std::size_t block) const noexcept;
  void find_block_error(std::size_t block, const Floors& force, double asked, Remainder&, double& sum) const noexcept;
  double held_force(std::size_t constraint, std::size_t row) const noexcept;

  const Blocks& blocks_;
  const Constraints& constraints_;
  const Inertia& inertia_;
  const Rows& rows_;
  const Scales& scales_;
  const LinearProblem& problem_;
  std::vector<double> values_;
  std::vector<Size> sizes_;  ///< per block
  Floors asked_;             ///< the fastest motions that the rows ask for by themselves
};

}  // namespace polyform::absolute
