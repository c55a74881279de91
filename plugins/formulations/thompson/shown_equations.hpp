// The paper's matrices at one state, with names, for `evaluate --equations`.
#pragma once

#include <Eigen/Core>
#include <functional>

#include "accelerations.hpp"
#include "generalized_forces.hpp"
#include "placed_tree.hpp"
#include "polyform/helpers/matrix_table.hpp"

namespace polyform::thompson {

/// M, Q, Φ_q, H1, H2 and Ḣ2 q̇2 of the tree; the terms of Eq 15; where loops are closed those of the second reduction;
/// of an implicit form the matrices of Eqs 20 and 21. All of them dense: for systems that are small enough to be read.
class ShownEquations final : public MatrixTable {
 public:
  /// What it reads, which outlives the object. solve: places the tree at a state, and finds H2, forces and
  /// accelerations of it; false where that fails.
  struct Parts {
    std::function<bool(double t, const ConstStateView&)> solve;
    const MovingTree& tree;
    const Reductions& reductions;
    const GeneralizedForces& forces;
    const Accelerations& accelerations;
  };
  ShownEquations(const SystemView&, Form, Parts);

 private:
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;
  /// Which numbers of q̇ belong to whom: [v ω η̇] of each body, then the variables of the modules.
  struct Layout {
    std::vector<std::size_t> bodies, modes;  ///< first of [v ω], and of η̇
    std::size_t variables = 0, size = 0;
  };
  /// The terms of Eq 15 of the coordinates that are left, with their list of names.
  struct Reduced {
    Matrix H2;
    Vector gamma, accelerations;
    std::size_t list, rows;  ///< rows: of what closes the tree
  };

  bool fill(double t, const ConstStateView&) override;
  void add_lists();
  void add_tree();
  Reduced add_loops(const Matrix& H2, const Vector& gamma, const Vector& q2dot);
  void add_implicit(const Reduced&);
  void add(const char* name, const char* meaning, std::size_t rows, std::size_t columns, const Matrix&);

  Matrix transformation() const;
  Matrix own_bases() const;
  Matrix jacobian() const;
  Matrix constraint_columns() const;
  Matrix loop_rows() const;
  Matrix closing_jacobian() const;
  Vector closing_multipliers(const Vector& y) const;
  Matrix mass() const;
  Vector forces() const;
  Vector velocities() const;
  Vector given_velocities() const;
  Vector stacked_velocities(const TreeKinematics&, const double* u) const;
  Vector stacked_rates(const BodyVectors&, const double* u) const;

  const SystemView& view_;
  Form form_;
  Parts parts_;
  const H2& h2_;
  Layout layout_;
  std::size_t q_ = 0, q2_ = 0, constraints_ = 0;  ///< lists
};

}  // namespace polyform::thompson
