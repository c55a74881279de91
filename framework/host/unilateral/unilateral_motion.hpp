// Motion with rows that hold at times: which of them hold, their forces, and impacts.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "framework/host/evaluation/run_state.hpp"
#include "framework/host/unilateral/active_set.hpp"
#include "framework/host/unilateral/cone_problem.hpp"
#include "framework/host/unilateral/contact_sizes.hpp"
#include "framework/host/unilateral/mode_forces.hpp"
#include "framework/host/unilateral/point_memory.hpp"
#include "framework/host/unilateral/unilateral_response.hpp"
#include "framework/host/unilateral/unilateral_tally.hpp"

namespace polyform::host::inline unilateral {

/// Between events each point is open, sticks or slips, and the rows that hold have no acceleration: a linear system for
/// their forces. At an event the complementarity problem of all touching points decides which rows hold from there on.
/// It has many members because an event fills many arrays over points or rows.
class UnilateralMotion {
 public:
  /// What event functions tell of a point. A function that has nothing to tell is 1.
  enum Function : std::size_t { closing, pulling, gripping, resting, ending, functions_per_point };

  /// All arguments outlive the object. t: the time of the start, s; ode: the solver's. Failure (bad_input) if surfaces
  /// overlap at the start. use: events; otherwise it is empty.
  UnilateralMotion(const SystemView&, double t, const ConstStateView& start, Solver&, Ode& ode, UnilateralUse use);

  bool empty() const { return set_.empty(); }
  bool any_closed() const { return now_.any_closed(); }
  const UnilateralSet& set() const { return set_; }
  std::size_t size() const { return functions_per_point * set_.points(); }  ///< event functions

  /// Of the event functions, for EventSearch: those whose sizes compare have the same one.
  std::vector<std::size_t> kinds() const;
  /// ẏ with the forces of the present modes. False if it cannot be computed: failure() says why.
  bool derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept;
  /// Takes the drift off the rows that hold. False if it cannot.
  bool project(double t, std::span<double> y) noexcept;
  std::string_view failure() const noexcept { return failure_; }
  /// Writes the forces and modes into y, for observations.
  void put(double t, std::span<double> y);

  /// At the start, and where what acts has changed: impacts, and the modes from here on.
  void renew(double t, std::span<double> y);
  /// At an event, with its function.
  void pass(double t, std::span<double> y, std::size_t function);
  /// At the end of a step, or of the part of it before an event, from `begin` to `end`, s; at the state that was
  /// evaluated last.
  void settle(double begin, double end);
  /// Before event functions are looked at along a step, with the states at its ends: which elements have surfaces that
  /// stay so far apart in it that their points need not be evaluated. Such a point tells how far that is at least.
  void look_at_step(double from, std::span<const double> at_from, double to, std::span<const double> at_to);
  /// Whether surfaces may meet within a step because of a motion that the states at its ends do not show: what time
  /// drives may begin and end at rest.
  bool hides_motion(double from, std::span<const double> at_from, double middle, std::span<const double> at_middle,
                    double to, std::span<const double> at_to);
  /// From here on all points are evaluated for the event functions, until a step is looked at.
  void look_at_all();
  /// The event functions of the present modes; rates of those that are no gaps are not known here (NaN).
  void evaluate(double t, std::span<const double> y, std::span<double> values, std::span<double> rates);
  /// The value of one event function alone: most of them need no forces.
  double value(double t, std::span<const double> y, std::size_t function);
  /// Takes overlaps of surfaces that do not hold as the rounding of their places, at the state that was evaluated last:
  /// just after an impact, far from the origin. Whether there were any.
  bool allow_overlaps();
  /// Lets forces that begin beyond their limits, and sliding that begins against its direction by rounding, go as far
  /// again before that is an event: a function that begins below zero would never tell of one. values: of the event
  /// functions there. Whether there were any.
  bool allow_shortfalls(std::span<const double> values);
  /// The event function of a point that slides against the direction of its friction, which would push it; or nothing.
  /// values: of the event functions at the state that was evaluated last.
  std::optional<std::size_t> find_pushing(std::span<const double> values) const;
  /// A function of a point that slides slowly and whose direction has settled, so that a step of this length, s, could
  /// only follow it in shorter ones: guide() lets it and others of its kind slide along their directions alone; or
  /// nothing. At the state that was evaluated last. tolerance: the relative one of the steps.
  std::optional<std::size_t> find_settled(double step, double tolerance);
  void guide();
  /// The event function of a point that holds though its place has ended: a correction of positions may bring it there;
  /// or nothing. values: as above.
  std::optional<std::size_t> find_ended(std::span<const double> values) const;
  /// Whether the function is to be passed where it has its new sign: a place that has ended does not touch.
  static bool is_passed_after(std::size_t function) { return function % functions_per_point == ending; }
  /// Whether the function may jump though nothing closes or opens: where a place ends, another one may be far away.
  /// Likewise what is guided, where its direction needs no guide any more.
  bool may_jump(std::size_t function) const {
    const std::size_t k = function / functions_per_point, what = function % functions_per_point;
    return what == closing ? std::isfinite(set_.place(k)) : what == gripping && now_.guided[k] != 0;
  }
  /// No function that may jump goes faster: what does has jumped, 1/s.
  double fastest_rate(std::size_t function) const;
  /// Whether the function tells of a gap that opens at the state that was evaluated last.
  bool opens(std::size_t function) const;
  /// The shortest time in which a gap closes at its rate, at the state that evaluate() was given last, s.
  double closes_in() const { return closes_in_; }
  const UnilateralTally& tally() const { return tally_; }

  /// The modes, and what is known of each point and counted of each element, for begin_from() of the same model.
  void keep(RunState&) const;
  /// In place of renew() at the start; false where the state is one of another model.
  bool begin_from(const RunState&);

 private:
  // Gaps of bodies that touch without force are rounding of places: they close where they are below it, of the length
  // or of the widest gap.
  static constexpr double gap_rounding = 1e-13;
  // A multiple of the speed that counts as rest: the event of rest is located where sliding has passed it.
  static constexpr double at_rest = 10;
  static constexpr std::size_t three = UnilateralSet::rows_per_point;

  void measure(const SystemView&, double t, const ConstStateView& start);
  bool is_closed(std::size_t k) const { return now_.is_closed(k); }
  bool is_apart(std::size_t k) const { return apart_[set_.element_of(k)] > 0; }
  /// The gap, or less where it is not evaluated.
  double least_gap(std::size_t k) const { return is_apart(k) ? apart_[set_.element_of(k)] : set_.gap(k); }
  void see_closing();
  std::span<const std::size_t> closed_points();
  bool is_at_other_place(std::size_t k) const { return memory_[k].is_at_other_place(set_.feature(k)); }
  bool any_at_other_place() const;
  bool any_lost() const;
  bool any_torn() const;
  bool find_forces_at_places(double t, std::span<const double> y, std::span<const std::size_t> points);
  void let_go(double t, std::span<double> y, std::size_t function);
  bool has_tangent(std::size_t k, std::size_t i) const { return i < set_.point(k).tangents; }
  bool slides_freely(std::size_t k) const;
  double friction_of_element(std::size_t k) const;
  bool has_settled(std::size_t k, double step, double tolerance) const;
  bool share_body(std::size_t k, std::size_t other) const;
  bool slide_alike(std::size_t k, std::size_t other) const;
  bool has_direction(std::size_t k) const { return now_.directions.is_known(k); }
  template <class Tell>
  void tell_of(std::size_t k, bool known, double allowed, const Tell& tell);
  double allowed_force() const;
  double speed_along(std::size_t k) const;
  double stray_speed(std::size_t k) const;
  double guided_room(std::size_t k, double allowed) const;
  double least_rest(std::size_t k) const { return units_[k].rest(); }
  double least_speed(std::size_t row) const;
  double size_of_gap(std::size_t k) const { return std::max(units_[k].length, memory_[k].span); }
  double gap_rounding_of(std::size_t k) const {
    return std::max({gap_rounding * size_of_gap(k), memory_[k].overlap, memory_[k].beside});
  }
  void leave_beside(std::size_t k);
  void find_forces(double t, std::span<const double> y, std::span<const std::size_t> points);
  std::optional<std::size_t> moved_far() const;
  bool close_gaps(double t, std::span<double> y);
  void see_shares();
  void see_other_loads(double t);
  // Finds the points that touch.
  void find_touching(double t, std::optional<std::size_t> fired);
  bool passes_by(double t, std::span<const double> y, std::size_t k);
  void drop_passing(double t, std::span<const double> y);
  void widen_overlap(std::size_t k);
  void find_probe(std::size_t row, const std::function<double(double)>& moved_by);
  void refuse_driven(double t) const;
  void respond(double t, std::span<const double> y);
  [[noreturn]] void fail_at(double t) const;
  ConeProblem problem_of(const std::vector<std::size_t>& points, const Eigen::VectorXd& b) const;
  // Modes.
  void choose(double t, std::span<double> y, std::optional<std::size_t> fired);
  void decide(double t, std::span<double> y, std::optional<std::size_t> fired);
  std::optional<ActiveSet> asked_set(double t, std::span<const double> y, std::optional<std::size_t> fired);
  bool is_held_at_rest(double t, std::span<const double> y, std::size_t function);
  void pass_through_rest(double t, std::span<double> y, std::size_t function);
  void turn_round();
  ActiveSet touching_set(std::optional<std::size_t> fired);
  void open_all();
  void take(const std::vector<ActiveSet::Point>&);
  [[noreturn]] void refuse(double t) const;
  // Impacts.
  bool collide(double t, std::span<double> y, std::optional<std::size_t> fired = std::nullopt);
  void collide_together(double t, std::span<double> y);
  bool jam(double t, std::span<double> y);
  /// Of the rows that touch: rates now and impulses so far; and per point the energy that these have taken, J, and
  /// whether its bounces have become too low to follow.
  struct Impact {
    Eigen::VectorXd u, impulses;
    std::vector<double> lost;
    std::vector<char> ends;
  };
  Impact begin_impact() const {
    return {speeds_, Eigen::VectorXd::Zero(speeds_.size()), std::vector<double>(touching_.size()),
            std::vector<char>(touching_.size())};
  }
  bool takes_part(const Impact&, std::size_t place) const;
  void tally_impact(const Impact&, double t);
  void impact_of(const std::vector<std::size_t>& points, const std::vector<double>& restitution, Impact&, double t);
  void apply(const Impact&, double t, std::span<double> y);
  double acceleration_after(std::size_t place, const Eigen::VectorXd& u) const;
  bool stays_low(std::size_t place, double speed, const Eigen::VectorXd& u, double driven = 1) const;
  double driven_flights(const Impact&) const;
  void end_low_flights(Impact&);
  bool bounces(std::size_t place, double speed, const Eigen::VectorXd& u) const;
  bool comes_to_rest(const std::vector<std::size_t>& closing_places, const std::vector<double>& restitution,
                     const Eigen::VectorXd& u) const;

  UnilateralSet set_;
  Solver& solver_;
  Ode& ode_;
  UnilateralResponse response_;
  SecondOrderSystem* second_;
  UnilateralTally tally_;
  std::vector<ContactSizes> units_;  ///< per point
  PointModes now_;
  ModeForces forces_;
  std::vector<PointMemory> memory_;     ///< per point
  std::vector<double> loads_, column_;  ///< per row
  std::vector<double> slack_;           ///< per event function, since the modes were chosen
  std::vector<std::size_t> touching_;   ///< points
  std::vector<std::size_t> closed_;     ///< points, as they were listed last
  std::vector<std::size_t> near_;       ///< points that are evaluated for the event functions
  std::vector<double> apart_;           ///< per element: how far its surfaces are apart at least, or 0 if they are near
  std::vector<double> nearing_, apart_then_, nearing_then_;  ///< room for the bounds at the ends of a step
  double apart_close_in_ = 0;  ///< a time in which nothing that is apart closes at its speed at the end of the step, s
  std::vector<char> slides_;   ///< of these: now
  std::vector<std::size_t> settled_;  ///< points that find_settled() has found
  Eigen::MatrixXd W_;                 ///< of their rows, three each
  Eigen::VectorXd free_, speeds_;     ///< accelerations without their forces; rates
  std::vector<double> moved_, rates_now_, rates_then_;
  double closes_in_ = 0;
  std::string failure_;
};

}  // namespace polyform::host::inline unilateral
