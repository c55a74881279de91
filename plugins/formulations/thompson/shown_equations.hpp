// The paper's matrices at one state, with names, for `evaluate --equations`.
#pragma once

#include "polyform/helpers/matrix_table.hpp"
#include "stacked_matrices.hpp"

namespace polyform::thompson {

/// M, Q, Φ_q, H1, H2 and Ḣ2 q̇2 of the tree; the terms of Eq 15; where loops are closed those of the second reduction;
/// of an implicit form the matrices of Eqs 20 and 21. All of them dense: for systems that are small enough to be read.
class ShownEquations final : public MatrixTable {
 public:
  using Parts = ShownParts;
  ShownEquations(const SystemView&, Form, Parts);
  ShownEquations(const ShownEquations&) = delete;
  ShownEquations& operator=(const ShownEquations&) = delete;

 private:
  using Matrix = StackedMatrices::Matrix;
  using Vector = StackedMatrices::Vector;
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

  const SystemView& view_;
  Form form_;
  Parts parts_;
  const H2& h2_;
  StackedMatrices stacked_;
  std::size_t q_ = 0, q2_ = 0, constraints_ = 0;  ///< lists
};

}  // namespace polyform::thompson
