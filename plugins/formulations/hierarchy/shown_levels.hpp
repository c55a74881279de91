// The hierarchy of models level by level, as the paper writes it, for `evaluate --equations`.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "method.hpp"
#include "polyform/contract/equations.hpp"
#include "polyform/helpers/matrix_table.hpp"
#include "polyform/solvers/absolute_system.hpp"

namespace polyform::hierarchy {

/// Over the whole system and dense, where the recursion works on interfaces: of each level the motions S_r (Theorem
/// 3.2), C and G, of `oblique-projector` its own Y and {1}-inverse (Prop. 3.1 (ii)), accelerations α_r, constraint
/// forces γ_r and multipliers λ_r; by a filter also the projector P_r and the gain K_r of a = M^{1/2} α (Eqs 4.14 to
/// 4.18), where M has an inverse. Of the velocities q⟨1⟩ those of the state, and what the rows of each level give of
/// them. Computed from M, f, A, b and R alone, beside the recursion: the tests hold α of the last level against it.
/// Where M is singular and a low level leaves accelerations open, α_r is the smallest that the level's equations allow.
class ShownLevels final : public MatrixTable {
 public:
  /// The view, the equations with their system, and noise outlive the object. noise: of each constraint its R, or
  /// empty. last: the level that counts.
  ShownLevels(const SystemView&, Equations&, const AbsoluteSystem&, const std::vector<std::vector<double>>& noise,
              Method, std::size_t last);

 private:
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;
  /// The rows of one level: Ã, b̃ and R, and their list.
  struct Rows {
    Matrix A;
    Vector b, noise;
    std::size_t list;
  };
  struct System {
    Matrix M, A;
    Vector f, b;
  };

  bool fill(double t, const ConstStateView&) override;
  bool read(double t, const ConstStateView&, System&);
  Vector velocities(const ConstStateView&) const;
  void add_lists(const ConstStateView&);
  template <class Counts>
  std::vector<Eigen::Index> pick_rows(std::size_t list, const Counts&);
  Rows rows_of(const System&, std::size_t level);
  Matrix add_operator(const Matrix& B, const Rows&, std::size_t level, std::size_t& motions, Matrix& G);
  void go_by_bases(const System&);
  void go_by_filter(const System&);
  void add_forces(const System&, std::size_t level);

  const SystemView& view_;
  Equations& equations_;
  const AbsoluteSystem& system_;
  const std::vector<std::vector<double>>& noise_;
  Method method_;
  std::size_t last_;
  std::size_t unknowns_ = 0;  ///< list
  Vector alpha_, velocities_;
};

}  // namespace polyform::hierarchy
