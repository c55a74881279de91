#include <algorithm>
#include <cmath>

#include "framework/host/expressions/formula_batch.hpp"
#include "framework/host/expressions/next_root.hpp"

namespace polyform::host::inline expressions {

void FormulaBatch::describe_event(std::size_t k, EventDescription& out) const noexcept {
  if (k < first_clock()) return formula_events_.describe(k, out);
  if (k < first_limit()) {
    out.name = "sampling";
    return;
  }
  if (k < first_own_event()) return limits_.describe(k - first_limit(), out);
  const Own* const own = owner_of(k);
  if (own == nullptr) return;
  own->events->describe_event(k - own->first_event, out);
  out.instance = 0;
  if (!event_names_.empty()) out.name = event_names_[k - first_own_event()];
}

const FormulaBatch::Own* FormulaBatch::owner_of(std::size_t k) const noexcept {
  for (const Own& own : own_)
    if (own.events != nullptr && k >= own.first_event && k < own.first_event + own.events->event_count()) return &own;
  return nullptr;
}

/// The rates of what the formulas read, after the values have been computed.
void FormulaBatch::find_rates(const ForceInput& at) noexcept {
  for (std::size_t k = 0; k < state_rates_.size(); ++k) state_rates_[k] = work_[rate_registers_[k]];
  reader_.rates(read_markers(at), at.v.subspan(std::min(v_, at.v.size())), state_rates_, input_rates_);
}

void FormulaBatch::evaluate_events(const EventInput& in, EventOutput& out) noexcept {
  const ForceInput& at = *in.attachments;
  read(at);
  set_cells(at.time);
  if (first_own_event() > 0) find_rates(at);
  formula_events_.evaluate(inputs_, input_rates_, out);
  samplers_.evaluate_events(at.time, out, first_clock());
  if (limits_.count() > 0) {
    limits_.run(inputs_);
    limits_.evaluate_events(at.time, at.discrete, out, first_limit());
  }
  for (const Own& own : own_) {
    if (own.events == nullptr) continue;
    const ForceInput attachments = input_of(own, at);
    const EventInput input{.attachments = &attachments};
    EventOutput part;
    part.values = out.values.subspan(own.first_event, own.events->event_count());
    part.rates = out.rates.subspan(own.first_event, own.events->event_count());
    own.events->evaluate_events(input, part);
    out.guard = std::min(out.guard, part.guard);
  }
}

void FormulaBatch::read_inputs(const EventInput& in, std::span<double> inputs) noexcept {
  read(*in.attachments);
  std::ranges::copy(inputs_, inputs.begin());
}

void FormulaBatch::evaluate_limits(const EventInput& in, std::span<LimitNumbers> numbers) noexcept {
  read(*in.attachments);
  limits_.run(inputs_);
  limits_.evaluate(in.attachments->discrete, numbers);
}

void FormulaBatch::choose_modes(const EventInput& in, std::span<const LimitNumbers> before, double elapsed,
                                std::span<std::int32_t> modes) noexcept {
  read(*in.attachments);
  limits_.run(inputs_);
  limits_.choose(before, elapsed, modes);
}

double FormulaBatch::size_at_pole(std::size_t event) const noexcept {
  double size = 0;
  for (const std::uint32_t k : type_.programs().poles.all[event].values)
    size = std::max(size, std::abs(work_[type_.programs().values.root(k)]));
  return size;
}

void FormulaBatch::note_pole(std::size_t event, double t) const noexcept {
  try {
    note_trouble(Trouble{divided_by_zero, type_.programs().poles.all[event].place}, type_.texts(), t);
  } catch (...) {  // no memory for the text
  }
}

double FormulaBatch::next_knot(double t) const noexcept {
  double next = next_root(type_.programs().schedule, t);
  for (const Own& own : own_)
    if (own.events != nullptr) next = std::min(next, own.events->next_knot(t));
  return next;
}

double FormulaBatch::shortest_time(std::size_t) const noexcept {
  double shortest = type_.shortest_time();
  for (const Own& own : own_)
    if (own.events != nullptr) shortest = std::min(shortest, own.events->shortest_time(0));
  return shortest;
}

void FormulaBatch::pass_event(std::size_t k, bool rising, const EventInput& in,
                              std::span<std::int32_t> values) noexcept {
  if (k >= first_limit() && k < first_own_event()) {
    read(*in.attachments);
    limits_.run(inputs_);
    return limits_.pass(k - first_limit(), rising, values);
  }
  const Own* const own = owner_of(k);
  if (own == nullptr || own->discrete == nullptr) return;
  read(*in.attachments);
  set_cells(in.attachments->time);
  const ForceInput attachments = input_of(*own, *in.attachments);
  const EventInput input{.attachments = &attachments};
  own->discrete->pass_event(k - own->first_event, rising, input,
                            values.subspan(own->part.discrete, own->part.discretes));
}

bool FormulaBatch::ends_run(std::size_t k) const noexcept {
  const Own* const own = owner_of(k);
  return own != nullptr && own->ending != nullptr && own->ending->ends_run(k - own->first_event);
}

void FormulaBatch::jump_states(std::size_t k, bool rising, const EventInput& in, std::span<double> states) noexcept {
  if (k >= first_limit() && k < first_own_event()) {
    read(*in.attachments);
    limits_.run(inputs_);
    return limits_.jump(k - first_limit(), states);
  }
  if (k >= first_clock() && k < first_limit()) {
    read(*in.attachments);
    return samplers_.take(k - first_clock(), in.attachments->time, inputs_, states);
  }
  const Own* const own = owner_of(k);
  if (own == nullptr || own->jumps == nullptr) return;
  read(*in.attachments);
  set_cells(in.attachments->time);
  const ForceInput attachments = input_of(*own, *in.attachments);
  const EventInput input{.attachments = &attachments};
  own->jumps->jump_states(k - own->first_event, rising, input, states.subspan(own->part.state, own->part.states));
}

}  // namespace polyform::host::inline expressions
