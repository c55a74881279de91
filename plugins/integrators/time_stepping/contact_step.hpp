// The contacts of one step: which laws hold, the impulses, and what came of them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "impulse_problem.hpp"
#include "polyform/contract/unilateral_system.hpp"

namespace polyform::time_stepping {

/// Asks for impulses such that at the end of the step, with the gap g of the middle, the rates u before and u⁺ after,
///
///   u⁺ ≥ −e u                  of a point that closes with a speed u < 0 and would overlap at the end
///   g + ½ h u⁺ ≥ 0             of all others: no gap is negative at the end of the step
///
/// with Signorini's and Coulomb's laws. Speeds that smooth forces give in one step do not bounce.
/// Its members are the quantities of the problem above, one array over points or rows for each, allocated once.
class ContactStep {
 public:
  struct Options {
    double tolerance;
    std::size_t iterations;
    double overlap;  ///< m or rad
  };
  ContactStep(UnilateralSystem& system, const Options& options) : system_(system), options_(options) {}

  /// Finds the points and the response at the middle of a step h. middle: the state there with the velocities of the
  /// beginning; free: the same with velocities on which no contact acts.
  Status begin(double t, double h, std::span<const double> middle, std::span<const double> free) noexcept;
  bool empty() const { return points_ == 0; }
  /// Finds the impulses from rates that free velocities give.
  void solve() noexcept;
  /// Whether velocities that contain the impulses are those that were foreseen. state: positions of the middle.
  bool agrees(double t, std::span<const double> state) noexcept;
  /// The impulses with which these velocities agree, after agrees().
  void solve_again() noexcept;
  /// Forces that have these impulses in the step, per row.
  std::span<const double> forces() noexcept;
  /// To be called with the velocities after the step; tells the system what happened and gives modes to y.
  void end(double t, std::span<double> y) noexcept;
  /// After end(): whether points met faster than smooth forces explain.
  bool has_impact() const;
  /// Takes away what overlaps at the end of the step. failed: system.failure() says why. moved: whether y has changed.
  Status separate(double t, std::span<double> y, bool& moved) noexcept;

 private:
  static constexpr std::size_t three = 3;
  double sliding_at_start(std::size_t p) const;
  void find_opposed();
  void set_laws();
  void take_off_preload();
  bool comes_to_rest();
  bool solve_problem() noexcept;

  UnilateralSystem& system_;
  const Options options_;
  double h_ = 0;
  double slow_ = 0;  ///< what smooth forces give in a step: slower approaches do not bounce
  double rest_ = 0;  ///< what is slower rests
  std::size_t points_ = 0;
  std::vector<UnilateralPoint> of_;
  std::vector<double> gap_, holding_, sliding_, start_, free_, least_, impulses_, end_, forces_, losses_;
  std::vector<UnilateralMode> modes_;
  /// Two rows along one motion, such as those of the limit and the freewheel of a joint: the normal of a point without
  /// friction and another one, or friction in a joint. What one of them gives the other takes `ratio` times.
  struct Opposed {
    std::size_t one, other;  ///< rows
    double ratio;
    bool rubs;  ///< the other one
  };
  std::vector<Opposed> opposed_;
  std::vector<char> is_held_;  ///< points at rest, which the friction at rest holds
  ImpulseProblem problem_, gaps_;
  bool solved_ = true;
  double fastest_so_far_ = 0;
  double disagreement_ = 0;  ///< by which rates differ from those that were foreseen; 0 where they agree
};

}  // namespace polyform::time_stepping
