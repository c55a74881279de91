// What a formulation owes to the host that keeps its discrete state.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "framework/workbench/conformance/batch_probe.hpp"
#include "framework/workbench/conformance/formulation_checks.hpp"
#include "polyform/contract/discrete_state.hpp"

namespace polyform::host::inline conformance {

namespace {

using Values = std::vector<std::int32_t>;

Values values_of(const DiscreteState& state) { return {state.values().begin(), state.values().end()}; }

/// A description for each value, which is within its range.
void see_descriptions(const DiscreteState& state, Measure& m) {
  const Values values = values_of(state);
  for (std::size_t i = 0; i < values.size(); ++i) {
    DiscreteDescription d;
    state.describe(i, d);
    m.see(!d.owner.empty() && !d.name.empty() ? 0 : 1, [&] { return fmt::format("value {} has no name", i); });
    m.see(d.least <= values[i] && values[i] <= d.greatest ? 0 : 1, [&] {
      return fmt::format("{} of {} is {}, and its range {} to {}", d.name, d.owner, values[i], d.least, d.greatest);
    });
  }
}

/// What is no state of the solver is refused and changes nothing.
void see_refusals(DiscreteState& state, Measure& m) {
  const Values values = values_of(state);
  Values other(values);
  other.push_back(0);
  m.see(state.set(other) == Status::failed ? 0 : 1, "set() takes more values than there are");
  for (std::size_t i = 0; i < values.size(); ++i) {
    DiscreteDescription d;
    state.describe(i, d);
    other = values;
    other[i] = d.greatest + 1;
    m.see(state.set(other) == Status::failed ? 0 : 1, "set() takes a value beyond its range");
  }
  m.see(values_of(state) == values ? 0 : 1, "set() changes values although it fails");
}

}  // namespace

void see_discrete(const Formulation& formulation, const Case& one, Measure& m) {
  const SystemView& view = one.sample.view();
  Observed seen(formulation, view, one.state, one.time);
  Solver& solver = seen.solver();
  auto* const state = ask<DiscreteState>(solver);
  const std::size_t count = state == nullptr ? 0 : state->values().size();
  m.see(count >= view.discrete ? 0 : 1, "it has fewer values than the elements");
  if (count < view.discrete) return;
  const auto values = [&] { return state == nullptr ? Values() : values_of(*state); };
  if (state != nullptr) {
    see_descriptions(*state, m);
    see_refusals(*state, m);
  }
  const Values start = values();
  const auto of_elements = [&](const Values& all) { return std::span(all).first(view.discrete); };
  const std::vector<double> y = seen.y();
  std::vector<double> first(y.size()), again(y.size()), stage(y);
  const auto derivative = [&](const std::vector<double>& at, std::vector<double>& out) {
    require(solver.derivative(one.time, at, out), solver, formulation.name(), "derivative");
  };
  derivative(y, first);
  m.see(values() == start ? 0 : 1, "derivative() changes it");
  // Within a step, also at a stage, which lies a little off the constraints.
  for (std::size_t i = 0; i < y.size(); ++i) stage[i] += 1e-3 * first[i];
  derivative(stage, again);
  m.see(values() == start ? 0 : 1, "derivative() changes it");
  seen.at(stage);
  m.see(values() == start ? 0 : 1, "observe() changes it");
  ObservationStore store(view);
  require(solver.decode(stage, store.now().state()), solver, formulation.name(), "decode");
  m.see(values() == start ? 0 : 1, "decode() changes it");
  m.see(std::ranges::equal(store.now().discrete, of_elements(start)) ? 0 : 1,
        "decode() gives others than those of the elements");
  // At a later time, and back.
  Correction correction;
  require(solver.correct(one.time, stage, correction), solver, formulation.name(), "correct");
  m.see(std::ranges::equal(of_elements(values()), of_elements(start)) ? 0 : 1,
        "correct() changes what belongs to elements");
  derivative(stage, again);
  if (state != nullptr)
    m.see(state->set(start) == Status::ok && values() == start ? 0 : 1, "it does not take back what it had");
  derivative(y, again);
  m.see(largest_difference(first, again), "with y and the discrete state of before the derivative is another");
  m.see(values().size() == count ? 0 : 1, "it has not as many values all the time");
}

}  // namespace polyform::host::conformance
