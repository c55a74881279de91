// The forces of rows that hold, with given modes of their points.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "framework/host/unilateral/contact_sizes.hpp"
#include "framework/host/unilateral/force_shares.hpp"
#include "framework/host/unilateral/load_feedback.hpp"
#include "framework/host/unilateral/sliding_directions.hpp"
#include "framework/host/unilateral/unilateral_response.hpp"

namespace polyform::host::inline unilateral {

/// What each point does, and what is known of its rows.
struct PointModes {
  explicit PointModes(std::size_t points)
      : modes(points, UnilateralMode::open),
        directions(points),
        guided(points),
        probe(UnilateralSet::rows_per_point * points),
        held(probe.size()) {}
  bool is_closed(std::size_t k) const { return modes[k] != UnilateralMode::open; }
  bool any_closed() const;

  std::vector<UnilateralMode> modes;
  SlidingDirections directions;
  /// Whether a point that has just broken away slides along its direction alone. So near to rest the direction of v/|v|
  /// follows the forces in no time, and is rounding.
  std::vector<char> guided;
  std::vector<double> probe;  ///< per row: a force that moves it, or 0
  std::vector<char> held;     ///< per row: what else holds the bodies lets no force move it
};

/// Rows that hold have no acceleration: a linear system for their forces, at one state after the other. Its members are
/// arrays that one evaluation fills; none grows after the first one of the same modes.
class ModeForces {
 public:
  /// Of the forces that redundant rows may have: some that give the motion, or those within the limits of all points.
  enum class Shares { that_move, within_limits };

  /// All arguments outlive the object.
  ModeForces(UnilateralSet&, UnilateralResponse&, const PointModes&, const std::vector<ContactSizes>&, const Ode&);

  /// Finds the forces at a state; then the response holds base and columns. points: those to be evaluated, in ascending
  /// order, with all that are closed. False if the solver fails.
  bool find(double t, std::span<const double> y, Shares, std::span<const std::size_t> points);
  std::span<const double> forces() const { return forces_; }  ///< per row, as they were found last
  /// Points whose friction by the load is not unique, as far as was seen since the last call of forget_other_loads().
  std::span<const std::size_t> with_other_loads() const { return with_other_loads_; }
  void forget_other_loads() { with_other_loads_.clear(); }
  /// Looks for other friction by the loads at the state whose forces were found last.
  void find_other_loads(double t, std::span<const double> y, Shares);
  /// d/dt of the rate of a row of a point that is closed, with the forces that were found last.
  double acceleration(std::size_t row) const;
  /// What the forces that were found last change the rates of integrals by, for put_derivative(). False if the solver
  /// fails.
  bool find_integrals(double t, std::span<const double> y);
  /// ẏ with the forces that were found last.
  void put_derivative(std::span<double> ydot, std::span<const StateKind> kinds);
  /// The directions in which the forces that were found last are not unique, one after the other, per row.
  std::size_t open_directions() const;
  void put_open(std::size_t direction, std::span<double> forces) const;
  /// The direction in which a point slides, at the state that the set was evaluated at. Through rest it goes on as
  /// before, so that nothing jumps there: the law of a step is smooth, and the event tells where it ends.
  void direct(std::size_t k, double (&direction)[2]) const;

  /// For the drift: the rows that hold, and how the velocities answer to forces along them. False if the solver fails.
  bool respond_to_rows(double t, std::span<const double> y);
  void list_rows();
  bool has_rows() const { return !unknowns_.empty(); }
  /// Whether a gap of a row that holds is wider, or a rate faster, than rounding; at the state that was evaluated.
  bool is_wide() const;
  bool is_fast() const;
  /// Changes the velocities in y so that the rates change by what closes the gaps, or by what brings the rows to rest.
  void jump_by_gaps(std::span<double> y);
  void jump_to_rest(std::span<double> y);

 private:
  /// One unknown force: along the normal, with the friction of what slides; along a tangent of what sticks; or across
  /// the direction of what is guided.
  struct Unknown {
    std::size_t row, point;
    bool across = false;
  };
  static constexpr std::size_t three = UnilateralSet::rows_per_point, none = UnilateralPoint::none;

  bool has_tangent(std::size_t k, std::size_t i) const { return i < set_.point(k).tangents; }
  double probe_of(const Unknown& u) const { return modes_.probe[u.row] > 0 ? modes_.probe[u.row] : 1; }
  template <class Values>
  double along(const Unknown&, const Values& per_row) const;
  double gap_of(const Unknown&) const;
  bool find_once(double t, std::span<const double> y, Shares);
  bool find_feedback(double t, std::span<const double> y, Shares);
  bool list_rubbing();
  bool observe_loads(double t, std::span<const double> y, Shares);
  bool respond_to_friction(double t, std::span<const double> y, Shares);
  void friction_of(const Eigen::VectorXd& s, Eigen::VectorXd& f);
  void see_other(LoadFeedback&, const Eigen::VectorXd& s);
  [[noreturn]] void refuse_loads(double t, LoadFeedback::Answer) const;
  void add_forces(const Unknown&, double force, std::span<double> forces) const;
  std::span<double> of_point(std::size_t unknown, std::span<double> forces) const {
    return forces.subspan(three * unknowns_[unknown].point, three);
  }
  void solve(double t, Shares);
  void list_limits();
  void take_off_preload();
  bool share_moves();
  template <class Value>
  void jump_by(const Value& value, std::span<double> y);

  UnilateralSet& set_;
  UnilateralResponse& response_;
  const PointModes& modes_;
  const std::vector<ContactSizes>& units_;
  std::span<const std::size_t> points_;  ///< to be evaluated in the present search
  std::vector<double> forces_, loads_;   ///< per row
  std::vector<Unknown> unknowns_;
  Eigen::MatrixXd G_;
  Eigen::VectorXd right_, scale_, found_;
  ForceShares shares_;
  std::vector<ForceShares::Limits> limits_;  ///< of the points that are closed
  std::vector<double> sizes_, sums_;         ///< of the terms of an acceleration
  std::vector<double> integrals_;            ///< what the forces change their rates by
  // Of friction by the load: the points that slide; loads, for each of these the change by a unit of its friction.
  std::vector<std::size_t> rubbing_, with_other_loads_;
  std::vector<Spatial> loads_then_, loads_there_;
  std::vector<std::vector<Spatial>> by_friction_;
  Eigen::VectorXd friction_then_;
  std::size_t raised_ = none;  ///< of these, the one whose friction has something added
  std::vector<double> added_;  ///< that
  bool by_rounds_ = true;      ///< whether rounds are to find the next friction
};

}  // namespace polyform::host::inline unilateral
