// FMUs for co-simulation: at each multiple of the interval the FMU makes its step, from the instant before, with the
// motion that the model has reached; its outputs are held until the next. So the mechanism goes first in each interval.
#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "fmu_type.hpp"
#include "polyform/contract/initial_states.hpp"
#include "polyform/contract/run_endings.hpp"
#include "polyform/contract/state_jumps.hpp"

namespace polyform::fmus {

namespace {

class Steps final : public ForceBatch, public EventSource, public StateJumps, public RunEnding, public InitialStates {
 public:
  Steps(const FmuType& type, Strided<const ElementInstance> instances)
      : type_(type), states_(type.state_count()), parts_(parts_of<Part>(type.coupling(), instances)) {}

  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    const Coupling& c = type_.coupling();
    std::ranges::fill(out.state_rates, 0.0);
    for (std::size_t k = 0; k < parts_.size(); ++k)
      out.power += c.add_efforts(in.states.subspan(k * states_ + first_output, states_ - first_output),
                                 in.v.subspan(parts_[k].v), out.efforts.subspan(parts_[k].v));
  }
  void initial_states(std::span<double> states) const noexcept override {
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      Part& part = parts_[k];
      tell_start(part, part.begin_as(0, type_.starts()), states.subspan(k * states_, states_));
    }
  }
  void states_at_start(const ForceInput& start, std::span<double>, std::span<double> states) noexcept override {
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      Part& part = parts_[k];
      tell_start(part, part.begin(start, type_.starts()), states.subspan(k * states_, states_));
    }
  }
  void* query(std::string_view asked) noexcept override {
    if (asked == InitialStates::interface_name) return static_cast<InitialStates*>(this);
    if (asked == StateJumps::interface_name) return static_cast<StateJumps*>(this);
    if (asked == RunEnding::interface_name) return static_cast<RunEnding*>(this);
    return asked == EventSource::interface_name ? static_cast<EventSource*>(this) : nullptr;
  }
  void destroy() noexcept override { delete this; }

  std::size_t event_count() const noexcept override { return parts_.size(); }
  void describe_event(std::size_t k, EventDescription& out) const noexcept override {
    out.instance = k;
    out.name = "step of the FMU";
    out.crossing = Crossing::falling;
  }
  void evaluate_events(const EventInput& in, EventOutput& out) noexcept override {
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      const std::span<const double> own = in.attachments->states.subspan(k * states_, states_);
      const double begun = parts_[k].time_of_start(std::round(own[0]), type_.starts());
      out.values[k] = begun + (own[1] + 1) * type_.coupling().interval - in.attachments->time;
      out.rates[k] = -1;
    }
  }
  double shortest_time(std::size_t) const noexcept override { return type_.coupling().interval; }
  void jump_states(std::size_t k, bool, const EventInput& in, std::span<double> states) noexcept override {
    Part& part = parts_[k];
    const std::span<double> own = states.subspan(k * states_, states_);
    const double interval = type_.coupling().interval;
    const ForceInput& at = *in.attachments;
    LastFailure::at(at.time);
    // Integrators interpolate a number that does not change, and leave rounding on it.
    const double number = std::round(own[0]), made = std::round(own[1]);
    const std::size_t start = is_number(number) ? static_cast<std::size_t>(number) : 0;
    // A run that begins anew begins with a new instance or from the start; to any other instant there is no way back.
    bool good = (part.start == start && made == part.made) || (made == 0 && part.begin_as(start, type_.starts()));
    if (!good && made != 0)
      LastFailure::note(*type_.coupling().fmu, "a step", "a run cannot begin between its steps, only at their start");
    if (good) part.made = made;
    const double begun = part.time_of_start(number, type_.starts());
    good = good && part.set_inputs(at) && part.fmu.step(begun + made * interval, interval);
    if (good) {
      own[1] = part.made = made + 1;
      take_outputs(part, own.subspan(first_output));
    } else {
      std::ranges::fill(own, std::numeric_limits<double>::quiet_NaN());  // the host names element and time
    }
  }
  bool ends_run(std::size_t k) const noexcept override { return parts_[k].fmu.wants_end(); }

 private:
  struct Part : CoupledFmu {
    using CoupledFmu::CoupledFmu;
    double made = 0;  ///< steps of this instance
  };
  static constexpr std::size_t first_output = 2;  ///< behind `start` and `steps`

  /// The states of a part that has begun, or not.
  void tell_start(Part& part, bool good, std::span<double> own) const noexcept {
    part.made = 0;
    if (!good) {
      std::ranges::fill(own, std::numeric_limits<double>::quiet_NaN());
      return;
    }
    own[0] = static_cast<double>(*part.start);
    own[1] = 0;
    take_outputs(part, own.subspan(first_output));
  }
  void take_outputs(Part& part, std::span<double> out) const noexcept {
    if (!part.take_outputs(type_.coupling(), out)) std::ranges::fill(out, std::numeric_limits<double>::quiet_NaN());
  }

  const FmuType& type_;
  std::size_t states_;
  mutable std::deque<Part> parts_;  ///< instances, which the start is read from too
};

}  // namespace

ForceBatch* steps_of(const FmuType& type, Strided<const ElementInstance> instances) {
  return new Steps(type, instances);
}

}  // namespace polyform::fmus
