// The unknowns of an equilibrium and the equations for them.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "framework/workbench/linearization/equilibrium.hpp"
#include "framework/workbench/linearization/probe.hpp"
#include "framework/workbench/linearization/steady_fields.hpp"
#include "polyform/mechanics/flexible_set.hpp"

namespace polyform::host::inline linearization {

// Steps of a search, as large parts of the scales of the unknowns.
inline constexpr double longest_move = 0.3, settled_move = 1e-13;
/// Step of differences, in scales: errors of 1e-8 of the matrix serve Newton's method.
inline constexpr double difference_step = 1e-4;
/// A step below this that is no shorter than half of the last one has come to rounding.
inline constexpr double move_at_rounding = 1e-10;
inline bool has_settled(double move, double before) {
  return move < settled_move || (move < move_at_rounding && move > 0.5 * before);
}

/// Accelerations [v̇; ẋ] at unknowns z = [moves along the independent velocities; first-order states; trimmed inputs]
/// about a state. In steady motion, v̇ is reduced by the part that goes on along a symmetry; then follow, as
/// accelerations, the parts of the velocities of balls and free bodies that do not go on. There are many functions
/// because both searches, downhill and by least squares, ask for accelerations, derivatives, inertia, scales and names
/// of the same unknowns.
class EquilibriumEquations {
 public:
  using Index = Eigen::Index;
  using VectorXd = Eigen::VectorXd;
  using MatrixXd = Eigen::MatrixXd;

  /// start: closed. All arguments but start outlive the object.
  EquilibriumEquations(const System&, const SolverMaker&, const EquilibriumRequest&, const ConstStateView& start);

  Index moves() const { return static_cast<Index>(choice_.velocities()); }
  Index states() const { return static_cast<Index>(choice_.states()); }
  /// The number of an equation's state among all first-order states, from the first one with an equation on.
  std::size_t state(Index k) const { return choice_.state.independent[static_cast<std::size_t>(k)]; }
  Index equations() const { return moves() + states(); }
  /// The count of numbers that must vanish: the equations, and the further ones of a steady motion.
  Index rows() const { return equations() + (steady_ ? static_cast<Index>(steady_->coordinates().size()) : 0); }
  /// The coordinate of a row beyond the equations.
  const Coordinate& turning(Index row) const {
    return names_[steady_->coordinates()[static_cast<std::size_t>(row - equations())]];
  }
  /// The coordinate that a row belongs to; of first-order states, after all coordinates, the state.
  Index size_row(Index row) const {
    if (row < moves()) return static_cast<Index>(velocity(row));
    if (row >= equations())
      return static_cast<Index>(steady_->coordinates()[static_cast<std::size_t>(row - equations())]);
    return static_cast<Index>(names_.size() + choice_.state.independent[static_cast<std::size_t>(row - moves())]);
  }
  Index unknowns() const { return equations() + static_cast<Index>(offsets_.size()); }
  bool anything_held() const { return anything_held_; }
  /// Whether dense matrices of all unknowns are not too large.
  bool may_be_dense() const { return unknowns() <= static_cast<Index>(most_states); }
  /// Failure (bad_input) where they are.
  void require_dense() const;
  const Coordinate& coordinate(Index move) const { return names_[velocity(move)]; }
  double speed(Index move) const {
    const std::size_t c = velocity(move), tree = system_.view().nv_tree;
    return c < tree ? state_.v[c] : state_.etadot[c - tree];
  }
  /// A large value of an unknown.
  double scale(Index unknown) const;

  // At the present state:
  const VectorXd& now() const { return now_; }  ///< of all rows
  const CanonicalState& state() const { return state_; }
  std::span<const Coordinate> coordinates() const { return names_; }
  const std::vector<double>& offsets() const { return offsets_; }  ///< of the trimmed inputs
  const MinimalCoordinates& choice() const { return choice_; }
  /// ∂[v̇; ẋ]/∂z by central differences; columns of held coordinates are zero.
  /// step: of the differences, in scales.
  MatrixXd jacobian(double step = difference_step);
  /// Inertia of the independent velocities, from the kinetic energy. It is exact because the energy is quadratic.
  MatrixXd inertia();

  /// The accelerations at z, counted from the present state. False if the solver or the constraints fail.
  bool accelerations(const VectorXd& z, VectorXd& out);
  /// Probe::check() at the present state.
  std::string check();
  /// Makes a state the present one that was it before, with the same offsets.
  void go_back(const CanonicalState&);
  /// Makes z the present state. False, without a change, where there is no state at z.
  bool go(const VectorXd& z);
  std::size_t evaluations() const { return evaluations_; }

 private:
  std::size_t velocity(Index move) const { return choice_.velocity.independent[static_cast<std::size_t>(move)]; }
  bool is_held(Index k) const { return k < moves() && held_[velocity(k)]; }
  [[noreturn]] void fail(const std::string& why = {}) const;
  void find_held();
  void set_out();
  void find_directions();
  std::unique_ptr<Probe> make_probe(std::span<const double> offsets);
  std::vector<double> deviation_of(const VectorXd& z) const;
  void read(Probe&, std::span<const double> row, VectorXd& out) const;

  const System& system_;
  const SolverMaker& make_;
  const EquilibriumRequest& request_;
  VariedView varied_;
  std::vector<double> offsets_;
  CanonicalState state_, moved_;  ///< the present state, and the state of the last evaluation
  std::vector<Coordinate> names_;
  std::vector<char> held_;  ///< per coordinate, whether it keeps its value
  bool anything_held_ = false, chosen_ = false;
  MinimalCoordinates choice_;
  MatrixXd directions_;                 ///< rates of the independent positions per independent velocity
  OperatingPoint start_;                ///< of a steady motion
  std::optional<SteadyFields> steady_;  ///< for the balls or free bodies that turn in it
  SolverPointer solver_;                ///< between two probes of the same inputs: to compile takes long
  std::unique_ptr<Probe> probe_;
  std::optional<FlexibleSet> flexible_;  ///< from the first inertia() on
  const std::vector<std::size_t> no_outputs_;
  VectorXd now_;
  std::string failure_;
  std::size_t evaluations_ = 0;
};

}  // namespace polyform::host::linearization
