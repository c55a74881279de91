#include "lanes.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace polyform::runge_kutta {

Status Lane::start(double t, std::span<const double> y) noexcept {
  given_up = 0;
  result.reset();
  std::ranges::copy(y, now.begin());
  begin = end = t;
  batch_.start(number_, t);
  return Status::ok;
}

Status Lane::restart(double t, std::span<const double> y, double first_step) noexcept {
  result.reset();
  if (y.data() != now.data()) std::ranges::copy(y, now.begin());
  begin = end = t;
  batch_.restart(number_, t, first_step);
  return Status::ok;
}

Status Lane::step(double t_limit) noexcept {
  if (!result) return batch_.step_alone(number_, t_limit);
  if (*std::exchange(result, std::nullopt) != LaneStep::done) return Status::failed;
  begin = std::exchange(end, next_end);
  now.swap(next);
  return Status::ok;
}

Status Lane::state_at(double t, std::span<double> y) noexcept { return batch_.interpolate(number_, t, y); }

LaneBatch::LaneBatch(BatchSystem& system)
    : system_(system),
      size_(system.world(0).size()),
      steps_(system.lanes()),
      done_(system.lanes()),
      limits_(system.lanes()),
      results_(system.lanes()) {
  lanes_.reserve(system.lanes());
  for (std::size_t k = 0; k < system.lanes(); ++k) lanes_.emplace_back(*this, k, size_);
}

void LaneBatch::step(std::span<const double> t_limit, std::span<LaneStep> out) noexcept {
  bool any = false;
  for (std::size_t k = 0; k < lanes(); ++k) {
    steps_[k] = t_limit[k] > lanes_[k].end && !lanes_[k].result ? 1 : 0;
    any = any || steps_[k] != 0;
  }
  if (any) try_steps(t_limit);
  for (std::size_t k = 0; k < lanes(); ++k)
    out[k] = steps_[k] == 0 ? LaneStep::none : lanes_[k].result.value_or(LaneStep::repeated);
}

Status LaneBatch::step_alone(std::size_t lane, double t_limit) noexcept {
  for (std::size_t k = 0; k < lanes(); ++k) limits_[k] = k == lane ? t_limit : lanes_[k].end;
  do step(limits_, results_);
  while (results_[lane] == LaneStep::repeated);
  return lanes_[lane].step(t_limit);
}

void LaneBatch::put(std::size_t lane, std::span<const double> from, LaneNumbers& to) const noexcept {
  for (std::size_t i = 0; i < size_; ++i) to[at(i, lane)] = from[i];
}

bool LaneBatch::put_changed(std::size_t lane, std::span<const double> from, const LaneNumbers& before,
                            LaneNumbers& to) const noexcept {
  const std::size_t stride = lanes_.size();
  const double* old = before.data() + lane;
  double* place = to.data() + lane;
  std::uint64_t changed = 0;  // without a branch
  for (const double number : from) {
    changed |= std::bit_cast<std::uint64_t>(number) ^ std::bit_cast<std::uint64_t>(*old);
    *place = number;
    old += stride;
    place += stride;
  }
  return changed != 0;
}

void LaneBatch::get(std::size_t lane, const LaneNumbers& from, std::span<double> to) const noexcept {
  const std::size_t stride = lanes_.size();
  const double* place = from.data() + lane;
  for (double& number : to) {
    number = *place;
    place += stride;
  }
}

void LaneBatch::copy(std::size_t lane, const LaneNumbers& from, LaneNumbers& to) const noexcept {
  for (std::size_t i = lane; i < from.size(); i += lanes()) to[i] = from[i];
}

void LaneBatch::find_rates(std::span<const std::uint8_t> active, std::span<const double> t, const LaneNumbers& y,
                           LaneNumbers& rates) noexcept {
  BatchOutput out{.ydot = rates, .done = done_};
  system_.derivatives({.t = t, .y = y, .active = active}, out);
}

void LaneBatch::fail(std::size_t lane, std::string_view why, StepFailure kind) noexcept {
  lanes_[lane].why.say(why);
  lanes_[lane].failed = kind;
  lanes_[lane].result = LaneStep::failed;
}

void LaneBatch::finish(std::size_t lane, double end) noexcept {
  lanes_[lane].next_end = end;
  lanes_[lane].result = LaneStep::done;
}

}  // namespace polyform::runge_kutta
