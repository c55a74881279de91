// FMUs for model exchange: their states are first-order states of the model, and their events are events of the run.
#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>

#include "fmu_type.hpp"
#include "polyform/contract/initial_states.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/contract/run_endings.hpp"
#include "polyform/contract/state_jumps.hpp"
#include "polyform/contract/step_endings.hpp"

namespace polyform::fmus {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

class Equations final : public ForceBatch,
                        public EventSource,
                        public StateJumps,
                        public RunEnding,
                        public StepEndings,
                        public OutputSource,
                        public InitialStates {
 public:
  Equations(const FmuType& type, Strided<const ElementInstance> instances)
      : type_(type),
        states_(type.state_count()),
        first_state_(type.held()),
        parts_(parts_of<Part>(type.coupling(), instances)),
        outputs_(type.coupling().names.size()) {}

  void evaluate(const ForceInput& in, ForceOutput& out) noexcept override {
    const Coupling& c = type_.coupling();
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      Part& part = parts_[k];
      const std::span<double> rates = out.state_rates.subspan(k * states_, states_);
      std::ranges::fill(rates.first(first_state_), 0.0);
      const std::span<double> own = rates.subspan(first_state_);
      const bool good = move_to(part, k, in) && take_outputs(part) &&
                        part.good(part.calls().get_rates(part.handle(), own.data(), own.size()), "its derivatives");
      if (!good) {
        std::ranges::fill(own, unknown);
        std::ranges::fill(outputs_, unknown);
      }
      out.power += c.add_efforts(outputs_, in.v.subspan(part.v), out.efforts.subspan(part.v));
    }
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
    if (asked == OutputSource::interface_name) return static_cast<OutputSource*>(this);
    if (asked == StateJumps::interface_name) return static_cast<StateJumps*>(this);
    if (asked == RunEnding::interface_name) return static_cast<RunEnding*>(this);
    if (asked == StepEndings::interface_name && type_.ends_steps()) return static_cast<StepEndings*>(this);
    const bool is_source = type_.has_events() || type_.ends_steps();
    return asked == EventSource::interface_name && is_source ? static_cast<EventSource*>(this) : nullptr;
  }
  void destroy() noexcept override { delete this; }

  void evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept override {
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      if (!move_to(parts_[k], k, *in.attachments) || !take_outputs(parts_[k])) std::ranges::fill(outputs_, unknown);
      std::ranges::copy(outputs_, values.begin() + static_cast<std::ptrdiff_t>(k * outputs_.size()));
    }
  }

  // Events: the FMU's own, then the next one by its clock.
  std::size_t event_count() const noexcept override { return type_.has_events() ? parts_.size() * per_part() : 0; }
  void describe_event(std::size_t k, EventDescription& out) const noexcept override {
    out.instance = k / per_part();
    const bool of_clock = k % per_part() == per_part() - 1;
    out.name = of_clock ? "clock of the FMU" : "event of the FMU";
    out.crossing = of_clock ? Crossing::falling : Crossing::any;
  }
  void evaluate_events(const EventInput& in, EventOutput& out) noexcept override {
    for (std::size_t k = 0; k < parts_.size() && type_.has_events(); ++k) {
      const std::span<double> values = out.values.subspan(k * per_part(), per_part());
      const std::size_t own = values.size() - 1;
      if (!move_to(parts_[k], k, *in.attachments) ||
          (own > 0 && !parts_[k].good(parts_[k].calls().get_indicators(parts_[k].handle(), values.data(), own),
                                      "its event indicators")))
        std::ranges::fill(values.first(own), 1.0);  // the evaluation reports the failure
      const double next = in.attachments->states[k * states_ + next_event];
      const bool is_none = next < 0;
      values[own] = is_none ? 1 : next - in.attachments->time;
      out.rates[k * per_part() + own] = is_none ? 0 : -1;
    }
  }
  void jump_states(std::size_t event, bool, const EventInput& in, std::span<double> states) noexcept override {
    const std::size_t k = event / per_part();
    const std::span<double> own = states.subspan(k * states_, states_);
    if (!move_to(parts_[k], k, *in.attachments) || !pass_event(parts_[k], in.attachments->time, own))
      std::ranges::fill(own.subspan(next_event), unknown);  // the host names the element and the time
  }
  bool end_step(const EventInput& in, std::span<double> states) noexcept override {
    bool changed = false;
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      Part& part = parts_[k];
      const std::span<double> own = states.subspan(k * states_, states_);
      bool wants_event = false;
      bool good = move_to(part, k, *in.attachments) && part.fmu.complete_step(wants_event);
      if (good && !wants_event) continue;
      changed = true;
      if (good && !type_.has_events()) {
        LastFailure::note(*type_.coupling().fmu, "the end of a step",
                          "it asks for an event, but its state cannot be read and set (canSerializeFMUstate)");
        good = false;
      }
      if (!good || !pass_event(part, in.attachments->time, own)) std::ranges::fill(own, unknown);
    }
    return changed;
  }
  bool ends_run(std::size_t event) const noexcept override { return parts_[event / per_part()].fmu.wants_end(); }

 private:
  struct Part : CoupledFmu {
    using CoupledFmu::CoupledFmu;
    std::size_t discrete = 0;  ///< the discrete state in which the FMU is
  };
  // Places among the states of a part, the last two of FMUs with events alone.
  static constexpr std::size_t number_of_start = 0, discrete = 1, next_event = 2;

  std::size_t per_part() const noexcept { return type_.coupling().fmu->events() + 1; }

  /// The states of a part that has begun, or not.
  void tell_start(Part& part, bool good, std::span<double> own) const noexcept {
    part.discrete = 0;
    const std::span<double> x = own.subspan(first_state_);
    const double next = part.fmu.next_time();
    good = good && part.good(part.calls().get_states(part.handle(), x.data(), x.size()), "its states");
    if (good && std::isfinite(next) && !type_.has_events()) {
      part.fmu.note("its initialization", "it has events by the clock, which it has not where it begins at t = 0");
      good = false;
    }
    if (!good) {
      std::ranges::fill(own, unknown);
      return;
    }
    own[number_of_start] = static_cast<double>(*part.start);
    if (!type_.has_events()) return;
    own[discrete] = 0;
    own[next_event] = std::isfinite(next) ? next : FmuType::no_event;
  }

  /// Handles an event where the FMU stands: its states, and the discrete state that it is in from now on.
  bool pass_event(Part& part, double time, std::span<double> own) noexcept {
    const std::span<double> x = own.subspan(first_state_);
    try {
      double next = never;
      std::vector<char> kept;
      const bool good = part.fmu.pass_event(time, next) &&
                        part.good(part.calls().get_states(part.handle(), x.data(), x.size()), "its states") &&
                        part.fmu.save(kept);
      if (good) {
        part.discrete = type_.kept_states().keep(kept);
        own[discrete] = static_cast<double>(part.discrete);
        own[next_event] = std::isfinite(next) ? next : FmuType::no_event;
      }
      return good;
    } catch (const std::exception& problem) {
      LastFailure::note(*type_.coupling().fmu, "an event", problem.what());
      return false;
    }
  }

  /// Sets the FMU to a state of the model, first to its start or its discrete state if this is another.
  bool move_to(Part& part, std::size_t k, const ForceInput& in) noexcept {
    LastFailure::at(in.time);
    const std::span<const double> own = in.states.subspan(k * states_, states_);
    const std::span<const double> x = own.subspan(first_state_);
    // Integrators interpolate a number that does not change, and so give it a rounding error.
    const double start = std::round(own[number_of_start]), asked = type_.has_events() ? std::round(own[discrete]) : 0;
    if (!is_number(start) || !is_number(asked)) return false;
    const auto number = static_cast<std::size_t>(asked);
    if (part.start != static_cast<std::size_t>(start) || (number == 0 && part.discrete != 0)) {
      if (!part.begin_as(static_cast<std::size_t>(start), type_.starts())) return false;
      part.discrete = 0;
    }
    if (number != part.discrete) {
      try {
        if (!part.fmu.restore(type_.kept_states().at(number))) return false;
        part.discrete = number;
      } catch (const std::exception& problem) {
        LastFailure::note(*type_.coupling().fmu, "a state that is set", problem.what());
        return false;
      }
    }
    return part.good(part.calls().set_time(part.handle(), in.time), "its time") &&
           part.good(part.calls().set_states(part.handle(), x.data(), x.size()), "its states") && part.set_inputs(in);
  }
  bool take_outputs(Part& part) noexcept { return part.take_outputs(type_.coupling(), outputs_); }

  const FmuType& type_;
  std::size_t states_, first_state_;
  mutable std::deque<Part> parts_;  ///< instances, which the start is read from too
  std::vector<double> outputs_;
};

}  // namespace

ForceBatch* equations_of(const FmuType& type, Strided<const ElementInstance> instances) {
  return new Equations(type, instances);
}

}  // namespace polyform::fmus
