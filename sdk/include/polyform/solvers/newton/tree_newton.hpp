// Newton's matrix of a system in joint coordinates, for state vectors of joint_state.hpp.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "polyform/solvers/joint_placement.hpp"
#include "polyform/solvers/joint_state.hpp"
#include "polyform/solvers/newton/newton_border.hpp"

namespace polyform {

/// Rigid bodies with joints, loops and forces. Nothing allocates after construction.
class TreeNewton {
 public:
  /// Whether the system is made of these.
  static bool carries(const SystemView& view) {
    return view.flexible.empty() && view.constraints.empty() && view.modules.empty();
  }
  /// They outlive the object. origin: what positions of the frames count from.
  TreeNewton(const SystemView&, const JointState&, const Vec3& origin);

  /// Whether it can be used: the forces could be made, and so much lies across the tree that its border is no burden.
  bool good() const { return tree_.good() && NewtonBorder<double>::most(tree_) <= NewtonBorder<double>::largest; }
  void follow(std::span<const std::int32_t> discrete) noexcept { tree_.follow(discrete); }
  /// At y, placed, with its derivative; cut: see TreeMoment.
  void linearize(double t, std::span<const double> y, const PlacedState& placed, std::span<const double> ydot,
                 std::span<const Spatial> cut) noexcept;
  /// False where the matrix is singular.
  bool prepare(double gamma) noexcept;
  bool prepare(std::complex<double> gamma) noexcept;
  void solve(std::span<double> x) noexcept;
  void solve(std::span<double> real, std::span<double> imaginary) noexcept;

 private:
  /// A sweep with its right-hand sides, per velocity coordinate, and the first-order states.
  template <class T>
  struct Place {
    Place(const LinearizedTree& tree, const SystemView& view);
    bool prepare_states(const T& gamma) noexcept;

    const LinearizedTree& tree;
    NewtonSweep<T> sweep;
    NewtonBorder<T> border;
    std::vector<T> steps, rates, states;
    std::vector<T> inverses;          ///< of I − γ ∂ẋ/∂x, instance after instance
    std::vector<std::size_t> first;   ///< of them
  };
  template <class T, class Read, class Write>
  void solve(Place<T>&, const Read&, const Write&) noexcept;

  const SystemView& view_;
  const JointState& state_;
  LinearizedTree tree_;
  Place<double> real_;
  Place<std::complex<double>> complex_;
  std::vector<double> q_;             ///< of the linearization
};

}  // namespace polyform
