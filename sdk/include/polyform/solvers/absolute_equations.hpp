// The equations of motion in absolute coordinates, for code that solves them in a way of its own.
#pragma once

#include <span>
#include <string_view>

#include "polyform/solvers/absolute/scales.hpp"

namespace polyform {

/// What accelerations are for. Next to a singular position of a loop, x (of its size) away, rounding of positions by η
/// makes rounding of velocities η/x and of accelerations η/x²·1/x. Accelerations that are rounding would hold the steps
/// of an integrator there, so its stages leave out rows that depend on others up to x = ∛η. Shown accelerations meet
/// all rows.
enum class Accelerations : unsigned char { of_stage, shown };

/// M, A, b and f of the motions last evaluated, block by block and constraint by constraint:
///
///   [M  Aᵀ] [ẋ ]   [f]
///   [A  0 ] [−λ] = [b]
class AbsoluteEquations {
 public:
  /// loads: f, of all blocks. All outlive the object.
  AbsoluteEquations(const absolute::Model& model, const absolute::Scales& scales, std::span<const double> loads)
      : model_(model), scales_(scales), loads_(loads) {}

  // The unknowns, in blocks: of the bodies, then of the modules.
  std::size_t blocks() const { return model_.blocks.count(); }
  std::size_t offset(std::size_t block) const { return model_.blocks.offset(block); }  ///< of blocks(): their number
  std::size_t size(std::size_t block) const { return model_.blocks.size(block); }
  std::string_view name_of_block(std::size_t block) const noexcept { return model_.blocks.name(block); }
  /// Of the bodies that are welded to that of a block, the heaviest: the one to name for what they lack.
  std::size_t heaviest(std::size_t block) const { return model_.blocks.heaviest(block); }
  bool is_module(std::size_t block) const { return model_.blocks.is_module(block); }
  /// Whether a block has no mass, or no inertia for some motion of its own; any inertia, however little, counts.
  bool lacks_inertia(std::size_t block) const { return scales_[block].lacking; }

  // The constraints: all joints, all constraint elements, all modules.
  std::size_t constraints() const { return model_.constraints.count(); }
  std::size_t rows() const { return model_.constraints.rows(); }
  std::size_t rows(std::size_t constraint) const { return model_.constraints[constraint].rows; }
  std::size_t first_row(std::size_t constraint) const { return model_.constraints[constraint].row; }
  bool is_joint(std::size_t constraint) const { return constraint < model_.constraints.first_element(); }
  const char* kind_of_constraint(std::size_t constraint) const noexcept { return model_.constraints.kind(constraint); }
  std::string_view name_of_constraint(std::size_t constraint) const noexcept {
    return model_.constraints.name(constraint);
  }
  /// Coefficients of a constraint's rows for one of the blocks that it ties: of a body 6 per row (about its mass
  /// centre), and those of its modes or of the module's variables, row after row.
  struct Coefficients {
    std::size_t block;
    std::span<const Spatial> frame;
    std::span<const double> own;
  };
  std::size_t constrained_blocks(std::size_t constraint) const { return model_.constraints[constraint].entries; }
  Coefficients coefficients(std::size_t constraint, std::size_t i) const {
    const absolute::Constraints::Constraint& t = model_.constraints[constraint];
    const absolute::Constraints::Entry& e = model_.constraints.entry(t.entry + i);
    return {e.block, {model_.rows.frames(e), e.frame == 0 ? 0 : t.rows}, {model_.rows.own(e, 0), t.rows * e.owns}};
  }

  std::span<const double> right() const { return model_.rows.right(); }  ///< b
  std::span<const double> loads() const { return loads_; }               ///< f, after AbsoluteSystem::set_loads()
  /// out = M x of one block.
  void multiply_inertia(std::size_t block, const double* x, double* out) const noexcept {
    model_.inertia.multiply(block, x, out);
  }
  /// M of a flexible body's block (first six in ground axes) or a module's, rows first; M of other bodies is
  /// diag(inertia(), mass).
  std::span<const double> mass_matrix(std::size_t block) const noexcept { return model_.inertia.matrix(block); }
  const Sym3& inertia(std::size_t body) const { return model_.inertia.of_body(body); }  ///< about the mass centre
  /// Mass centre of a body from its frame origin, ground axes; zero for a flexible body.
  const Vec3& center(std::size_t body) const { return model_.inertia.center(body); }
  std::span<const BodyMotion> frames() const { return model_.motions.frames; }  ///< bodies, then nodes
  const NodeMotions& nodes() const { return model_.motions.nodes; }
  const absolute::Violation& violation() const { return model_.rows.violation(); }

 private:
  const absolute::Model& model_;
  const absolute::Scales& scales_;
  std::span<const double> loads_;
};

}  // namespace polyform
