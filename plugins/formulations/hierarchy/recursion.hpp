// From the model of level 1 (free bodies and modules) to that of the last level, one merge of subsystems after another,
// and back.
//
// Upwards, a subsystem is described by what later constraints can see of it, the blocks of its interface: for a rigid
// body six unknowns, for a flexible one its modes too, for a module its variables. By the filter (section 4): their
// accelerations x̄ and covariance P with all constraints within enforced, so that x = x̄ + P F when later constraints
// put the forces F on them. By bases of the admissible motions (Theorem 3.2): x = x̄ + S ν with the reduced model M ν =
// f + Sᵀ F. Downwards, the forces of later constraints are handed on to the parts, those of the merge's own constraints
// are added, and at the blocks γ = M α − f is their sum.
//
// x stands for α, for a = M^{1/2} α (udwadia-kalaba; for blocks with full mass matrices M = L Lᵀ, a = Lᵀ α), or for α
// in units of the block's size if M is singular. M need not be invertible in subsystems that are described by bases of
// motions. With any method, a subsystem with a body without mass is described so, and so are the subsystems of which it
// becomes a part.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "block_inertia.hpp"
#include "levels.hpp"
#include "matrix.hpp"
#include "merge_tree.hpp"
#include "method.hpp"
#include "polyform/solvers/absolute_equations.hpp"
#include "polyform/solvers/double_double.hpp"

namespace polyform::hierarchy {

/// One pass has one state, the subsystems and nodes of the tree with the results for them so far, which every step up
/// or down reads and writes. So the steps are functions of one class, in a file for each part: setting up, the filter,
/// bases, and the passes with their residuals. The residuals are in the unknowns and rows of this recursion, as those
/// of the particles and of thompson are in theirs: each tests a formulation's own arithmetic.
class Recursion {
 public:
  /// All arguments outlive the object. noise: of each constraint the diagonal of R (4.17), or empty.
  Recursion(const AbsoluteEquations&, const MergeTree&, std::span<const LevelConstraint>, std::span<const BlockInertia>, Method,
            std::span<const std::vector<double>> noise);
  ~Recursion();

  /// Accelerations and multipliers at the evaluated constraint rows. loads: f + φ of all blocks. Those that are shown
  /// have the rounding of a first pass taken off wherever bodies lack inertia. False when they are not determined or
  /// not finite: failure() says why.
  bool solve(std::span<const double> loads, Accelerations) noexcept;
  /// R λ of all rows for the solution just found (4.17): what joints with a clearance miss.
  std::span<const double> given_way() noexcept;
  std::span<const double> accelerations() const { return total_accelerations_; }
  std::span<const double> multipliers() const { return total_multipliers_; }
  std::string_view failure() const noexcept { return {failure_, failure_size_}; }

 private:
  struct Subsystem;
  struct Node;
  struct Rows;
  struct Member;
  struct Scratch;

  // recursion_setup.cpp
  void make_modules(const MergeTree&);
  void make_node(Node&, const Merge&, std::span<const LevelConstraint>, std::span<const std::vector<double>> noise);
  void set_units(std::size_t subsystem);
  void find_loops(std::span<const LevelConstraint>);
  // recursion.cpp
  bool pass(std::span<const double> loads) noexcept;
  void start_body(std::size_t body, const Spatial& load) noexcept;
  bool start_block(std::size_t block, const double* load) noexcept;
  void read_rows(Node&) noexcept;
  void set_full_rows(Node&, const Rows&, const Member&, const AbsoluteEquations::Coefficients&) noexcept;
  void enforce_by_filter(Node&) noexcept;
  void return_by_filter(Node&) noexcept;
  void finish_block(std::size_t block) noexcept;
  // recursion_solve.cpp
  double find_residual(std::span<const double> loads) noexcept;
  // recursion_fine.cpp
  void refine_residual(std::span<const double> loads) noexcept;
  bool check_finite() noexcept;
  bool check_covariances() noexcept;
  bool check_residual(std::span<const double> loads) noexcept;
  void find_free_sizes(std::span<const double> loads) noexcept;
  void for_coefficients(const Rows&, Index row, std::size_t i, auto&& use) const noexcept;
  bool is_left_out(const Node&, Index row) const noexcept;
  // recursion_bases.cpp
  void describe_by_basis(Subsystem&) noexcept;
  void set_basis_rows(Node&) noexcept;
  void enforce_on_basis(Node&) noexcept;
  void return_on_basis(Node&) noexcept;
  void mark_free_blocks(Node&, const double* motion) noexcept;
  bool name_free_blocks() noexcept;
  // both
  void hand_down_forces(Node&) noexcept;

  template <class... T>
  bool fail(const char* format, const T&... values) noexcept;

  const AbsoluteEquations& system_;
  std::span<const BlockInertia> inertia_;
  Method method_;
  Arena arena_;
  std::vector<Subsystem> subsystems_;  ///< of the blocks, then of the merges
  std::vector<Node> nodes_;      ///< of the merges
  std::unique_ptr<Scratch> scratch_;
  std::vector<Sym3> turn_;  ///< per rigid body: angular part of N in α = N x; the linear part is constant
  std::vector<double> move_;
  double largest_force_ = 0, largest_term_ = 0;  ///< of all equations of motion, of all rows
  double lightest_ = 1;        ///< least inertia of a motion on bases, relative to the largest of its merge
  double smallest_pivot_ = 1;  ///< of rows that close loops, relative to what they would be without constraints
  double stiffest_pivot_ = 1;  ///< of the filter's other rows
  const Node* stiffest_ = nullptr;
  std::vector<double> right_, row_size_;  ///< of all rows, for this pass; largest term of what is left
  std::vector<double> accelerations_, total_accelerations_;  ///< of all blocks
  std::vector<DoubleDouble> fine_left_;  ///< of all blocks, where some are described by bases for lack of inertia
  std::vector<double> load_residual_, load_size_;  ///< of all blocks; what is left, and the largest term of it
  std::vector<double> multipliers_, total_multipliers_;
  std::vector<char> free_;  ///< per block: moves without inertia
  std::size_t free_count_ = 0;
  char failure_[640];
  std::size_t failure_size_ = 0;
};

}  // namespace polyform::hierarchy
