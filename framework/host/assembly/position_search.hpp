// Positions that meet loops, constraint elements and modules and are nearest to the drawn or to the given ones.
//
// Newton's method on the coordinates of the tree joints and the modes. Each step is found as velocities are
// (nearest_rates.hpp): geometry alone decides which rows are independent, and of all steps that close these the one is
// taken that moves the bodies least in the metric of their inertia. Some rows depend on others only where the loops are
// closed. While loops are open these seem independent by about the residual, and so count as dependent.
//
// Coordinates that are kept do not move; neither do joints that are in no row.
//
// If several positions close the loops, the search finds the one on the branch of the drawn position: it moves the
// given values from the drawn to the wanted ones in steps so small that Newton's method contracts in each.
//
// A position may lie between two that close the loops, such as links that are drawn stretched: there no small step
// brings them nearer. The search leaves it to one side.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "framework/host/assembly/constraint_jacobian.hpp"
#include "framework/host/assembly/inertia_metric.hpp"

namespace polyform::host::inline assembly {

/// One search over one state. Its members are what each step reads and writes: the system, its Jacobian and metric,
/// what is kept, and where the search stands on its way.
class PositionSearch {
 public:
  /// origin: the point from which positions of the view count (CentredView). given_q, given_eta: the given coordinates,
  /// those as drawn if none is given. state: its q and eta are moved, and hold the positions as drawn on entry. t: the
  /// time at which the rows are met, s. All outlive the object.
  PositionSearch(const SystemView&, const Vec3& origin, double t, const std::vector<double>& given_q,
                 const std::vector<double>& given_eta, const StateView& state);
  bool good() const { return jacobian_.good() && metric_.good(); }

  /// Positions with these joints (and modes, Keeping::modes) as given. False if none are found.
  bool reach(const std::vector<std::size_t>& kept);
  /// The row that was most open in the last attempt.
  struct Open {
    std::string_view name;
    const char* kind = "";
    double residual = 0, relative = 0;  ///< m or rad; relative to what a turn by 1 rad around it does
  };
  const Open& open() const { return open_; }
  /// After reach: the row for which the search has left a position between two sides; nothing if it has not.
  const std::optional<Open>& between_sides() const { return between_sides_; }
  /// After reach: per column of the tree joints and the modes, whether the rows and the kept coordinates settle it.
  std::vector<char> settled();

 private:
  struct Place {
    std::vector<double> q, eta;
  };
  /// careful: only in steps that contract, so that the solution stays on the branch.
  enum class Pace { careful, bold };

  Place here() const { return {{state_.q.begin(), state_.q.end()}, {state_.eta.begin(), state_.eta.end()}}; }
  void go_to(const Place&);
  bool keeps(std::size_t joint) const { return kept_joint_[joint] != 0; }
  bool follow();
  bool leave_to_a_side();
  void step_aside(double most);
  void place(double share, double before, const Place& last, const Place& earlier, double earlier_share);
  bool close(double share, Pace);
  double evaluate(double share);
  bool find_step(double caution);
  double step_size() const;
  void move(double fraction);
  void find_units();
  void find_kept();

  const SystemView& view_;
  const std::vector<double>&given_q_, &given_eta_;
  StateView state_;
  double time_;
  Place drawn_;
  ConstraintJacobian jacobian_;
  InertiaMetric metric_;
  bool modes_kept_ = false;
  std::vector<char> kept_joint_, kept_;   ///< per joint; per column, with those that are in no row
  std::vector<double> target_;            ///< coordinates of kept joints on the way
  std::vector<double> drawn_residual_;    ///< of the rows of elements and modules
  std::vector<double> residual_, scale_;  ///< per row: what is open, and its size for a turn by 1 rad
  std::vector<double> unit_, step_;       ///< per column: an amount like 1 rad; the step
  std::size_t rounds_ = 0;
  Open open_;
  std::optional<Open> between_sides_;
};

}  // namespace polyform::host::assembly
