#include "framework/host/expressions/formula_batch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "framework/host/expressions/formula_values.hpp"

namespace polyform::host::inline expressions {

ElementInstance own_instance(const FormulaForce::Part& part, const ElementInstance& whole) {
  return {.fields = whole.fields.subspan(part.field, part.fields),
          .markers = whole.markers.subspan(part.marker, part.markers),
          .drawn = whole.drawn.subspan(part.marker, part.markers),
          .joints = whole.joints.subspan(part.joint, part.joints),
          .gravity = whole.gravity,
          .inertias = whole.inertias.subspan(part.marker, part.markers),
          .shapes = whole.shapes.subspan(part.marker, part.markers)};
}

FormulaBatch::FormulaBatch(const FormulaForce& type, Strided<const ElementInstance> instances)
    : type_(type),
      reader_(type.reader()),
      work_(std::max(reader_.size(), type.programs().values.registers())),
      inputs_(std::span(work_).first(reader_.size())),
      shown_(type.programs().outputs.registers()),
      start_states_(type.descriptor().states.size() + type.module_numbers()),
      outputs_(type.descriptor().outputs.size()),
      input_rates_(reader_.size()),
      state_rates_(type.states().size()),
      formula_events_(type.programs()),
      samplers_(type),
      limits_(type),
      cells_(type.uses().size()) {
  if (instances.size() != 1) {
    good_ = false;
    return;
  }
  const ElementInstance& whole = instances[0];
  const Program& values = type.programs().values;
  for (const FormulaForce::Use& use : type.uses())
    use_registers_.push_back(static_cast<std::uint32_t>(values.root(use.root)));
  for (std::size_t k = type.states().size(); k > 0; --k)
    rate_registers_.push_back(static_cast<std::uint32_t>(values.root(values.roots() - k)));
  values.prepare(std::span(work_));
  type.programs().outputs.prepare(std::span(shown_));
  own_.reserve(type.parts().size());
  events_ = first_own_event();
  for (const Part& part : type.parts()) add(part, whole);
  for (const Own& own : own_) {
    no_rates_.resize(std::max({no_rates_.size(), own.part.states, own.nv}));
    no_accelerations_.resize(std::max({no_accelerations_.size(), own.part.markers, own.part.joints}));
  }
  std::size_t wrong = 0;
  const std::size_t joints = own_.empty() ? 0 : own_.back().part.joint + own_.back().part.joints;
  good_ = good_ && reader_.place(whole.joints.subspan(joints), wrong);
}

/// Adds the force with cells in the place of formulas.
void FormulaBatch::add(const Part& part, const ElementInstance& whole) {
  ElementInstance instance = own_instance(part, whole);
  std::vector<FieldValue>& fields = fields_.emplace_back();
  for (const FieldValue& field : instance.fields) fields.push_back(field);
  for (std::size_t u = 0; u < cells_.size(); ++u) {
    const FormulaForce::Use& use = type_.uses()[u];
    if (use.field < part.field || use.field >= part.field + part.fields) continue;
    FieldValue& field = fields[use.field - part.field];
    const bool is_copied = std::ranges::any_of(
        functions_, [&](const std::vector<TimeFunction>& list) { return list.data() == field.functions.data(); });
    if (!is_copied) field.functions = functions_.emplace_back(field.functions.begin(), field.functions.end());
    for (std::vector<TimeFunction>& list : functions_)
      if (list.data() == field.functions.data()) follow(u, list[use.component]);
  }
  instance.fields = Strided<const FieldValue>(fields.data(), fields.size());
  Own own{.part = part, .batch = part.type->create(Strided<const ElementInstance>(&instance, 1))};
  if (own.batch == nullptr) {
    good_ = false;
    return;
  }
  own.events = ask<EventSource>(*own.batch);
  own.outputs = ask<OutputSource>(*own.batch);
  own.discrete = ask<DiscreteElement>(*own.batch);
  own.jumps = own.events == nullptr ? nullptr : ask<StateJumps>(*own.events);
  own.ending = own.events == nullptr ? nullptr : ask<RunEnding>(*own.events);
  own.q = q_;
  own.v = v_;
  own.first_event = events_;
  for (const JointShape& shape : instance.joints) {
    own.nq += shape.nq;
    own.nv += shape.nv;
  }
  q_ += own.nq;
  v_ += own.nv;
  markers_ += part.markers;
  if (own.events != nullptr) events_ += own.events->event_count();
  for (std::size_t k = own.first_event; k < events_ && type_.is_shared(); ++k) {
    EventDescription d;
    own.events->describe_event(k - own.first_event, d);
    event_names_.push_back(fmt::format("{} of `{}`", d.name, part.name));
  }
  own_.push_back(own);
}

void FormulaBatch::follow(std::size_t u, TimeFunction& function) noexcept {
  if (const auto* shifted =
          static_cast<const ShiftedFunction*>(function.source->query(ShiftedFunction::interface_name)))
    cells_[u].offset = shifted->offset;
  function.source = &cells_[u];
}

FormulaBatch::~FormulaBatch() {
  for (const Own& own : own_) own.batch->destroy();
}

ForceInput FormulaBatch::input_of(const Own& own, const ForceInput& whole) const noexcept {
  const auto slice = [](auto all, std::size_t first, std::size_t count) {
    return all.empty() ? all : all.subspan(first, count);
  };
  return {.time = whole.time,
          .markers = slice(whole.markers, own.part.marker, own.part.markers),
          .q = slice(whole.q, own.q, own.nq),
          .v = slice(whole.v, own.v, own.nv),
          .states = slice(whole.states, own.part.state, own.part.states),
          .discrete = slice(whole.discrete, own.part.discrete, own.part.discretes)};
}

/// The start of one state may read another, whose start does not read the first: otherwise their signals were a loop.
void FormulaBatch::find_started_states(const ForceInput& in, std::span<double> states) noexcept {
  for (std::size_t round = 0; round < type_.started().size(); ++round) {
    read(in);
    samplers_.start_states(inputs_, states);
  }
}

/// Samples are taken of signals that have started, and what reads samples starts with them. in: has these states.
void FormulaBatch::find_starts(const ForceInput& in, std::span<double> states) noexcept {
  find_started_states(in, states);
  read(in);
  samplers_.take_first(inputs_, states);
  if (!samplers_.empty()) find_started_states(in, states);
}

/// The markers of the bodies that formulas read.
Strided<const MarkerMotion> FormulaBatch::read_markers(const ForceInput& in) const noexcept {
  return markers_ < in.markers.size() ? in.markers.subspan(markers_) : Strided<const MarkerMotion>();
}

void FormulaBatch::read(const ForceInput& in) noexcept {
  if (reader_.reads_motion_alone() && samplers_.empty())
    return reader_.read_motion(in.time, read_markers(in), in.q.data() + q_, in.v.data() + v_, inputs_.data());
  reader_.read(in.time, read_markers(in), in.q.subspan(std::min(q_, in.q.size())),
               in.v.subspan(std::min(v_, in.v.size())), in.states, samplers_.read(in.states),
               in.discrete.first(std::min(limits_.count(), in.discrete.size())), inputs_);
  if (!type_.read_parts().empty()) read_outputs(in);
}

/// Finds the outputs that formulas read, force by force: the formulas of a force need those of the forces before it.
void FormulaBatch::read_outputs(const ForceInput& in) noexcept {
  const Program& program = type_.programs().values;
  for (const std::size_t p : type_.read_parts()) {
    const Own& own = own_[p];
    program.run(std::span(work_));
    for (std::size_t u = 0; u < cells_.size(); ++u) cells_[u].now = work_[use_registers_[u]];
    const ForceInput attachments = input_of(own, in);
    const std::span<double> values = std::span(outputs_).subspan(own.part.output, own.part.outputs);
    std::ranges::fill(values, 0.0);
    const bool has_states = attachments.states.size() == own.part.states;
    const OutputInput known{.attachments = &attachments,
                            .xdot = std::span<const double>(no_rates_).first(own.part.states),
                            .accelerations = std::span<const Spatial>(no_accelerations_).first(own.part.markers),
                            .joint_accelerations = std::span<const double>(no_rates_).first(own.nv),
                            .reactions = std::span<const Spatial>(no_accelerations_).first(own.part.joints)};
    if (own.outputs != nullptr && has_states) own.outputs->evaluate_outputs(known, values);
    reader_.read_outputs(outputs_, inputs_);
  }
}

void FormulaBatch::report(const Program& program, std::size_t root, std::span<const double> work, double t) noexcept {
  try {
    if (const auto trouble = program.trouble(root, work))
      note_trouble(*trouble, type_.texts(), t);
    else
      note_strained(program, root, work, type_.texts(), t);
  } catch (...) {  // no memory for the text
  }
}

void FormulaBatch::set_cells(double t) noexcept {
  const Program& program = type_.programs().values;
  program.run(std::span(work_));
  const double from = looked_at_from.load(std::memory_order_relaxed);
  for (std::size_t u = 0; u < cells_.size(); ++u) {
    cells_[u].now = work_[use_registers_[u]];
    if (!(std::abs(cells_[u].now) < from)) [[unlikely]]
      report(program, type_.uses()[u].root, work_, t);
  }
}

void FormulaBatch::evaluate_values(const ForceInput& in) noexcept {
  read(in);
  set_cells(in.time);
}

/// Of one force without signals: what it is attached to comes first in all that the element is attached to.
void FormulaBatch::evaluate_alone(const ForceInput& in, ForceOutput& out) noexcept {
  const Own& own = own_.front();
  ForceOutput part{.wrenches = out.wrenches.first(own.part.markers),
                   .efforts = out.efforts.first(own.nv),
                   .state_rates = out.state_rates};
  own.batch->evaluate({.time = in.time,
                       .markers = in.markers.first(own.part.markers),
                       .q = in.q.first(own.nq),
                       .v = in.v.first(own.nv),
                       .states = in.states,
                       .discrete = in.discrete},
                      part);
  out.potential_energy += part.potential_energy;
  out.power += part.power;
}

void FormulaBatch::evaluate(const ForceInput& in, ForceOutput& out) noexcept {
  read(in);
  set_cells(in.time);
  if (own_.size() == 1 && !type_.is_shared()) return evaluate_alone(in, out);
  const Program& program = type_.programs().values;
  const std::size_t own_states = rate_registers_.size(), first = program.roots() - own_states;
  for (std::size_t k = 0; k < own_states; ++k) {
    const double rate = work_[rate_registers_[k]];
    if (!(std::abs(rate) < looked_at_from.load(std::memory_order_relaxed))) [[unlikely]]
      report(program, first + k, work_, in.time);
    out.state_rates[k] = rate;
  }
  const std::span<double> of_samples = out.state_rates.subspan(own_states, type_.samples().size());
  std::ranges::fill(of_samples, 0.0);
  if (!samplers_.empty() && samplers_follow.load(std::memory_order_relaxed)) [[unlikely]]
    samplers_.follow(inputs_, of_samples);
  for (const Own& own : own_) {
    ForceOutput part{.wrenches = out.wrenches.subspan(own.part.marker, own.part.markers),
                     .efforts = out.efforts.subspan(own.v, own.nv),
                     .state_rates = out.state_rates.subspan(own.part.state, own.part.states)};
    own.batch->evaluate(input_of(own, in), part);
    out.potential_energy += part.potential_energy;
    out.power += part.power;
  }
}

void FormulaBatch::initial_states(std::span<double> x) const noexcept {
  for (std::size_t k = 0; k < type_.states().size(); ++k) x[k] = type_.states()[k].initial;
  for (std::size_t k = 0; k < type_.samples().size(); ++k) x[type_.states().size() + k] = type_.samples()[k].initial;
  for (const Own& own : own_) own.batch->initial_states(x.subspan(own.part.state, own.part.states));
}

void* FormulaBatch::query(std::string_view asked) noexcept {
  const auto any = [&](auto member) {
    return std::ranges::any_of(own_, [&](const Own& o) { return o.*member != nullptr; });
  };
  if (asked == EventSource::interface_name)
    return events_ > 0 || type_.programs().schedule.functions.roots() > 0 || type_.shortest_time() < never ||
                   any(&Own::events)
               ? static_cast<EventSource*>(this)
               : nullptr;
  if (asked == ClockSource::interface_name)
    return events_ == 0 && !any(&Own::events) ? static_cast<ClockSource*>(this) : nullptr;
  if (asked == RunEnding::interface_name) return any(&Own::ending) ? static_cast<RunEnding*>(this) : nullptr;
  if (asked == PoleSource::interface_name) return static_cast<PoleSource*>(this);
  if (asked == ReachSource::interface_name) return static_cast<ReachSource*>(this);
  if (asked == LimitSource::interface_name) return limits_.count() > 0 ? static_cast<LimitSource*>(this) : nullptr;
  if (asked == OutputSource::interface_name)
    return type_.descriptor().outputs.empty() ? nullptr : static_cast<OutputSource*>(this);
  if (asked == DiscreteElement::interface_name)
    return any(&Own::discrete) || limits_.count() > 0 ? static_cast<DiscreteElement*>(this) : nullptr;
  if (asked == StateJumps::interface_name)
    return any(&Own::jumps) || !samplers_.empty() || limits_.count() > 0 ? static_cast<StateJumps*>(this) : nullptr;
  if (asked == InitialStates::interface_name || asked == DiscreteAtStart::interface_name) {
    const bool given = std::ranges::any_of(own_, [&](const Own& o) { return o.batch->query(asked) != nullptr; });
    const bool own =
        asked == DiscreteAtStart::interface_name ? limits_.count() > 0 : !samplers_.empty() || !type_.started().empty();
    if (!given && !own) return nullptr;
    return asked == InitialStates::interface_name ? static_cast<void*>(static_cast<InitialStates*>(this))
                                                  : static_cast<void*>(static_cast<DiscreteAtStart*>(this));
  }
  return nullptr;
}

void FormulaBatch::evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept {
  const ForceInput& at = *in.attachments;
  read(at);
  set_cells(at.time);
  const Program& outputs = type_.programs().outputs;
  std::ranges::copy(inputs_, shown_.begin());
  outputs.run(std::span(shown_));
  for (std::size_t k = 0; k < outputs.roots(); ++k) {
    values[k] = shown_[outputs.root(k)];
    if (!std::isfinite(values[k])) [[unlikely]]
      report(outputs, k, shown_, at.time);
  }
  for (const Own& own : own_) {
    if (own.outputs == nullptr || own.part.outputs == 0) continue;
    const ForceInput attachments = input_of(own, at);
    const auto slice = [](auto all, std::size_t first, std::size_t count) {
      return all.size() < first + count ? decltype(all){} : all.subspan(first, count);
    };
    const OutputInput part{.attachments = &attachments,
                           .xdot = slice(in.xdot, own.part.state, own.part.states),
                           .accelerations = slice(in.accelerations, own.part.marker, own.part.markers),
                           .joint_accelerations = slice(in.joint_accelerations, own.v, own.nv),
                           .reactions = slice(in.reactions, own.part.joint, own.part.joints)};
    own.outputs->evaluate_outputs(part, values.subspan(own.part.output, own.part.outputs));
  }
}

void FormulaBatch::initial_values(std::span<std::int32_t> values) const noexcept {
  std::ranges::fill(values.first(limits_.count()), static_cast<std::int32_t>(LimitMode::within));
  for (const Own& own : own_)
    if (own.discrete != nullptr) own.discrete->initial_values(values.subspan(own.part.discrete, own.part.discretes));
}

void FormulaBatch::states_at_start(const ForceInput& start, std::span<double>, std::span<double> x) noexcept {
  ForceInput with_states = start;
  with_states.states = x;
  find_starts(with_states, x);
  for (const Own& own : own_) {
    auto* const states = ask<InitialStates>(*own.batch);
    if (states == nullptr) continue;
    read(with_states);  // its formulas may read what the forces before it have begun with
    set_cells(start.time);
    ForceInput input = input_of(own, start);
    input.states = {};
    states->states_at_start(input, {}, x.subspan(own.part.state, own.part.states));
  }
}

void FormulaBatch::values_at_start(const ForceInput& start, std::span<std::int32_t> values) noexcept {
  std::vector<double>& x = start_states_;
  initial_states(x);
  if (!start.states.empty()) std::ranges::copy(start.states, x.begin());
  ForceInput with_states = start;
  with_states.states = x;
  find_starts(with_states, x);
  read(with_states);
  limits_.run(inputs_);
  limits_.modes_at_start(values);
  set_cells(start.time);
  for (const Own& own : own_)
    if (auto* const given = ask<DiscreteAtStart>(*own.batch))
      given->values_at_start(input_of(own, start), values.subspan(own.part.discrete, own.part.discretes));
}

}  // namespace polyform::host::inline expressions
