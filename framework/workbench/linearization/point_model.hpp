// A system at an operating point, to be evaluated there, later, and at states nearby.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/workbench/linearization/acting.hpp"
#include "framework/workbench/linearization/linearize.hpp"
#include "framework/workbench/linearization/probe.hpp"

namespace polyform::host::inline linearization {

/// Accelerations of all coordinates and rates of all first-order states.
struct Accelerations {
  std::vector<double> vdot;  ///< of the tree joints, then of the modes
  std::vector<double> xdot;
};

class PointModel {
 public:
  /// The linearization must be that of the point. All arguments outlive the object.
  PointModel(const System&, const SolverMaker&, const OperatingPoint&, const Linearization&);

  const System& system() const { return system_; }
  const SolverMaker& maker() const { return make_; }
  const OperatingPoint& point() const { return point_; }
  const SystemView& view() const { return varied_.view(); }
  const MinimalCoordinates& choice() const { return choice_; }
  double time() const { return point_.time; }
  const CanonicalState& nominal() const { return nominal_; }
  /// Large deviations of the independent states.
  std::span<const double> scales() const { return scales_; }
  const Coordinate& coordinate(std::size_t c) const { return coordinates_[c]; }
  std::size_t coordinates() const { return coordinates_.size(); }
  std::size_t states() const { return scales_.size(); }
  /// The velocity of a coordinate, independent or not, at a state.
  double velocity(const CanonicalState&, std::size_t coordinate) const;

  /// Deviations about a state at a time, with a solver of its own.
  std::unique_ptr<Probe> probe(double time, const CanonicalState&) const;
  /// The closed state at a deviation from the nominal one; false if there is none.
  bool place(std::span<const double> deviation, CanonicalState& out) const;
  /// Evaluates the solver at a state that is closed to round-off: `closed` becomes that state. False, with a reason in
  /// failure(), if the solver fails.
  bool evaluate(double time, const CanonicalState&, CanonicalState& closed, Accelerations& out);
  const std::string& failure() const { return failure_; }
  const Acting& acting() const { return acting_; }
  /// The size of a coordinate's acceleration (acceleration_size in acting.hpp), and after those of all coordinates that
  /// of the rate of each first-order state. Found by evaluations beside the state, once.
  double acceleration_size(std::size_t row) const;
  /// The size of a coordinate's velocity: its own, or what turns or acts makes of a large deviation.
  double velocity_size(std::size_t coordinate) const;
  /// The first time after the point's at which a function of time has a knot; infinity when there is none, s.
  double next_knot() const;
  /// The periods of the model's sines in time, s.
  std::vector<double> sine_periods() const;
  /// A joint that the clock turns at a constant rate, and the time of a turn, s.
  struct ClockTurn {
    std::string_view joint;
    double period;
  };
  std::vector<ClockTurn> clock_turns() const;

 private:
  void find_sizes() const;

  const System& system_;
  const SolverMaker& make_;
  const OperatingPoint& point_;
  mutable VariedView varied_;
  const MinimalCoordinates& choice_;
  const CanonicalState& nominal_;
  std::span<const double> scales_;
  std::vector<Coordinate> coordinates_;
  Acting acting_;
  mutable std::vector<double> sizes_;  ///< of accelerations, once they are found
  const std::vector<std::size_t> no_outputs_;
  std::string failure_;
};

}  // namespace polyform::host::linearization
