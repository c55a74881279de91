// Batches of forces by themselves: their loads along a motion of what they are attached to.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/workbench/conformance/allocation_count.hpp"
#include "framework/workbench/conformance/batch_probe.hpp"
#include "framework/workbench/conformance/canaries.hpp"
#include "framework/workbench/conformance/element_systems.hpp"
#include "framework/workbench/conformance/larger.hpp"
#include "framework/workbench/conformance/model_state.hpp"

namespace polyform::host::inline conformance {

/// What one call gives, with its storage.
struct Load {
  std::vector<Spatial> wrenches;
  std::vector<double> efforts, rates;
  double potential_energy = 0, power = 0;
  std::size_t allocations = 0;

  bool operator==(const Load& b) const { return same_bits(numbers(), b.numbers()); }
  /// All that is in it as one list.
  std::vector<double> numbers() const {
    std::vector<double> all{potential_energy, power};
    for (const Spatial& w : wrenches)
      for (std::size_t k = 0; k < 6; ++k) all.push_back(w[k]);
    all.insert(all.end(), efforts.begin(), efforts.end());
    all.insert(all.end(), rates.begin(), rates.end());
    return all;
  }
};

/// The largest difference of two loads: of wrenches and efforts, of rates, of energy and power, each relative to the
/// largest of its kind in `a` or in `beside`.
inline double difference(const Load& a, const Load& b, const Load& beside) {
  double worst = 0;
  const auto compare = [&](auto part) {
    const std::vector<double> x = part(a), y = part(b), z = part(beside);
    double error = 0, scale = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      error = larger(error, std::abs(x[i] - y[i]));
      scale = larger(scale, std::abs(x[i]));
    }
    for (const double v : z) scale = larger(scale, std::abs(v));
    worst = larger(worst, relative(error, scale));
  };
  compare([](const Load& load) {
    std::vector<double> all = load.efforts;
    for (const Spatial& w : load.wrenches)
      for (std::size_t k = 0; k < 6; ++k) all.push_back(w[k]);
    return all;
  });
  compare([](const Load& load) { return load.rates; });
  compare([](const Load& load) { return std::vector<double>{load.potential_energy}; });
  compare([](const Load& load) { return std::vector<double>{load.power}; });
  return worst;
}

inline BatchPointer<ForceBatch> make_loads(const ForceType& type, Strided<const ElementInstance> instances) {
  return made_batch(type.create(instances));
}
/// The batch of a model's first type: the variant of the tried type to which its instances belong.
inline BatchPointer<ForceBatch> loads_in(const Case& one) {
  const ForceInstances& group = one.sample.view().forces[0];
  return make_loads(*group.type, group.instances);
}

inline Load loads_of(ForceBatch& batch, const BatchInput& in) {
  Load load;
  Canaries given;
  const std::span<Spatial> wrenches = given.spatials("wrenches", in.markers.size());
  const std::span<double> efforts = given.numbers("efforts", in.v.size()),
                          rates = given.numbers("xdot", in.states.size());
  std::ranges::fill(rates, std::numeric_limits<double>::quiet_NaN());  // which the call has to replace
  ForceOutput out{.wrenches = wrenches, .efforts = efforts, .state_rates = rates};
  load.allocations = allocations_of([&] { batch.evaluate(in.view(), out); });
  given.check();
  load.wrenches.assign(wrenches.begin(), wrenches.end());
  load.efforts.assign(efforts.begin(), efforts.end());
  load.rates.assign(rates.begin(), rates.end());
  load.potential_energy = out.potential_energy;
  load.power = out.power;
  return load;
}

inline void initial_states(const ForceBatch& batch, std::vector<double>& x) {
  Canaries given;
  const std::span<double> states = given.numbers("states", x);
  batch.initial_states(states);
  given.check("initial_states()");
  x.assign(states.begin(), states.end());
}

/// The inputs of all instances of the case's group along the path, at its present place.
inline std::vector<BatchInput> inputs(const Case& one, const Path& path, double t) {
  const SystemView& view = one.sample.view();
  const ForceInstances& group = view.forces[0];
  const std::size_t states = group.type->state_count();
  std::vector<BatchInput> all;
  for (std::size_t i = 0; i < group.instances.size(); ++i) {
    BatchInput in = input_of(view, group, i, path.frames(), path.now());
    in.time = Path::clock(t);
    const double* x = path.now().x.data() + group.state_offset + i * states;
    in.states.assign(x, x + states);
    all.push_back(std::move(in));
  }
  return all;
}

/// The same as drawn, to the last bit, at rest or in motion.
inline std::vector<BatchInput> inputs_as_drawn(const Case& one, double speed) {
  const ForceInstances& group = one.sample.view().forces[0];
  const std::size_t states = group.type->state_count();
  std::vector<double> x(states * group.instances.size());
  initial_states(*make_loads(*group.type, group.instances), x);
  std::vector<BatchInput> all;
  for (std::size_t i = 0; i < group.instances.size(); ++i) {
    all.push_back(input_as_drawn(one.sample.view(), group, i, speed));
    all.back().states.assign(x.begin() + static_cast<std::ptrdiff_t>(i * states),
                             x.begin() + static_cast<std::ptrdiff_t>((i + 1) * states));
  }
  return all;
}

/// Calls body(case, path, group) for all cases.
template <class Body>
void on_load_paths(const std::vector<Case>& cases, Measure& m, Body body) {
  on_paths(cases, m, 19, [&](const Case& one, Path& path, Random&) { body(one, path, one.sample.view().forces[0]); });
}

}  // namespace polyform::host::conformance
