// Digits that the sweeps have lost: noticed by the residual of their result, and won back by solving for that residual.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "polyform/solvers/hinge_sweep.hpp"
#include "polyform/solvers/mending.hpp"
#include "polyform/solvers/tree_sweep.hpp"

namespace polyform {

struct DoubleDouble;

/// For trees of rigid bodies, with loops. Nothing allocates after construction.
/// Its members are the parts of the solver that it checks, and the vectors of the check, which are allocated once.
class SweepRefinement {
 public:
  /// The arguments outlive the object.
  SweepRefinement(const SystemView&, const HingedTree&, TreeMotion&, LoopClosure&, HingeSweep&);
  ~SweepRefinement();
  SweepRefinement(const SweepRefinement&) = delete;
  SweepRefinement& operator=(const SweepRefinement&) = delete;

  /// After HingeSweep::solve for accelerations: checks the residual now and then, and mends vdot, the accelerations of
  /// the sweep and the multipliers if digits have been lost. efforts: of that solve.
  void mend(double* vdot, const double* efforts, Mending::Aim aim) noexcept {
    mended_ = false;
    const bool observed = is_rounded_ && aim == Mending::Aim::forces;
    if (observed) mending().look();
    if (mending().is_due()) look_and_refine(vdot, efforts, aim);
  }
  /// From now on accelerations are mended only if the filter leaves something of their missing part; nullptr: always.
  void tolerate(ErrorFilter* filter) { filter_ = filter; }
  /// Makes the next accelerations be checked.
  void look() {
    mending_.look();
    filtered_mending_.look();
  }
  /// Error of the last accelerations that could not be mended, relative; 0 if nothing was to be mended.
  double lost() const { return filter_ != nullptr ? filtered_mending_.left() : mending_.left(); }
  /// Whether the last accelerations were mended; then, with Mending::Aim::forces, wrench() is the wrench of a hinge on
  /// its outboard body at P.
  bool has_mended() const { return mended_; }
  const Spatial& wrench(std::size_t body) const { return force_[body]; }

 private:
  void accelerate_finely() noexcept;
  template <class T>
  void find_rest(const SpatialVector<T>* z, SpatialVector<T>* force, const double* efforts) noexcept;
  Mending& mending() { return filter_ != nullptr ? filtered_mending_ : mending_; }
  bool solve_for_rest() noexcept;
  bool lacks_little(const double* vdot, const double* efforts) noexcept;
  double size_of_step(const double* vdot) const noexcept;
  bool is_turn(const HingedTree::Link&, std::uint32_t k) const noexcept;
  double find_step(const double* vdot, const double* efforts) noexcept;
  void drop_step() noexcept;
  void take_step(double* vdot, const double* efforts) noexcept;
  bool looks_wrong(double* vdot, const double* efforts, Mending::Aim) noexcept;
  void look_and_refine(double* vdot, const double* efforts, Mending::Aim) noexcept;
  void refine(double* vdot, const double* efforts, Mending::Aim) noexcept;

  const HingedTree& tree_;
  TreeMotion& motion_;
  LoopClosure& loops_;
  HingeSweep& sweep_;
  Vec3 ground_;  ///< acceleration given to ground: minus gravity
  std::vector<SpatialVector<DoubleDouble>> fine_z_, fine_force_;
  std::vector<DoubleDouble> fine_rates_;
  std::vector<Spatial> z_, force_;
  std::vector<double> rest_, step_;  ///< per velocity coordinate
  /// With masses over eight orders of magnitude the error of the accelerations can be some hundred times the residual:
  /// with this bound it stays below 1e-8. Systems without such ratios have smaller errors.
  Mending mending_{1e-10};
  ErrorFilter* filter_ = nullptr;    ///< or none
  Mending filtered_mending_{1e-10};  ///< of accelerations with a filter
  bool mended_ = false;
  /// A larger missing part of accelerations is more than rounding in systems without light bodies.
  static constexpr double above_rounding = 1e-12;
  bool is_rounded_ = false;  ///< the last look found more than above_rounding
};

}  // namespace polyform
