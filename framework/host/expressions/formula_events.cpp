#include "framework/host/expressions/formula_events.hpp"

#include <algorithm>
#include <cmath>

#include "framework/host/expressions/approach.hpp"

namespace polyform::host::inline expressions {

namespace {

template <class Number>
std::vector<Number> registers_of(const Program& program) {
  std::vector<Number> work(program.registers());
  program.prepare(std::span(work));
  return work;
}

void find_functions(const Program& functions, std::span<const double> inputs, std::span<const double> input_rates,
                    std::vector<Jet>& work, EventOutput& out, std::size_t first) noexcept {
  if (functions.roots() == 0) return;
  for (std::size_t i = 0; i < inputs.size(); ++i) work[i] = {inputs[i], input_rates[i], 0};
  functions.run(std::span(work));
  for (std::size_t k = 0; k < functions.roots(); ++k) {
    const Jet& found = work[functions.root(k)];
    const bool is_taken = std::isfinite(found.value);  // NaN comes from a branch that is not
    out.values[first + k] = is_taken ? found.value : 1.0;
    out.rates[first + k] = !is_taken ? 0 : std::isfinite(found.rate) ? found.rate : no_number;
  }
}

}  // namespace

FormulaEvents::FormulaEvents(const FormulaPrograms& programs)
    : programs_(programs),
      switch_work_(registers_of<double>(programs.switches)),
      pole_work_(registers_of<Jet>(programs.poles.zeros)),
      peak_work_(registers_of<Jet>(programs.peaks)),
      passed_work_(registers_of<Jet>(programs.passed)),
      hypotenuse_work_(registers_of<Jet>(programs.poles.hypotenuses)) {}

void FormulaEvents::describe(std::size_t k, EventDescription& out) const noexcept {
  if (k < first_switch()) {
    out.name = "pole";
    out.crossing = programs_.poles.all[k].touched ? touched_pole : pole;
  } else if (k < first_peak()) {
    out.name = programs_.switch_names[k - first_switch()];
  } else if (k < first_passed()) {
    out.name = programs_.peak_names[k - first_peak()];
    out.crossing = approached;
  } else if (k < first_hypotenuse()) {
    out.name = "table";
    out.crossing = passed;
  } else {
    out.name = "hypotenuse";
    out.crossing = hypotenuse_of_pole;
  }
}

/// Where a formula jumps by very much, the host finds its way across by differences along the step that it made.
void FormulaEvents::find_switches(std::span<const double> inputs, EventOutput& out) noexcept {
  const Program& functions = programs_.switches;
  std::ranges::copy(inputs, switch_work_.begin());
  functions.run(std::span(switch_work_));
  for (std::size_t k = 0; k < functions.roots(); ++k) {
    const double value = switch_work_[functions.root(k)];
    out.values[first_switch() + k] = std::isfinite(value) ? value : 1.0;  // NaN: as above
  }
}

void FormulaEvents::evaluate(std::span<const double> inputs, std::span<const double> input_rates,
                             EventOutput& out) noexcept {
  const auto find = [&](const Program& functions, std::vector<Jet>& work, std::size_t first) {
    find_functions(functions, inputs, input_rates, work, out, first);
  };
  find(programs_.poles.zeros, pole_work_, 0);
  find_switches(inputs, out);
  find(programs_.peaks, peak_work_, first_peak());
  find(programs_.passed, passed_work_, first_passed());
  find(programs_.poles.hypotenuses, hypotenuse_work_, first_hypotenuse());
}

}  // namespace polyform::host::inline expressions
