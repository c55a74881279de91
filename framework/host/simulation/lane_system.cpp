#include "framework/host/simulation/lane_system.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

namespace polyform::host::inline simulation {

LaneSystem::LaneSystem(BatchEvaluation& batch, const IntegratorChoice& choice)
    : batch_(batch), choice_(choice), worlds_(batch.lanes()), counted_(batch.lanes()), next_lane_(batch.lanes()),
      largest_(batch.lanes()) {}

IntegratorChoice LaneSystem::choice_for(std::size_t lane) {
  next_lane_ = lane;
  IntegratorChoice choice = choice_;
  choice.type = this;
  return choice;
}

Integrator* LaneSystem::create(FirstOrderSystem& system, const StepSettings& settings,
                               Strided<const FieldValue> options, DiagnosticSink& sink) const noexcept {
  // Types are constant; what this one makes is not the type's but its lane's.
  if (next_lane_ < lanes()) return const_cast<LaneSystem*>(this)->take_lane(system, settings);
  return choice_.type->create(system, settings, options, sink);
}

Integrator* LaneSystem::take_lane(FirstOrderSystem& system, const StepSettings& settings) noexcept {
  const std::size_t lane = std::exchange(next_lane_, lanes());
  worlds_[lane] = &system;
  counted_[lane] = static_cast<CountedSystem*>(system.query(CountedSystem::interface_name));
  try {
    if (!integrators_) {
      size_ = system.size();
      y_.resize(size_);
      ydot_.resize(size_);
      const auto* const method = static_cast<const BatchIntegration*>(
          choice_.type->query(BatchIntegration::interface_name));
      std::ranges::fill(worlds_, &system);
      integrators_.reset(method->create(*this, choice_.options));
      if (!integrators_) return nullptr;
    }
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  if (system.size() != size_) return nullptr;
  integrators_->begin_world(lane, settings);
  return &integrators_->lane(lane);
}

void LaneSystem::derivatives(const BatchInput& in, BatchOutput& out) noexcept {
  const std::size_t lanes = worlds_.size(), states = batch_.state_size();
  BatchOutput of_states{.ydot = out.ydot.first(states * lanes), .done = out.done};
  if (states < size_) of_states.power = out.ydot.subspan(states * lanes, lanes);
  batch_.evaluate({.t = in.t, .y = in.y.first(states * lanes), .active = in.active}, of_states);
  // The largest rate of each lane, where a number that is not finite stays.
  std::ranges::fill(largest_, 0.0);
  for (std::size_t i = 0; i < out.ydot.size(); i += lanes)
    for (std::size_t k = 0; k < lanes; ++k) {
      const double size = std::abs(out.ydot[i + k]);
      largest_[k] = size <= largest_[k] ? largest_[k] : size;
    }
  for (std::size_t k = 0; k < lanes; ++k) {
    if (in.active[k] == 0) continue;
    if (out.done[k] != 0 && largest_[k] <= std::numeric_limits<double>::max())
      counted_[k]->count();
    else
      out.done[k] = evaluate_alone(k, in, out) ? 1 : 0;
  }
}

bool LaneSystem::evaluate_alone(std::size_t lane, const BatchInput& in, BatchOutput& out) noexcept {
  const std::size_t lanes = worlds_.size();
  for (std::size_t i = 0; i < size_; ++i) y_[i] = in.y[i * lanes + lane];
  const bool found = worlds_[lane]->derivative(in.t[lane], y_, ydot_) == Status::ok;
  for (std::size_t i = 0; i < size_; ++i) out.ydot[i * lanes + lane] = ydot_[i];
  return found;
}

}  // namespace polyform::host::inline simulation
