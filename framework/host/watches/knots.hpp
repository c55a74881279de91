// When something of a model changes by the clock: knots of its functions of time, and schedules of its elements.
#pragma once

#include <string>
#include <vector>

#include "polyform/contract/events.hpp"
#include "polyform/contract/rheonomic_joint.hpp"
#include "polyform/contract/system_view.hpp"

namespace polyform::host::inline watches {

/// A time at which integrators stop.
struct Knot {
  double time = never;
  /// Whether they begin anew there. At an inner row of a cubic spline only the third derivative jumps: a step ends
  /// there, so that no row is stepped over, and the next goes on from it.
  bool abrupt = false;
};

/// All knots in the order of time: those of the functions of time in the fields of forces, constraints and modules and
/// of joints that depend on time, and those that elements and joints tell themselves. Each is asked for when it comes,
/// so tables of any length cost nothing before. Nothing allocates after construction.
class Knots {
 public:
  explicit Knots(const SystemView&);
  /// A schedule of an element, named in messages; it outlives this object.
  void add(const EventSource&, std::string_view name);
  /// The first knot after the time that pass() was given last. Knots that are too near to be told apart are one.
  const Knot& next() const { return next_; }
  /// Leaves all knots up to a time behind. Failure (simulation_failed) if an element's schedule does not go on.
  void pass(double t);

 private:
  struct Clock {
    double next = never;
    const TimeFunction* function = nullptr;
    const EventSource* source = nullptr;
    std::string_view name;
    const RheonomicKernel* joint = nullptr;
    std::span<const double> parameters{};  ///< of the joint
    double after(double t) const;
  };
  static bool later(const Clock& a, const Clock& b) { return a.next > b.next; }
  static void advance(Clock&, double t);
  void push(Clock);
  void find_next();

  double passed_ = 0;
  Knot next_;
  std::vector<Clock> clocks_;  ///< those with a knot to come: a heap with the earliest in front
};

/// Times nearer than this to t are t: some units in its last place.
double time_resolution(double t);

}  // namespace polyform::host::watches
