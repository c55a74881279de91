#include "framework/host/simulation/lane_system.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <new>

namespace polyform::host::inline simulation {

namespace {

/// The lanes of most batches, known to the compiler.
constexpr std::size_t usual_lanes = 8;

/// Fills `trouble`, per lane: zero if all its numbers are finite, otherwise NaN. A sum of finite numbers beyond all
/// bounds gives NaN too: the lane's own equation then decides.
void look_for_numbers(std::span<const double> all, std::vector<double>& trouble) noexcept {
  const std::size_t lanes = trouble.size();
  std::ranges::fill(trouble, 0.0);
  for (std::size_t i = 0; i < all.size(); i += lanes)
    for (std::size_t k = 0; k < lanes; ++k) trouble[k] += all[i + k];
  for (double& sum : trouble) sum *= 0;
}
/// The same for the usual lanes, whose sums stay in registers; several sums each, which need not wait for one another.
[[gnu::always_inline]] inline void look_in_usual_lanes(std::span<const double> all, double* trouble) noexcept {
  typedef double Eight __attribute__((vector_size(8 * usual_lanes)));
  Eight sums[4]{}, number;
  const double* next = all.data();
  const double* const end = next + all.size();
  const auto add = [&](Eight& sum) {
    std::memcpy(&number, next, sizeof number);
    sum += number;
    next += usual_lanes;
  };
  while (end - next >= static_cast<std::ptrdiff_t>(4 * usual_lanes))
    for (Eight& sum : sums) add(sum);
  while (next != end) add(sums[0]);
  sums[0] = 0 * ((sums[0] + sums[1]) + (sums[2] + sums[3]));
  std::memcpy(trouble, &sums[0], sizeof sums[0]);
}

// The same built for several instruction sets, of which the processor's best is taken; the compiler is named that can
// choose.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define POLYFORM_LOOKS_BY_SETS
[[gnu::target("avx512f")]] void look_by_avx512(std::span<const double> all, double* trouble) noexcept {
  look_in_usual_lanes(all, trouble);
}
[[gnu::target("avx2")]] void look_by_avx2(std::span<const double> all, double* trouble) noexcept {
  look_in_usual_lanes(all, trouble);
}
#endif
void look_by_any(std::span<const double> all, double* trouble) noexcept { look_in_usual_lanes(all, trouble); }

decltype(&look_by_any) best_look() noexcept {
#ifdef POLYFORM_LOOKS_BY_SETS
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return look_by_avx512;
  if (__builtin_cpu_supports("avx2")) return look_by_avx2;
#endif
  return look_by_any;
}
const auto look_in_lanes = best_look();

}  // namespace

LaneSystem::LaneSystem(BatchEvaluation& batch, const IntegratorChoice& choice)
    : batch_(batch),
      choice_(choice),
      worlds_(batch.lanes()),
      counted_(batch.lanes()),
      next_lane_(batch.lanes()),
      trouble_(batch.lanes()) {}

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
      const auto* const method =
          static_cast<const BatchIntegration*>(choice_.type->query(BatchIntegration::interface_name));
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
  if (lanes == usual_lanes)
    look_in_lanes(out.ydot, trouble_.data());
  else
    look_for_numbers(out.ydot, trouble_);
  for (std::size_t k = 0; k < lanes; ++k) {
    if (in.active[k] == 0) continue;
    if (out.done[k] != 0 && trouble_[k] == 0)
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
