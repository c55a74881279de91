#include "framework/host/expressions/formula_module_batch.hpp"

#include <algorithm>
#include <new>

namespace polyform::host::inline expressions {

namespace {

/// The numbers behind the first ones; none of an empty span, which stands for "not known".
template <class Span>
Span rest(Span all, std::size_t first) {
  return all.empty() ? all : all.subspan(first);
}
template <class Span>
Span first_of(Span all, std::size_t count) {
  return all.empty() ? all : all.first(count);
}

ElementInstance with_fields(ElementInstance instance, const std::vector<FieldValue>& fields) {
  instance.fields = Strided<const FieldValue>(fields.data(), fields.size());
  return instance;
}

}  // namespace

FormulaModuleBatch::FormulaModuleBatch(const FormulaModule& type, const ElementInstance& whole)
    : type_(type), instance_(type.formulas_of(whole)), formulas_(type.formulas(), {&instance_, 1}) {
  if (!formulas_.good()) throw std::bad_alloc();
  const TypeDescriptor& told = type.formulas().descriptor();
  own_ = {.markers = instance_.markers.size(),
          .joints = instance_.joints.size(),
          .states = told.states.size(),
          .outputs = told.outputs.size(),
          .discrete = told.discrete.size()};
  for (const JointShape& shape : instance_.joints) {
    own_.q += shape.nq;
    own_.v += shape.nv;
  }
  const ElementInstance modules = type.modules_of(whole);
  const std::size_t rows = type.modules().rows().size();
  std::size_t velocities = 0;
  for (const JointShape& shape : modules.joints) velocities += shape.nv;
  B_.resize(rows * velocities);
  C_.resize(rows * modules.markers.size());
  numbers_.resize(type.variables().size() + type.states().size());
  formula_events_ = formulas_.event_count();
  modules_ = make_modules(modules);
  if (modules_ == nullptr) throw std::bad_alloc();
  events_ = ask<EventSource>(*modules_);
  module_outputs_ = ask<OutputSource>(*modules_);
  discrete_ = ask<DiscreteElement>(*modules_);
  if (events_ != nullptr) module_events_ = events_->event_count();
}

FormulaModuleBatch::~FormulaModuleBatch() {
  if (modules_ != nullptr) modules_->destroy();
}

/// Makes the modules, with cells in the place of formulas.
ModuleBatch* FormulaModuleBatch::make_modules(const ElementInstance& modules) {
  for (const FieldValue& field : modules.fields) fields_.push_back(field);
  const std::size_t first = type_.formulas().fields().size();
  std::vector<std::vector<TimeFunction>*> copies(fields_.size());
  for (std::size_t u = 0; u < type_.formulas().uses().size(); ++u) {
    const FormulaForce::Use& use = type_.formulas().uses()[u];
    if (use.field < first) continue;
    FieldValue& field = fields_[use.field - first];
    std::vector<TimeFunction>*& copy = copies[use.field - first];
    if (copy == nullptr) copy = &functions_.emplace_back(field.functions.begin(), field.functions.end());
    formulas_.follow(u, (*copy)[use.component]);
    field.functions = *copy;
  }
  const ElementInstance own = with_fields(modules, fields_);
  return type_.modules().create({&own, 1});
}

ForceInput FormulaModuleBatch::to_formulas(const ForceInput& in, std::span<const double> u,
                                           std::span<const double> x) noexcept {
  auto next = std::copy_n(x.begin(), own_.states, numbers_.begin());
  next = std::ranges::copy(u, next).out;
  std::ranges::copy(x.subspan(own_.states), next);
  return {.time = in.time,
          .markers = in.markers.subspan(0, own_.markers),
          .q = in.q.first(own_.q),
          .v = in.v.first(own_.v),
          .states = numbers_,
          .discrete = first_of(in.discrete, own_.discrete)};
}

ForceInput FormulaModuleBatch::to_modules(const ForceInput& in) const noexcept {
  return {.time = in.time,
          .markers = in.markers.subspan(own_.markers, in.markers.size() - own_.markers),
          .q = in.q.subspan(own_.q),
          .v = in.v.subspan(own_.v),
          .discrete = rest(in.discrete, own_.discrete)};
}

void FormulaModuleBatch::evaluate(const ModuleInput& in, ModuleOutput& out) noexcept {
  ForceOutput of_formulas{.wrenches = out.wrenches.first(own_.markers),
                          .efforts = out.efforts.first(own_.v),
                          .state_rates = out.xdot.first(own_.states)};
  formulas_.evaluate(to_formulas(*in.attachments, in.u, in.x), of_formulas);
  out.potential_energy += of_formulas.potential_energy;
  out.power += of_formulas.power;

  const ForceInput attachments = to_modules(*in.attachments);
  std::ranges::fill(B_, 0.0);
  std::ranges::fill(C_, Spatial{});
  ModuleOutput own;
  own.M = out.M;
  own.f = out.f;
  own.A = out.A;
  own.C = C_;
  own.B = B_;
  own.velocity_right = out.velocity_right;
  own.acceleration_right = out.acceleration_right;
  own.wrenches = out.wrenches.subspan(own_.markers);
  own.efforts = out.efforts.subspan(own_.v);
  own.xdot = out.xdot.subspan(own_.states);
  own.residual = out.residual;
  modules_->evaluate({.attachments = &attachments, .u = in.u, .x = in.x.subspan(own_.states)}, own);
  const auto put = [&](const auto& part, auto whole, std::size_t before) {
    const std::size_t rows = out.velocity_right.size(), columns = rows > 0 ? part.size() / rows : 0;
    for (std::size_t r = 0; r < rows; ++r)
      std::copy_n(part.begin() + static_cast<std::ptrdiff_t>(r * columns), columns,
                  whole.begin() + static_cast<std::ptrdiff_t>(r * (before + columns) + before));
  };
  put(B_, out.B, own_.v);
  put(C_, out.C, own_.markers);
  out.kinetic_energy += own.kinetic_energy;
  out.potential_energy += own.potential_energy;
  out.power += own.power;
}

void FormulaModuleBatch::initial_state(std::span<double> u, std::span<double> x) const noexcept {
  formulas_.initial_states(x.first(own_.states));
  modules_->initial_state(u, x.subspan(own_.states));
}

void* FormulaModuleBatch::query(std::string_view asked) noexcept {
  const bool either = formulas_.query(asked) != nullptr || modules_->query(asked) != nullptr;
  const auto give = [&]<class Interface>(Interface* it) { return either ? static_cast<void*>(it) : nullptr; };
  if (asked == EventSource::interface_name) return give(static_cast<EventSource*>(this));
  if (asked == OutputSource::interface_name) return give(static_cast<OutputSource*>(this));
  if (asked == DiscreteElement::interface_name) return give(static_cast<DiscreteElement*>(this));
  if (asked == InitialStates::interface_name) return give(static_cast<InitialStates*>(this));
  if (asked == DiscreteAtStart::interface_name) return give(static_cast<DiscreteAtStart*>(this));
  if (asked == StateJumps::interface_name) return give(static_cast<StateJumps*>(this));
  if (asked == RunEnding::interface_name)
    return formulas_.query(asked) != nullptr || ending() != nullptr ? static_cast<RunEnding*>(this) : nullptr;
  if (formulas_.query(asked) == nullptr) return modules_->query(asked);
  if (asked == PoleSource::interface_name) return static_cast<PoleSource*>(this);
  if (asked == ReachSource::interface_name) return static_cast<ReachSource*>(this);
  if (asked == LimitSource::interface_name) return static_cast<LimitSource*>(this);
  if (asked == ClockSource::interface_name) return events_ == nullptr ? static_cast<ClockSource*>(this) : nullptr;
  return modules_->query(asked);
}

void FormulaModuleBatch::describe_event(std::size_t k, EventDescription& out) const noexcept {
  if (k < formula_events_) return formulas_.describe_event(k, out);
  events_->describe_event(k - formula_events_, out);
}

void FormulaModuleBatch::evaluate_events(const EventInput& in, EventOutput& out) noexcept {
  const ForceInput at = to_formulas(*in.attachments, in.u, in.x), of_modules = to_modules(*in.attachments);
  const auto ask_for = [&](EventSource& events, const EventInput& input, std::size_t first, std::size_t count) {
    EventOutput own;
    own.values = out.values.subspan(first, count);
    own.rates = out.rates.subspan(first, count);
    events.evaluate_events(input, own);
    out.guard = std::min(out.guard, own.guard);
  };
  EventInput formulas, modules;
  formulas.attachments = &at;
  modules.attachments = &of_modules;
  modules.u = in.u;
  modules.x = in.x.subspan(own_.states);
  ask_for(formulas_, formulas, 0, formula_events_);
  if (events_ != nullptr) ask_for(*events_, modules, formula_events_, module_events_);
}

double FormulaModuleBatch::next_knot(double t) const noexcept {
  return std::min(formulas_.next_knot(t), events_ != nullptr ? events_->next_knot(t) : never);
}

double FormulaModuleBatch::shortest_time(std::size_t instance) const noexcept {
  return std::min(formulas_.shortest_time(instance), events_ != nullptr ? events_->shortest_time(instance) : never);
}

void FormulaModuleBatch::evaluate_outputs(const OutputInput& in, std::span<double> values) noexcept {
  const ForceInput at = to_formulas(*in.attachments, in.u, in.x), of_modules = to_modules(*in.attachments);
  formulas_.evaluate_outputs({.attachments = &at,
                              .xdot = first_of(in.xdot, own_.states),
                              .accelerations = first_of(in.accelerations, own_.markers),
                              .joint_accelerations = first_of(in.joint_accelerations, own_.v),
                              .reactions = first_of(in.reactions, own_.joints)},
                             values.first(own_.outputs));
  if (module_outputs_ != nullptr)
    module_outputs_->evaluate_outputs({.attachments = &of_modules,
                                       .u = in.u,
                                       .x = rest(in.x, own_.states),
                                       .udot = in.udot,
                                       .xdot = rest(in.xdot, own_.states),
                                       .multipliers = in.multipliers,
                                       .accelerations = rest(in.accelerations, own_.markers),
                                       .joint_accelerations = rest(in.joint_accelerations, own_.v),
                                       .reactions = rest(in.reactions, own_.joints)},
                                      values.subspan(own_.outputs));
}

void FormulaModuleBatch::initial_values(std::span<std::int32_t> values) const noexcept {
  formulas_.initial_values(values.first(own_.discrete));
  if (discrete_ != nullptr) discrete_->initial_values(values.subspan(own_.discrete));
}

void FormulaModuleBatch::pass_event(std::size_t k, bool rising, const EventInput& in,
                                    std::span<std::int32_t> values) noexcept {
  const ForceInput at = to_formulas(*in.attachments, in.u, in.x), of_modules = to_modules(*in.attachments);
  EventInput own;
  if (k < formula_events_) {
    own.attachments = &at;
    return formulas_.pass_event(k, rising, own, values.first(own_.discrete));
  }
  if (discrete_ == nullptr) return;
  formulas_.evaluate_values(at);
  own.attachments = &of_modules;
  own.u = in.u;
  own.x = in.x.subspan(own_.states);
  discrete_->pass_event(k - formula_events_, rising, own, values.subspan(own_.discrete));
}

void FormulaModuleBatch::jump_states(std::size_t k, bool rising, const EventInput& in,
                                     std::span<double> states) noexcept {
  if (k >= formula_events_) return;  // states of modules do not jump
  const ForceInput at = to_formulas(*in.attachments, in.u, in.x);
  EventInput own;
  own.attachments = &at;
  formulas_.jump_states(k, rising, own, states.first(own_.states));
}

RunEnding* FormulaModuleBatch::ending() const noexcept {
  return events_ == nullptr ? nullptr : ask<RunEnding>(*events_);
}

bool FormulaModuleBatch::ends_run(std::size_t k) const noexcept {
  if (k < formula_events_) return formulas_.ends_run(k);
  const RunEnding* const own = ending();
  return own != nullptr && own->ends_run(k - formula_events_);
}

void FormulaModuleBatch::states_at_start(const ForceInput& start, std::span<double> u, std::span<double> x) noexcept {
  if (formulas_.query(InitialStates::interface_name) != nullptr) {
    const ForceInput at = to_formulas(start, u, x);
    formulas_.states_at_start(at, {}, numbers_);
    std::copy_n(numbers_.begin(), own_.states, x.begin());
  }
  formulas_.evaluate_values(to_formulas(start, u, x));
  if (auto* const states = ask<InitialStates>(*modules_))
    states->states_at_start(to_modules(start), u, x.subspan(own_.states));
}

void FormulaModuleBatch::values_at_start(const ForceInput& start, std::span<std::int32_t> values) noexcept {
  std::vector<double>& all = numbers_;
  const std::size_t u = type_.variables().size(), modules = all.size() - own_.states - u;
  formulas_.initial_states(std::span(all).first(own_.states));
  modules_->initial_state(std::span(all).subspan(own_.states, u), std::span(all).last(modules));
  ForceInput at{.time = start.time,
                .markers = start.markers.subspan(0, own_.markers),
                .q = start.q.first(own_.q),
                .v = start.v.first(own_.v),
                .states = all,
                .discrete = first_of(start.discrete, own_.discrete)};
  formulas_.values_at_start(at, values.first(own_.discrete));
  if (auto* const with = ask<DiscreteAtStart>(*modules_))
    with->values_at_start(to_modules(start), values.subspan(own_.discrete));
}

void FormulaModuleBatch::read_inputs(const EventInput& in, std::span<double> inputs) noexcept {
  const ForceInput at = to_formulas(*in.attachments, in.u, in.x);
  EventInput own;
  own.attachments = &at;
  formulas_.read_inputs(own, inputs);
}

void FormulaModuleBatch::evaluate_limits(const EventInput& in, std::span<LimitNumbers> numbers) noexcept {
  const ForceInput at = to_formulas(*in.attachments, in.u, in.x);
  EventInput own;
  own.attachments = &at;
  formulas_.evaluate_limits(own, numbers);
}

void FormulaModuleBatch::choose_modes(const EventInput& in, std::span<const LimitNumbers> before, double elapsed,
                                      std::span<std::int32_t> modes) noexcept {
  const ForceInput at = to_formulas(*in.attachments, in.u, in.x);
  EventInput own;
  own.attachments = &at;
  formulas_.choose_modes(own, before, elapsed, modes);
}

}  // namespace polyform::host::inline expressions
