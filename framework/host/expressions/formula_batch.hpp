// The batch of a FormulaForce: finds the values of its formulas and hands them to the forces.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "framework/host/expressions/approach.hpp"
#include "framework/host/expressions/clock_source.hpp"
#include "framework/host/expressions/formula_events.hpp"
#include "framework/host/expressions/formula_force.hpp"
#include "framework/host/expressions/formula_limits.hpp"
#include "framework/host/expressions/formula_samplers.hpp"
#include "framework/host/expressions/poles.hpp"
#include "polyform/contract/discrete_state.hpp"
#include "polyform/contract/initial_states.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/contract/run_endings.hpp"
#include "polyform/contract/state_jumps.hpp"

namespace polyform::host::inline expressions {

/// Cuts the instance of a part out of that of the whole element.
ElementInstance own_instance(const FormulaForce::Part&, const ElementInstance& whole);

/// Its functions are those of the interfaces of its part's batch, each of which it hands on after the formulas have
/// their values. Its members are the inputs and outputs of these calls, kept so that none allocates.
class FormulaBatch final : public ForceBatch,
                           public EventSource,
                           public OutputSource,
                           public DiscreteElement,
                           public InitialStates,
                           public DiscreteAtStart,
                           public StateJumps,
                           public RunEnding,
                           public PoleSource,
                           public ReachSource,
                           public LimitSource,
                           public ClockSource {
 public:
  FormulaBatch(const FormulaForce&, Strided<const ElementInstance>);
  ~FormulaBatch();
  FormulaBatch(const FormulaBatch&) = delete;
  FormulaBatch& operator=(const FormulaBatch&) = delete;
  bool good() const { return good_; }
  /// Gives the function the values of the formula that stood there, use `u` of the type.
  void follow(std::size_t u, TimeFunction&) noexcept;
  /// Finds the values of the formulas in fields, for those who ask outside of evaluations.
  void evaluate_values(const ForceInput&) noexcept;

  void evaluate(const ForceInput&, ForceOutput&) noexcept override;
  void initial_states(std::span<double>) const noexcept override;
  void destroy() noexcept override { delete this; }
  void* query(std::string_view) noexcept override;

  std::size_t event_count() const noexcept override { return events_; }
  void describe_event(std::size_t, EventDescription&) const noexcept override;
  void evaluate_events(const EventInput&, EventOutput&) noexcept override;
  double next_knot(double t) const noexcept override;
  double shortest_time(std::size_t instance) const noexcept override;

  void evaluate_outputs(const OutputInput&, std::span<double>) noexcept override;
  void initial_values(std::span<std::int32_t>) const noexcept override;
  void pass_event(std::size_t, bool rising, const EventInput&, std::span<std::int32_t>) noexcept override;
  void states_at_start(const ForceInput&, std::span<double> u, std::span<double> x) noexcept override;
  void values_at_start(const ForceInput&, std::span<std::int32_t>) noexcept override;
  void jump_states(std::size_t, bool rising, const EventInput&, std::span<double>) noexcept override;
  bool ends_run(std::size_t event) const noexcept override;
  double size_at_pole(std::size_t event) const noexcept override;
  std::optional<std::size_t> hypotenuse_of(std::size_t event) const noexcept override {
    return formula_events_.hypotenuse_of(event);
  }
  void note_pole(std::size_t event, double t) const noexcept override;
  double longest_step(std::size_t event, double value, double rate) const noexcept override {
    return formula_events_.longest_step(event, value, rate);
  }
  std::size_t limit_count() const noexcept override { return limits_.count(); }
  bool is_of_limits(std::size_t event) const noexcept override {
    return event >= first_limit() && event < first_own_event();
  }
  bool needs_rates(std::span<const std::int32_t> discrete) const noexcept override {
    return limits_.any_kept(discrete);
  }
  std::size_t input_count() const noexcept override { return inputs_.size(); }
  void read_inputs(const EventInput&, std::span<double> inputs) noexcept override;
  void take_rates(std::span<const double> of_inputs) noexcept override { limits_.take_rates(of_inputs); }
  void evaluate_limits(const EventInput&, std::span<LimitNumbers>) noexcept override;
  void settle_integrals(std::span<const LimitNumbers> before, std::span<const std::int32_t> modes,
                        std::span<double> states) noexcept override {
    limits_.settle(before, modes, states);
  }
  void choose_modes(const EventInput&, std::span<const LimitNumbers> before, double elapsed,
                    std::span<std::int32_t> modes) noexcept override;

 private:
  using Part = FormulaForce::Part;
  /// The value of a formula at the present evaluation, which a force reads in the place of a function of time. A force
  /// cannot know the derivatives in time: they would contain accelerations.
  class Cell final : public TimeFunction::Source {
   public:
    double now = 0, offset = 0;
    TimeFunction::Value value(double) const noexcept override { return {now + offset, no_number, no_number}; }
    double next_knot(double) const noexcept override { return never; }
    double shortest_time() const noexcept override { return never; }
  };
  /// A force of the element.
  struct Own {
    Part part;
    ForceBatch* batch = nullptr;
    EventSource* events = nullptr;
    OutputSource* outputs = nullptr;
    DiscreteElement* discrete = nullptr;
    StateJumps* jumps = nullptr;
    RunEnding* ending = nullptr;
    std::size_t first_event = 0, q = 0, nq = 0, v = 0, nv = 0;
  };
  void add(const Part&, const ElementInstance& whole);
  /// The force whose event function stands at this place; nullptr for those of formulas and samplers.
  const Own* owner_of(std::size_t event) const noexcept;
  ForceInput input_of(const Own&, const ForceInput& whole) const noexcept;
  Strided<const MarkerMotion> read_markers(const ForceInput&) const noexcept;
  void read(const ForceInput&) noexcept;
  void find_rates(const ForceInput&) noexcept;
  void read_outputs(const ForceInput&) noexcept;
  // Event functions: those of the formulas, sampling, limits, then those of the forces.
  std::size_t first_clock() const { return formula_events_.count(); }
  std::size_t first_limit() const { return first_clock() + samplers_.clocks(); }
  std::size_t first_own_event() const { return first_limit() + FormulaLimits::events * limits_.count(); }
  void find_started_states(const ForceInput&, std::span<double> states) noexcept;
  void find_starts(const ForceInput&, std::span<double> states) noexcept;
  void set_cells(double t) noexcept;
  void evaluate_alone(const ForceInput&, ForceOutput&) noexcept;
  void report(const Program&, std::size_t root, std::span<const double> work, double t) noexcept;

  const FormulaForce& type_;
  StateReader reader_;
  std::vector<double> work_;
  std::span<double> inputs_;  ///< the first numbers of work_
  std::vector<double> shown_, start_states_, outputs_, no_rates_;
  std::vector<double> input_rates_, state_rates_;
  FormulaEvents formula_events_;
  FormulaSamplers samplers_;
  FormulaLimits limits_;
  std::vector<Spatial> no_accelerations_;
  std::vector<Cell> cells_;  ///< one per use; there they stay
  /// Of the values of uses and of the rates of states, in work_.
  std::vector<std::uint32_t> use_registers_, rate_registers_;
  std::deque<std::vector<FieldValue>> fields_;
  std::deque<std::vector<TimeFunction>> functions_;
  std::vector<std::string> event_names_;  ///< of the forces, where the element has a name of its own
  std::vector<Own> own_;
  std::size_t markers_ = 0, q_ = 0, v_ = 0, events_ = 0;  ///< of the forces, before those that formulas read
  bool good_ = true;
};

}  // namespace polyform::host::inline expressions
