// Newton's matrix of a system in joint coordinates, for state vectors of joint_state.hpp.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "polyform/solvers/joint_placement.hpp"
#include "polyform/solvers/joint_state.hpp"
#include "polyform/solvers/newton/newton_border.hpp"

namespace polyform {

/// Rigid and flexible bodies with joints, loops, constraint elements and forces. Nothing allocates after construction.
class TreeNewton {
 public:
  /// Whether the system consists of these.
  static bool carries(const SystemView& view) { return view.modules.empty(); }
  /// The arguments outlive the object. origin: the point from which positions of the frames count. closing: what closes
  /// the tree, or none.
  TreeNewton(const SystemView&, const JointState&, const Vec3& origin, const ClosingConstraints* closing);

  /// Whether it can be used: the forces could be made, and few enough loads lie across the tree that its border is
  /// worth its cost.
  bool good() const { return tree_.good() && NewtonBorder<double>::most(tree_) <= NewtonBorder<double>::largest; }
  void follow(std::span<const std::int32_t> discrete) noexcept { tree_.follow(discrete); }
  /// Linearizes at y, placed, with its derivative; multipliers, cut: see TreeMoment.
  void linearize(double t, std::span<const double> y, const PlacedState& placed, std::span<const double> ydot,
                 std::span<const double> multipliers, std::span<const Spatial> cut) noexcept;
  /// False if the matrix is singular.
  bool prepare(double gamma) noexcept;
  bool prepare(std::complex<double> gamma) noexcept;
  void solve(std::span<double> x) noexcept;
  void solve(std::span<double> real, std::span<double> imaginary) noexcept;

 private:
  /// A sweep with its right-hand sides, per direction of the tree, and the first-order states.
  template <class T>
  struct Place {
    Place(const LinearizedTree& tree, std::size_t states_of_all);
    bool prepare(const T& gamma) noexcept {
      return states.prepare(gamma) && sweep.factorize(gamma) && border.factorize();
    }

    StateCouplings<T> states;
    NewtonSweep<T> sweep;
    NewtonBorder<T> border;
    std::vector<T> steps, rates, x;
  };
  template <class T, class Read, class Write>
  void solve(Place<T>&, const Read&, const Write&) noexcept;
  template <class T, class Read, class Write>
  void read_joints(Place<T>&, const Read&, const Write&) noexcept;
  template <class T, class Read, class Write>
  void write_joints(const JointData&, const T* steps, std::size_t at_y, const Read&, const Write&) noexcept;
  template <class T, class Read, class Write>
  void move_cut_joints(Place<T>&, const Read&, const Write&) noexcept;

  const SystemView& view_;
  const JointState& state_;
  const ClosingConstraints* closing_;
  LinearizedTree tree_;
  Place<double> real_;
  Place<std::complex<double>> complex_;
  std::vector<double> q_;  ///< of all joints, of the linearization
};

}  // namespace polyform
