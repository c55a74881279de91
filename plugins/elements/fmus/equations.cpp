// FMUs for model exchange: their states are first-order states of the model, and their events are events of the run.
#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <optional>

#include "fmu_type.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/contract/run_endings.hpp"
#include "polyform/contract/state_jumps.hpp"
#include "polyform/contract/step_endings.hpp"

namespace polyform::fmus {

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

class Equations final : public ForceBatch, public EventSource, public StateJumps, public RunEnding,
                        public StepEndings, public OutputSource {
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
      const std::span<double> own = states.subspan(k * states_, states_);
      const FmuInstance& fmu = parts_[k].fmu;
      if (type_.has_events()) {
        own[0] = 0;
        own[1] = std::isfinite(fmu.next_time()) ? fmu.next_time() : FmuType::no_event;
      }
      const std::span<double> x = own.subspan(first_state_);
      if (!fmu.good(fmu.calls().get_states(fmu.handle(), x.data(), x.size()), "its states"))
        std::ranges::fill(x, unknown);
    }
  }
  void* query(std::string_view asked) noexcept override {
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
      const double next = in.attachments->states[k * states_ + 1];
      const bool is_none = next < 0;
      values[own] = is_none ? 1 : next - in.attachments->time;
      out.rates[k * per_part() + own] = is_none ? 0 : -1;
    }
  }
  void jump_states(std::size_t event, bool, const EventInput& in, std::span<double> states) noexcept override {
    const std::size_t k = event / per_part();
    const std::span<double> own = states.subspan(k * states_, states_);
    if (!move_to(parts_[k], k, *in.attachments) || !pass_event(parts_[k], own))
      std::ranges::fill(own.subspan(1), unknown);  // the host names the element and the time
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
      if (!good || !pass_event(part, own)) std::ranges::fill(own, unknown);
    }
    return changed;
  }
  bool ends_run(std::size_t event) const noexcept override { return parts_[event / per_part()].fmu.wants_end(); }

 private:
  struct Part : CoupledFmu {
    using CoupledFmu::CoupledFmu;
    std::size_t discrete = 0;  ///< the discrete state in which the FMU is
  };

  std::size_t per_part() const noexcept { return type_.coupling().fmu->events() + 1; }

  /// Handles an event where the FMU stands: its states, and the discrete state that it is in from now on.
  bool pass_event(Part& part, std::span<double> own) noexcept {
    const std::span<double> x = own.subspan(first_state_);
    try {
      double next = never;
      std::vector<char> kept;
      const bool good = part.fmu.pass_event(next) &&
                        part.good(part.calls().get_states(part.handle(), x.data(), x.size()), "its states") &&
                        part.fmu.save(kept);
      if (good) {
        part.discrete = type_.kept_states().keep(kept);
        own[0] = static_cast<double>(part.discrete);
        own[1] = std::isfinite(next) ? next : FmuType::no_event;
      }
      return good;
    } catch (const std::exception& problem) {
      LastFailure::note(*type_.coupling().fmu, "an event", problem.what());
      return false;
    }
  }

  /// Sets the FMU to a state of the model, first to its discrete state if this has changed.
  bool move_to(Part& part, std::size_t k, const ForceInput& in) noexcept {
    LastFailure::at(in.time);
    const std::span<const double> own = in.states.subspan(k * states_, states_);
    const std::span<const double> x = own.subspan(first_state_);
    // Integrators interpolate a number that does not change, and so give it a rounding error.
    const double asked = type_.has_events() ? std::round(own[0]) : 0;
    if (asked != static_cast<double>(part.discrete)) {
      if (!(asked >= 0 && asked < 0x1p53)) return false;
      try {
        const auto number = static_cast<std::size_t>(asked);
        if (number == 0 ? !part.fmu.restart() : !part.fmu.restore(type_.kept_states().at(number))) return false;
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
  std::deque<Part> parts_;
  std::vector<double> outputs_;
};

}  // namespace

ForceBatch* equations_of(const FmuType& type, Strided<const ElementInstance> instances) {
  return new Equations(type, instances);
}

}  // namespace polyform::fmus
