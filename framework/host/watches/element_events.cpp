#include "framework/host/watches/element_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <type_traits>
#include <utility>

#include "framework/diagnostics.hpp"
#include "framework/host/evaluation/own_batch.hpp"
#include "framework/host/evaluation/solver_failure.hpp"
#include "framework/host/evaluation/state_encoding.hpp"
#include "framework/host/evaluation/state_motion.hpp"
#include "framework/host/expressions/approach.hpp"
#include "framework/host/expressions/clock_source.hpp"
#include "framework/host/expressions/poles.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::host::inline watches {

struct ElementEvents::Motion : StateMotion {
  using StateMotion::StateMotion;
};

ElementEvents::ElementEvents(const SystemView& view, Solver& solver) : solver_(solver) {
  for (const ForceInstances& group : view.forces) add(view, group);
  for (const ConstraintInstances& group : view.constraints) add(view, group);
  for (const ModuleInstances& group : view.modules) add(view, group);
  sources_.insert(sources_.end(), clocks_.begin(), clocks_.end());
  if (empty()) return;
  motion_ = std::make_unique<Motion>(view);
  if (const auto* state = ask<DiscreteState>(solver)) all_discrete_.resize(state->values().size());
  find_carriers(view);
}

ElementEvents::~ElementEvents() = default;

template <class Group>
void ElementEvents::add(const SystemView& view, const Group& group) {
  auto [batch, object] = make_own_batch(group);
  auto* events = ask<EventSource>(*batch);
  if (events == nullptr) return;
  if (ask<expressions::ClockSource>(*batch) != nullptr) {
    clocks_.push_back({events, group.type->name(), group.names});
    clock_batches_.push_back(std::move(object));
    return;
  }
  Batch b{.attached = std::make_unique<Attachments>(view, group.instances, group.joints),
          .joints = group.joints,
          .events = events,
          .first = descriptions_.size(),
          .count = events->event_count(),
          .discrete = group.discrete_offset,
          .discrete_count = group.type->descriptor().discrete.size() * group.instances.size(),
          .element = ask<DiscreteElement>(*batch),
          .jumps = ask<StateJumps>(*events),
          .ending = ask<RunEnding>(*events),
          .step_endings = ask<StepEndings>(*events),
          .limits = ask<LimitSource>(*batch),
          .validity = ask<LawValidity>(*events),
          .object = std::move(object)};
  if (b.limits != nullptr) {
    b.noted.resize(b.limits->limit_count());
    b.inputs_before.resize(b.limits->input_count());
    b.input_rates.resize(b.limits->input_count());
  }
  const std::size_t instances = group.instances.size();
  if constexpr (std::is_same_v<Group, ForceInstances>) {
    b.states = group.state_offset;
    b.state_count = group.type->state_count() * instances;
    jumped_.resize(std::max(jumped_.size(), b.state_count));
  } else if constexpr (std::is_same_v<Group, ModuleInstances>) {
    b.u = group.state_offset;
    b.u_count = group.type->variables().size() * instances;
    b.x = b.u + b.u_count;
    b.x_count = group.type->states().size() * instances;
    b.states = b.x;
    b.state_count = b.x_count;
    jumped_.resize(std::max(jumped_.size(), b.state_count));
  }
  for (std::size_t k = 0; k < b.count; ++k) {
    EventDescription d;
    events->describe_event(k, d);
    descriptions_.push_back({std::string(d.instance < instances ? group.names[d.instance] : group.type->name()),
                             std::string(d.name), batches_.size(), d.crossing});
  }
  sources_.push_back({events, group.type->name(), group.names});
  batches_.push_back(std::move(b));
}

void ElementEvents::find_carriers(const SystemView& view) {
  std::vector<bool> carries(view.bodies.size());
  const auto mark = [&](BodyIndex body) {
    for (; !is_ground(body) && !carries[at(body)]; body = view.joints[at(body)].inboard()) carries[at(body)] = true;
  };
  for (const Batch& b : batches_) {
    if (b.count == 0) continue;
    for (const Marker& marker : b.attached->markers()) mark(marker.body);
    for (const JointIndex j : b.joints) mark(view.joints[at(j)].base), mark(view.joints[at(j)].moving);
  }
  for (std::size_t i = 0; i < carries.size(); ++i)
    if (carries[i]) carriers_.push_back(i);
}

std::vector<std::size_t> ElementEvents::kinds() const {
  std::vector<std::size_t> kinds;
  std::map<std::pair<std::size_t, std::string_view>, std::size_t> known;
  for (std::size_t k = 0; k < descriptions_.size(); ++k)
    kinds.push_back(known.try_emplace({descriptions_[k].batch, descriptions_[k].event}, k).first->second);
  return kinds;
}

std::vector<ElementEvents::LawSource> ElementEvents::law_sources() const {
  std::vector<LawSource> all;
  for (std::size_t k = 0; k < batches_.size(); ++k)
    if (batches_[k].validity != nullptr)
      all.push_back({batches_[k].validity, sources_[k], batches_[k].attached->markers()});
  return all;
}

double ElementEvents::turning() const {
  double fastest = 0;
  for (const std::size_t i : carriers_) {
    const Vec3& omega = motion_->tree.bodies()[i].V.angular;
    fastest = std::max(fastest, dot(omega, omega));
  }
  return std::sqrt(fastest);
}

double ElementEvents::longest_step(std::size_t event, double value, double rate) const {
  return ask<ReachSource>(*batch_of(event).events)->longest_step(place_in_batch(event), value, rate);
}

double ElementEvents::size_at_pole(std::size_t event) const {
  return ask<PoleSource>(*batch_of(event).events)->size_at_pole(place_in_batch(event));
}

std::optional<std::size_t> ElementEvents::hypotenuse_of(std::size_t event) const {
  const auto place = ask<PoleSource>(*batch_of(event).events)->hypotenuse_of(place_in_batch(event));
  return place ? std::optional(batch_of(event).first + *place) : std::nullopt;
}

void ElementEvents::note_pole(std::size_t event, double t) const {
  ask<PoleSource>(*batch_of(event).events)->note_pole(place_in_batch(event), t);
}

std::string ElementEvents::name_of(std::size_t event) const {
  return fmt::format("`{}` ({})", descriptions_[event].element, descriptions_[event].event);
}

double ElementEvents::evaluate(double t, std::span<const double> y, std::span<double> values, std::span<double> rates) {
  if (solver_.decode(y, motion_->state()) != Status::ok) fail_solver(t, solver_.failure());
  time_ = t;
  for (Batch& b : batches_) {
    if (b.limits == nullptr) continue;
    y_.assign(y.begin(), y.end());
    if (b.limits->needs_rates(std::span(motion_->discrete).subspan(b.discrete, b.discrete_count)))
      find_rates_at_limits(b);
  }
  return evaluate_here(t, values, rates);
}

/// Central differences along the derivative of the state vector, in which accelerations are. What formulas read is
/// smooth there, though they may jump.
void ElementEvents::find_rates_at_limits(Batch& b) {
  constexpr double distance = 1e-6, share_of_time = 1e-9;
  const double h = std::max(distance, share_of_time * std::abs(time_));
  ydot_.resize(y_.size());
  moved_.resize(y_.size());
  const auto beside = [&](double by, std::span<double> out) {
    for (std::size_t i = 0; i < y_.size(); ++i) moved_[i] = y_[i] + by * ydot_[i];
    if (solver_.decode(moved_, motion_->state()) != Status::ok) return false;
    const double now = std::exchange(time_, time_ + by);
    motion_->tree.evaluate(motion_->q.data(), motion_->v.data(), motion_->eta.data(), motion_->etadot.data());
    b.attached->gather(motion_->tree.frames(), motion_->q, motion_->v);
    const ForceInput attachments = attachments_of(b);
    b.limits->read_inputs(input_of(b, attachments), out);
    time_ = now;  // to the last digit: a function of time may jump there
    return true;
  };
  const bool good = !y_.empty() && solver_.derivative(time_, y_, ydot_) == Status::ok && beside(-h, b.inputs_before) &&
                    beside(h, b.input_rates);
  for (std::size_t k = 0; k < b.input_rates.size(); ++k)
    b.input_rates[k] =
        good ? (b.input_rates[k] - b.inputs_before[k]) / (2 * h) : std::numeric_limits<double>::quiet_NaN();
  b.limits->take_rates(b.input_rates);
  if (!y_.empty()) stand_at_y(b);
}

/// Makes the motion that of y_.
void ElementEvents::stand_at_y(const Batch& b) {
  solver_.decode(y_, motion_->state());
  motion_->tree.evaluate(motion_->q.data(), motion_->v.data(), motion_->eta.data(), motion_->etadot.data());
  b.attached->gather(motion_->tree.frames(), motion_->q, motion_->v);
}

double ElementEvents::evaluate(double t, const ConstStateView& state, std::span<double> values,
                               std::span<double> rates) {
  std::ranges::copy(state.q, motion_->q.begin());
  std::ranges::copy(state.v, motion_->v.begin());
  std::ranges::copy(state.eta, motion_->eta.begin());
  std::ranges::copy(state.etadot, motion_->etadot.begin());
  std::ranges::copy(state.x, motion_->x.begin());
  std::ranges::copy(state.discrete, motion_->discrete.begin());
  return evaluate_here(t, values, rates);
}

double ElementEvents::evaluate_here(double t, std::span<double> values, std::span<double> rates) {
  time_ = t;
  motion_->tree.evaluate(motion_->q.data(), motion_->v.data(), motion_->eta.data(), motion_->etadot.data());
  std::ranges::fill(rates, std::numeric_limits<double>::quiet_NaN());
  double guard = never;
  guarding_ = sources_.size();
  for (Batch& b : batches_) {
    b.attached->gather(motion_->tree.frames(), motion_->q, motion_->v);
    const ForceInput attachments = attachments_of(b);
    EventOutput out;
    out.values = values.subspan(b.first, b.count);
    out.rates = rates.subspan(b.first, b.count);
    b.events->evaluate_events(input_of(b, attachments), out);
    if (out.guard >= guard) continue;
    guarding_ = static_cast<std::size_t>(&b - batches_.data());
    if (std::isnan(out.guard))
      throw Failure(Exit::simulation_failed,
                    fmt::format("the guard of {} is no number at t = {:.9g} s", guarding(), time_),
                    "Report this to the author of the element: a guard is a time in s, or infinity.");
    guard = out.guard;
  }
  return guard;
}

std::string ElementEvents::guarding() const {
  if (guarding_ >= sources_.size()) return {};
  const Source& source = sources_[guarding_];
  return source.names.size() == 1 ? fmt::format("`{}` ({})", source.names[0], source.type)
                                  : fmt::format("one of the elements of type {}", source.type);
}

ForceInput ElementEvents::attachments_of(const Batch& b) const {
  return b.attached->input(time_, std::span(motion_->discrete).subspan(b.discrete, b.discrete_count),
                           std::span(motion_->x).subspan(b.states, b.state_count));
}

EventInput ElementEvents::input_of(const Batch& b, const ForceInput& attachments) const {
  EventInput in;
  in.attachments = &attachments;
  in.u = std::span(motion_->x).subspan(b.u, b.u_count);
  in.x = std::span(motion_->x).subspan(b.x, b.x_count);
  return in;
}

bool ElementEvents::has_changes() const {
  return std::ranges::any_of(
      batches_, [](const Batch& b) { return b.discrete_count > 0 || b.jumps != nullptr || b.ending != nullptr; });
}

bool ElementEvents::pass(std::size_t event, bool rising) {
  Batch& b = batches_[descriptions_[event].batch];
  if (is_of_limits(event)) find_rates_at_limits(b);
  const ForceInput attachments = attachments_of(b);
  const bool changed = pass_discrete(b, event, rising, attachments);
  const bool jumped = jump_states(b, event, rising, attachments);
  if (b.ending != nullptr && b.ending->ends_run(event - b.first)) ended_by_ = name_of(event);
  return jumped || changed;
}

bool ElementEvents::pass_discrete(const Batch& b, std::size_t event, bool rising, const ForceInput& attachments) {
  if (b.element == nullptr || b.discrete_count == 0) return false;
  std::ranges::copy(ask<DiscreteState>(solver_)->values(), all_discrete_.begin());
  const std::span<std::int32_t> values = std::span(all_discrete_).subspan(b.discrete, b.discrete_count);
  b.element->pass_event(event - b.first, rising, input_of(b, attachments), values);
  return set_discrete(b, values, name_of(event));
}

/// values: those of the batch in all_discrete_.
bool ElementEvents::set_discrete(const Batch& b, std::span<const std::int32_t> values, const std::string& whose) {
  const std::span<std::int32_t> known = std::span(motion_->discrete).subspan(b.discrete, b.discrete_count);
  if (std::ranges::equal(values, known)) return false;
  if (ask<DiscreteState>(solver_)->set(all_discrete_) != Status::ok)
    throw Failure(
        Exit::simulation_failed,
        fmt::format("{} gives itself a discrete state that its type does not name, at t = {:.9g} s", whose, time_),
        "Report this to the author of the element.");
  std::ranges::copy(values, known.begin());
  return true;
}

bool ElementEvents::is_beside_limits(std::size_t k) const { return batches_[descriptions_[k].batch].limits != nullptr; }

bool ElementEvents::is_of_limits(std::size_t event) const {
  const Batch& b = batches_[descriptions_[event].batch];
  return is_beside_limits(event) && b.limits->is_of_limits(event - b.first);
}

void ElementEvents::note_limits() {
  for (Batch& b : batches_) {
    if (b.limits == nullptr) continue;
    b.noted_at = time_;
    const ForceInput attachments = attachments_of(b);
    b.limits->evaluate_limits(input_of(b, attachments), b.noted);
  }
}

bool ElementEvents::choose_limits() {
  bool changed = false;
  for (Batch& b : batches_)
    if (b.limits != nullptr) changed = choose_limits(b) || changed;
  return changed;
}

/// The mode of one limit changes the rates of what reads its signal: then the others are looked at again.
bool ElementEvents::choose_limits(Batch& b) {
  bool changed = settle_integrals(b);
  for (std::size_t round = 0; round <= b.limits->limit_count(); ++round) {
    find_rates_at_limits(b);
    const ForceInput attachments = attachments_of(b);
    std::ranges::copy(ask<DiscreteState>(solver_)->values(), all_discrete_.begin());
    const std::span<std::int32_t> modes = std::span(all_discrete_).subspan(b.discrete, b.discrete_count);
    b.limits->choose_modes(input_of(b, attachments), b.noted, time_ - b.noted_at, modes);
    if (!set_discrete(b, modes, "a limit")) break;
    changed = true;
  }
  return changed;
}

bool ElementEvents::settle_integrals(Batch& b) {
  const ForceInput attachments = attachments_of(b);
  const std::span<double> states = std::span(jumped_).first(b.state_count);
  std::ranges::copy(attachments.states, states.begin());
  b.limits->settle_integrals(b.noted, attachments.discrete, states);
  return !std::ranges::equal(states, attachments.states) && take_jumped(b, states, "a limit");
}

bool ElementEvents::jump_states(const Batch& b, std::size_t event, bool rising, const ForceInput& attachments) {
  if (b.jumps == nullptr || b.state_count == 0) return false;
  const std::span<double> states = std::span(jumped_).first(b.state_count);
  std::ranges::copy(attachments.states, states.begin());
  b.jumps->jump_states(event - b.first, rising, input_of(b, attachments), states);
  return !std::ranges::equal(states, attachments.states) && take_jumped(b, states, name_of(event));
}

bool ElementEvents::take_jumped(const Batch& b, std::span<const double> states, const std::string& whose) {
  if (!std::ranges::all_of(states, [](double x) { return std::isfinite(x); }))
    throw Failure(Exit::simulation_failed,
                  fmt::format("{} gives itself a state that is no number, at t = {:.9g} s", whose, time_),
                  "Report this to the author of the element.");
  std::ranges::copy(states, motion_->x.begin() + static_cast<std::ptrdiff_t>(b.states));
  if (!y_.empty()) encode(y_);
  return has_jumped_ = true;
}

bool ElementEvents::ends_steps() const {
  return std::ranges::any_of(batches_, [](const Batch& b) { return b.step_endings != nullptr; });
}

bool ElementEvents::end_step() {
  bool changed = false;
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    const Batch& b = batches_[i];
    if (b.step_endings == nullptr) continue;
    const ForceInput attachments = attachments_of(b);
    const std::span<double> states = std::span(jumped_).first(b.state_count);
    std::ranges::copy(attachments.states, states.begin());
    const Source& source = sources_[i];
    const auto whose = [&] { return fmt::format("`{}` ({})", source.names[0], source.type); };
    if (b.step_endings->end_step(input_of(b, attachments), states)) changed = take_jumped(b, states, whose());
    for (std::size_t k = 0; b.ending != nullptr && k < b.count; ++k)
      if (b.ending->ends_run(k)) ended_by_ = name_of(b.first + k);
  }
  return changed;
}

void ElementEvents::store(std::span<double> y) {
  if (std::exchange(has_jumped_, false)) encode(y);
}

void ElementEvents::encode(std::span<double> y) {
  if (encode_at(time_, solver_, as_const(motion_->state()), y) != Status::ok) fail_solver(time_, solver_.failure());
}

}  // namespace polyform::host::watches
