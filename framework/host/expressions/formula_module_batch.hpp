// The batch of a FormulaModule: the values of its formulas are found first, then the modules are asked.
#pragma once

#include <deque>
#include <vector>

#include "framework/host/expressions/formula_batch.hpp"
#include "framework/host/expressions/formula_module.hpp"

namespace polyform::host::inline expressions {

/// Its functions are those of the interfaces of the two batches, each with its part of the input.
class FormulaModuleBatch final : public ModuleBatch,
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
  /// Throws std::bad_alloc if a batch cannot be made.
  FormulaModuleBatch(const FormulaModule&, const ElementInstance& whole);
  ~FormulaModuleBatch();
  FormulaModuleBatch(const FormulaModuleBatch&) = delete;
  FormulaModuleBatch& operator=(const FormulaModuleBatch&) = delete;

  void evaluate(const ModuleInput&, ModuleOutput&) noexcept override;
  void initial_state(std::span<double> u, std::span<double> x) const noexcept override;
  void destroy() noexcept override { delete this; }
  void* query(std::string_view) noexcept override;

  std::size_t event_count() const noexcept override { return formula_events_ + module_events_; }
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
  double size_at_pole(std::size_t event) const noexcept override { return formulas_.size_at_pole(event); }
  std::optional<std::size_t> hypotenuse_of(std::size_t event) const noexcept override {
    return formulas_.hypotenuse_of(event);
  }
  void note_pole(std::size_t event, double t) const noexcept override { formulas_.note_pole(event, t); }
  double longest_step(std::size_t event, double value, double rate) const noexcept override {
    return formulas_.longest_step(event, value, rate);
  }
  std::size_t limit_count() const noexcept override { return formulas_.limit_count(); }
  bool is_of_limits(std::size_t event) const noexcept override {
    return event < formula_events_ && formulas_.is_of_limits(event);
  }
  bool needs_rates(std::span<const std::int32_t> discrete) const noexcept override {
    return formulas_.needs_rates(discrete.first(own_.discrete));
  }
  std::size_t input_count() const noexcept override { return formulas_.input_count(); }
  void read_inputs(const EventInput&, std::span<double> inputs) noexcept override;
  void take_rates(std::span<const double> of_inputs) noexcept override { formulas_.take_rates(of_inputs); }
  void evaluate_limits(const EventInput&, std::span<LimitNumbers>) noexcept override;
  void settle_integrals(std::span<const LimitNumbers> before, std::span<const std::int32_t> modes,
                        std::span<double> states) noexcept override {
    formulas_.settle_integrals(before, modes, states);
  }
  void choose_modes(const EventInput&, std::span<const LimitNumbers> before, double elapsed,
                    std::span<std::int32_t> modes) noexcept override;

 private:
  /// How many numbers are the formulas', before those of the modules.
  struct Counts {
    std::size_t markers = 0, joints = 0, q = 0, v = 0, states = 0, outputs = 0, discrete = 0;
  };
  ModuleBatch* make_modules(const ElementInstance&);
  RunEnding* ending() const noexcept;  ///< of the modules; nullptr if there is none
  /// What the FormulaForce gets: its states are followed by u and the states of the modules.
  ForceInput to_formulas(const ForceInput&, std::span<const double> u, std::span<const double> x) noexcept;
  ForceInput to_modules(const ForceInput&) const noexcept;

  const FormulaModule& type_;
  const ElementInstance instance_;  ///< of the formulas
  FormulaBatch formulas_;
  Counts own_;
  std::deque<std::vector<TimeFunction>> functions_;
  std::vector<FieldValue> fields_;
  ModuleBatch* modules_ = nullptr;
  // What the modules offer, asked for once.
  EventSource* events_ = nullptr;
  OutputSource* module_outputs_ = nullptr;
  DiscreteElement* discrete_ = nullptr;
  std::size_t formula_events_ = 0, module_events_ = 0;
  std::vector<double> numbers_, B_;
  std::vector<Spatial> C_;
};

}  // namespace polyform::host::inline expressions
