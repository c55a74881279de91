// Events: how an element tells when its law changes, so that no integrator steps over it.
//
// A force, constraint or module with a switch (a contact that opens or closes, a stop, a valve, a schedule) gives its
// batch this interface: ForceBatch::query, ConstraintBatch::query or ModuleBatch::query return an EventSource* for
// EventSource::interface_name. The host then
//
//   - stops every integrator at next_knot() and begins it anew there;
//   - looks for sign changes of the event functions within each step, locates the first one to 1e-12 of the time,
//     begins anew there with a very small step, and lets the steps grow from it, so that nothing short behind it is
//     missed;
//   - makes no step longer than an event function takes to its zero at the present rate, nor longer than `guard`.
//
// A model whose elements have none of this costs nothing.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string_view>

#include "polyform/contract/force.hpp"

namespace polyform {

inline constexpr double never = std::numeric_limits<double>::infinity();

/// Which sign changes of an event function are events. Zero counts as positive.
enum class Crossing : int { any = 0, falling = -1, rising = 1 };

/// What an event function is.
struct EventDescription {
  Size<EventDescription> size{};
  std::size_t instance = 0;         ///< index within the batch
  std::string_view name = "event";  ///< for messages: "contact", "stick"
  Crossing crossing = Crossing::any;
};

/// The state at which the batch is asked: what its `evaluate` gets.
struct EventInput {
  Size<EventInput> size{};
  const ForceInput* attachments = nullptr;
  std::span<const double> u{}, x{};  ///< of a module, as in ModuleInput
};

struct EventOutput {
  Size<EventOutput> size{};
  /// One per event function: continuous in the motion, of one sign on either side of the event. A signed gap is best.
  std::span<double> values{};
  /// d/dt of the values along the present motion. NaN on entry: the host takes differences where it stays so.
  std::span<double> rates{};
  /// The longest sensible next step from this state, s; `never` on entry. For what the event functions do not tell,
  /// such as the duration of a contact that begins.
  double guard = never;
};

/// The events of all instances of a batch. One object per batch, usually the batch itself. Nothing allocates or throws;
/// what is given depends only on the input, as for `evaluate`. The host calls from one thread.
class EventSource {
 public:
  static constexpr std::string_view interface_name = "polyform.events.1";
  /// Event functions of the whole batch; constant. A source without any may still tell a guard or a knot.
  virtual std::size_t event_count() const noexcept = 0;
  /// Describes event function k; called before the run.
  virtual void describe_event(std::size_t k, EventDescription& out) const noexcept = 0;
  virtual void evaluate_events(const EventInput&, EventOutput&) noexcept = 0;
  /// The first time after t at which an instance's law jumps or bends by the clock. The host knows those of the
  /// functions of time among the fields, which need not be given here.
  virtual double next_knot(double t) const noexcept {
    (void)t;
    return never;
  }
  /// The shortest time in which an instance does something of its own accord, such as a period, s; `never` if there is
  /// none.
  virtual double shortest_time(std::size_t instance) const noexcept {
    (void)instance;
    return never;
  }
  /// A further ability by name, or nullptr: StateJumps, if first-order states of a force jump at its events. Discrete
  /// states of the element change by DiscreteElement, which the batch itself gives.
  virtual void* query(std::string_view asked) noexcept {
    (void)asked;
    return nullptr;
  }

 protected:
  ~EventSource() = default;
};

/// The time that a value takes to zero at this rate, s; `never` if it goes away from zero.
inline double time_to_zero(double value, double rate) noexcept { return value * rate < 0 ? -value / rate : never; }
/// Half a period of mass and stiffness: how long a contact of this stiffness lasts, s. Good for EventOutput::guard
/// while the contact is closed.
inline double contact_time(double mass, double stiffness) noexcept {
  return mass > 0 && stiffness > 0 ? 3.14159265358979323846 * std::sqrt(mass / stiffness) : never;
}

/// Signed distance of two spheres about two markers, and its rate: negative where they overlap.
struct Gap {
  double value = 0, rate = 0;
  Vec3 normal;  ///< from the first to the second, ground axes; zero if the centres coincide
};
inline Gap sphere_gap(const MarkerMotion& a, const MarkerMotion& b, double radius_a, double radius_b) noexcept {
  const Vec3 line = b.position - a.position;
  const double distance = norm(line);
  const Vec3 normal = distance > 0 ? (1 / distance) * line : Vec3{};
  return {distance - radius_a - radius_b, dot(normal, b.velocity - a.velocity), normal};
}

}  // namespace polyform
