// What the recursion knows of every subsystem and merge: places that depend on the model alone, and memory for the
// numbers of one state.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "block_inertia.hpp"
#include "enforcement/semidefinite_factor.hpp"
#include "levels.hpp"
#include "matrix.hpp"
#include "merge_tree.hpp"
#include "method.hpp"
#include "polyform/solvers/absolute_equations.hpp"

namespace polyform::hierarchy {

/// Calls f with the size of a block: that of a rigid body as a constant, so that the compiler unrolls products.
template <class F>
inline void with_size(Index size, F&& f) {
  if (size == 6)
    f(Eigen::fix<6>);
  else
    f(size);
}

/// A subsystem: its description for the way up, and the forces of later constraints on the way down.
struct SubsystemModel {
  bool by_basis = false;                            ///< described by a basis of motions, not by a covariance
  Index width = 0;                                  ///< unknowns of the interface
  double* x = nullptr;                              ///< accelerations with no force on the interface, or with ν = 0
  double* P = nullptr;                              ///< covariance, width²; not with by_basis
  double* units = nullptr;                          ///< of x, if a merge needs P as a reduced model
  double *S = nullptr, *M = nullptr, *f = nullptr;  ///< reduced model, if a merge needs it
  Index columns = 0;                                ///< coordinates ν of the reduced model
  double* force = nullptr;                          ///< F, on the interface
  double* nu = nullptr;                             ///< ν
  double* N = nullptr;                              ///< of a block with a full mass matrix: α = N x

  Vector x_vector() const { return {x, width}; }
  Matrix P_matrix() const { return {P, width, width}; }
  Matrix S_matrix() const { return {S, width, columns}; }
  Matrix M_matrix() const { return {M, columns, columns}; }
  Vector f_vector() const { return {f, columns}; }
  Vector force_vector() const { return {force, width}; }
  Vector nu_vector() const { return {nu, columns}; }
  Matrix N_matrix() const { return {N, width, width}; }
};

/// The rows of one constraint within a merge.
struct NodeRows {
  std::size_t constraint;
  Index first, count;
  std::vector<std::size_t> touched;  ///< per block of the constraint: its number in Node::touched
};

/// A block among the members of a merge: its unknowns in the interface of its part and among those of all members.
struct NodeMember {
  std::size_t part;
  Index place, member, size;
  std::size_t block;
  Index first = 0;  ///< of a touched member: its columns of H̃; of one of the interface: its unknowns there
};

/// One merge of subsystems: whose blocks take part, the rows that are enforced in it, and what its enforcement leaves.
struct Node {
  struct Part {
    std::size_t subsystem;
    Index member = 0;  ///< first of its unknowns among those of the members
  };
  /// What enforcement by the filter leaves.
  struct Filter {
    double* PHt = nullptr;  ///< P H̃ᵀ on the interface
    SemidefiniteFactor S_inverse;
  };
  /// What enforcement on bases leaves.
  struct Basis {
    double *B = nullptr, *C = nullptr, *particular = nullptr, *R = nullptr;
    std::vector<Index> order;
    double *follow = nullptr, *offset = nullptr;
    Index rank = 0, columns = 0, admissible = 0, kept = 0;  ///< of B; of parts; after the rows; after condensation
  };
  std::size_t subsystem = 0;          ///< that the merge makes
  Index width = 0;                    ///< unknowns of the members
  std::vector<NodeMember> interface;  ///< members that later constraints need
  std::vector<Part> parts;
  std::vector<NodeMember> touched;  ///< members that a row of the merge has coefficients for
  Index touched_width = 0;
  std::vector<NodeRows> rows;
  Index count = 0;            ///< of rows
  std::vector<double> noise;  ///< R, per row
  bool closes_loop = false;   ///< its rows may depend on each other or on those within the parts

  double* H = nullptr;         ///< count × touched_width
  double* residual = nullptr;  ///< b̃ − H̃ x̄
  double* weights = nullptr;   ///< per row: H̃ H̃ᵀ of free bodies
  Filter filter;               ///< in use unless the subsystem is described by a basis
  Basis basis;                 ///< in use if it is

  Matrix H_matrix() const { return {H, count, touched_width}; }
  /// Whether a row was found to depend on others.
  bool is_left_out(Index row, bool by_basis) const noexcept;
};

/// Memory of one merge that the next one may overwrite.
struct Scratch {
  double *D, *S, *first, *second, *vector;  ///< by the filter
  double *basis_S, *basis_M, *basis_f, *product, *work, *more_work, *nu, *g;
};

/// All subsystems and merges of a system. Nothing allocates after construction.
class SubsystemModels {
 public:
  /// The system and the inertia outlive the object. noise: of each constraint the diagonal of R (4.17), or empty.
  SubsystemModels(const AbsoluteEquations&, const MergeTree&, std::span<const LevelConstraint>,
                  std::span<const BlockInertia>, Method, std::span<const std::vector<double>> noise);
  SubsystemModels(const SubsystemModels&) = delete;

  const AbsoluteEquations& system() const { return system_; }
  const BlockInertia& inertia(std::size_t block) const { return inertia_[block]; }
  Method method() const { return method_; }
  /// Those of the blocks, then those that the merges make.
  std::span<SubsystemModel> all() { return subsystems_; }
  SubsystemModel& of(std::size_t i) { return subsystems_[i]; }
  const SubsystemModel& of(std::size_t i) const { return subsystems_[i]; }
  SubsystemModel& of(const Node& node) { return subsystems_[node.subsystem]; }
  SubsystemModel& of(const Node::Part& part) { return subsystems_[part.subsystem]; }
  bool is_by_basis(const Node& node) const { return subsystems_[node.subsystem].by_basis; }
  /// The merges, parts before what they are merged to.
  std::span<Node> nodes() { return nodes_; }
  std::span<const Node> nodes() const { return nodes_; }
  const Scratch& scratch() const { return scratch_; }

  /// Calls `use(unknown, coefficient)` for those of one row on its i-th block.
  void for_coefficients(const NodeRows& rows, Index r, std::size_t i, auto&& use) const noexcept {
    const AbsoluteEquations::Coefficients c = system_.coefficients(rows.constraint, i);
    const std::size_t row = static_cast<std::size_t>(r), frame = c.frame.empty() ? 0 : 6;
    const std::size_t own = c.own.size() / static_cast<std::size_t>(rows.count), first = system_.offset(c.block);
    for (std::size_t k = 0; k < frame; ++k) use(first + k, c.frame[row][k]);
    for (std::size_t k = 0; k < own; ++k) use(first + frame + k, c.own[row * own + k]);
  }

 private:
  void make_subsystems(const MergeTree&);
  void make_node(Node&, const Merge&, std::span<const LevelConstraint>, std::span<const std::vector<double>> noise);
  void set_units(std::size_t subsystem);
  void find_loops(std::span<const LevelConstraint>);
  void make_scratch();

  const AbsoluteEquations& system_;
  std::span<const BlockInertia> inertia_;
  Method method_;
  Arena arena_;
  std::vector<SubsystemModel> subsystems_;
  std::vector<Node> nodes_;
  Scratch scratch_{};
};

}  // namespace polyform::hierarchy
