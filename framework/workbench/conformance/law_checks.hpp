// The law that a force tells, computed with the numbers of an input.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "framework/workbench/conformance/batch_probe.hpp"
#include "polyform/contract/force_law.hpp"

namespace polyform::host::inline conformance {

/// Computes at once what it is told.
class ComputingRecorder final : public LawRecorder {
 public:
  ComputingRecorder() : values_{0.0} {}
  LawIndex constant(double x) noexcept override {
    values_.push_back(x);
    return static_cast<LawIndex>(values_.size() - 1);
  }
  LawIndex apply(LawOperation operation, LawIndex left, LawIndex right) noexcept override {
    if (left >= values_.size() || right >= values_.size()) return constant(std::nan(""));
    const double a = values_[left], b = values_[right];
    switch (operation) {
      case LawOperation::add: return constant(a + b);
      case LawOperation::subtract: return constant(a - b);
      case LawOperation::multiply: return constant(a * b);
      case LawOperation::divide: return constant(a / b);
      case LawOperation::negate: return constant(-a);
      case LawOperation::absolute: return constant(std::abs(a));
      case LawOperation::greater: return constant(std::max(a, b));
      case LawOperation::root: return constant(std::sqrt(a));
      case LawOperation::where_positive: return constant(a > 0 ? b : 0);
    }
    return constant(std::nan(""));
  }
  double value(LawIndex index) const { return index < values_.size() ? values_[index] : std::nan(""); }
  std::vector<LawIndex> all(std::span<const double> numbers) {
    std::vector<LawIndex> out;
    for (const double x : numbers) out.push_back(constant(x));
    return out;
  }

 private:
  std::vector<double> values_;
};

/// What the law gives with an input: wrenches, efforts and rates as evaluate() does, and the power.
struct ToldLoad {
  std::vector<Spatial> wrenches;
  std::vector<double> efforts, rates;
  double power = 0;
};

inline ToldLoad told_load(ForceLaw& law, const BatchInput& in) {
  ComputingRecorder recorder;
  std::vector<double> parameters(law.parameter_count()), markers;
  law.parameters(parameters);
  for (const MarkerMotion& m : in.markers) {
    markers.insert(markers.end(), std::begin(m.R.m), std::end(m.R.m));
    for (const Vec3& v : {m.position, m.velocity, m.angular_velocity}) markers.insert(markers.end(), {v.x, v.y, v.z});
  }
  const auto of_parameters = recorder.all(parameters), of_markers = recorder.all(markers), q = recorder.all(in.q),
             v = recorder.all(in.v), states = recorder.all(in.states);
  std::vector<LawIndex> wrenches(6 * in.markers.size()), efforts(in.v.size()), rates(in.states.size());
  LawOutput out{.wrenches = wrenches, .efforts = efforts, .state_rates = rates};
  law.record(recorder, {.parameters = of_parameters, .markers = of_markers, .q = q, .v = v, .states = states}, out);
  ToldLoad load;
  for (std::size_t i = 0; i < in.markers.size(); ++i) {
    Spatial& w = load.wrenches.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) {
      w.angular[k] = recorder.value(wrenches[6 * i + k]);
      w.linear[k] = recorder.value(wrenches[6 * i + 3 + k]);
    }
  }
  for (const LawIndex e : efforts) load.efforts.push_back(recorder.value(e));
  for (const LawIndex r : rates) load.rates.push_back(recorder.value(r));
  load.power = recorder.value(out.power);
  return load;
}

}  // namespace polyform::host::inline conformance
