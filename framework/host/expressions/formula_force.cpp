#include "framework/host/expressions/formula_force.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include "framework/host/expressions/formula_batch.hpp"
#include "framework/host/expressions/shifted_sink.hpp"

namespace polyform::host::inline expressions {

namespace {

constexpr FieldSpec read_bodies{
    .name = "formula_bodies", .type = FieldType::bodies, .unit = "", .meaning = "bodies that the formulas read"};
constexpr FieldSpec read_joints{
    .name = "formula_joints", .type = FieldType::joints, .unit = "", .meaning = "joints that the formulas read"};

/// Numbers of markers and joints that a field makes.
void count_attachments(const FieldSpec& spec, const FieldValue& value, std::size_t& markers, std::size_t& joints) {
  if (spec.type == FieldType::body || spec.type == FieldType::marker) ++markers;
  if (spec.type == FieldType::bodies || spec.type == FieldType::markers) markers += value.bodies.size();
  if (spec.type == FieldType::joint) ++joints;
  if (spec.type == FieldType::joints) joints += value.joints.size();
}

}  // namespace

FormulaForce::FormulaForce(Formulas& all, std::vector<FollowingForce> forces, std::vector<FormulaState> states,
                           std::vector<FormulaSample> samples, std::vector<FormulaOutput> outputs,
                           std::vector<FormulaLimit> limits, const FollowingModules& modules)
    : texts_(all.texts),
      states_(std::move(states)),
      samples_(std::move(samples)),
      limits_(std::move(limits)),
      is_shared_(forces.size() > 1 || !states_.empty() || !samples_.empty() || !outputs.empty() ||
                 !modules.uses.empty() || !modules.numbers.empty()),
      module_numbers_(modules.count) {
  std::vector<NodeIndex> roots, shown, taken, limiting;
  for (const FormulaLimit& limit : limits_)
    for (const NodeIndex node : {limit.beyond, limit.push, limit.without}) limiting.push_back(node);
  for (const FormulaSample& sample : samples_) {
    taken.push_back(sample.input);
    if (std::ranges::find(intervals_, sample.interval) == intervals_.end()) intervals_.push_back(sample.interval);
  }
  for (const FormulaSample& sample : samples_) taken.push_back(sample.start);
  for (std::size_t k = 0; k < states_.size(); ++k) {
    if (states_[k].start == Graph::none) continue;
    started_.push_back(k);
    taken.push_back(states_[k].start);
  }
  for (const FollowingForce& force : forces) {
    add_part(force);
    const std::size_t first = parts_.back().field;
    for (std::size_t f = 0; f < force.fields.size(); ++f)
      for (std::size_t k = 0; k < force.fields[f].functions.size(); ++k)
        if (const StateFormula* const formula = state_formula(force.fields[f].functions[k])) {
          uses_.push_back({first + f, k, roots.size()});
          roots.push_back(formula->root());
        }
  }
  constexpr std::size_t own_fields = 2;  // read_bodies and read_joints
  for (const FollowingModules::Use& use : modules.uses) {
    uses_.push_back({specs_.size() + own_fields + use.field, use.component, roots.size()});
    roots.push_back(use.root);
  }
  for (const FormulaState& state : states_) roots.push_back(state.rate);
  for (const FormulaOutput& output : outputs) shown.push_back(output.value);

  shortest_ = shortest_period(all.graph, roots);
  std::vector<NodeIndex> everything = roots;
  everything.insert(everything.end(), shown.begin(), shown.end());
  everything.insert(everything.end(), taken.begin(), taken.end());
  everything.insert(everything.end(), limiting.begin(), limiting.end());
  const std::vector<NodeIndex> turnings = all.turnings(roots);
  everything.insert(everything.end(), turnings.begin(), turnings.end());
  const std::vector<std::uint32_t> inputs = all.graph.inputs(everything);
  reader_ = StateReader(all, inputs);
  programs_ = FormulaPrograms(all, {roots, shown, taken, limiting}, inputs);

  for (const FormulaState& state : states_) state_names_.push_back({state.name, "1"});
  for (const FormulaOutput& output : outputs) output_names_.push_back({names_.emplace_back(output.name), "1"});
  for (const FormulaSample& sample : samples_) state_names_.push_back({sample.name, "1"});
  static constexpr std::array<std::string_view, 3> modes{"within", "beyond", "kept"};
  for (const FormulaLimit& limit : limits_)
    discrete_names_.push_back({.name = limit.name,
                               .meaning = "what the limit does to the integral: nothing, it stays as it is, or it "
                                          "keeps the output at the limit",
                               .values = modes});
  std::size_t state = state_names_.size(), output = outputs.size(), discrete = discrete_names_.size();
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    Part& part = parts_[p];
    const TypeDescriptor& own = part.type->descriptor();
    const auto named = [&](std::string_view name) -> std::string_view {
      return is_shared_ ? std::string_view(names_.emplace_back(fmt::format("{}.{}", forces[p].name, name))) : name;
    };
    part.state = state;
    part.output = output;
    part.discrete = discrete;
    for (Variable one : own.states) {
      one.name = named(one.name);
      state_names_.push_back(one);
    }
    for (Variable one : own.outputs) {
      one.name = named(one.name);
      output_names_.push_back(one);
    }
    for (DiscreteVariable one : own.discrete) {
      one.name = named(one.name);
      discrete_names_.push_back(one);
    }
    state += part.states = own.states.size();
    output += part.outputs = own.outputs.size();
    discrete += part.discretes = own.discrete.size();
  }
  find_read_parts(all, forces, inputs);
  find_module_numbers(all, modules, inputs);
  type_name_ = !is_shared_ && parts_.size() == 1 ? std::string(parts_[0].type->name()) : "signals";
  specs_.push_back(read_bodies);
  specs_.push_back(read_joints);
  describe();
}

/// Tells the reader where the states and outputs of the parts are, and puts the parts in an order.
void FormulaForce::find_read_parts(const Formulas& all, const std::vector<FollowingForce>& forces,
                                   std::span<const std::uint32_t> inputs) {
  is_read_.assign(output_names_.size(), false);
  const auto part_of = [&](std::int32_t number) {
    return static_cast<std::size_t>(std::ranges::find(forces, number, &FollowingForce::number) - forces.begin());
  };
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const StateInput& input = all.inputs[inputs[k]];
    const bool is_output = input.kind == StateInput::Kind::element_output;
    if (!is_output && input.kind != StateInput::Kind::element_state) continue;
    const Part& part = parts_[part_of(input.of)];
    const std::size_t place = (is_output ? part.output : part.state) + input.index;
    reader_.put(k, place);
    if (is_output) is_read_[place] = true;
  }
  std::vector<bool> is_placed(parts_.size(), false);
  const auto place = [&](const auto& self, std::size_t p) -> void {
    if (is_placed[p]) return;
    is_placed[p] = true;  // there are no loops (reading has refused them)
    std::vector<NodeIndex> roots;
    for (const FieldValue& field : forces[p].fields)
      for (const TimeFunction& f : field.functions)
        if (const StateFormula* const formula = state_formula(f)) roots.push_back(formula->root());
    for (const std::uint32_t number : all.graph.inputs(roots))
      if (all.inputs[number].kind == StateInput::Kind::element_output) self(self, part_of(all.inputs[number].of));
    read_parts_.push_back(p);
  };
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    const auto first = is_read_.begin() + static_cast<std::ptrdiff_t>(parts_[p].output);
    if (std::any_of(first, first + static_cast<std::ptrdiff_t>(parts_[p].outputs), [](bool read) { return read; }))
      place(place, p);
  }
}

/// Tells the reader where the numbers of modules are, behind the states of the element.
void FormulaForce::find_module_numbers(const Formulas& all, const FollowingModules& modules,
                                       std::span<const std::uint32_t> inputs) {
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    const StateInput& input = all.inputs[inputs[k]];
    if (input.kind != StateInput::Kind::module_number) continue;
    const auto& of = *std::ranges::find(modules.numbers, input.of, &FollowingModules::Numbers::number);
    reader_.put(k, state_names_.size() + (input.index < of.variables ? of.first_variable + input.index
                                                                     : of.first_state + input.index - of.variables));
  }
}

void FormulaForce::add_part(const FollowingForce& force) {
  Part part{.name = force.name, .type = force.type, .field = specs_.size(), .fields = force.type->fields().size()};
  if (!parts_.empty()) {
    part.marker = parts_.back().marker + parts_.back().markers;
    part.joint = parts_.back().joint + parts_.back().joints;
  }
  for (std::size_t f = 0; f < part.fields; ++f) {
    FieldSpec spec = force.type->fields()[f];
    count_attachments(spec, force.fields[f], part.markers, part.joints);
    specs_.push_back(spec);
  }
  parts_.push_back(part);
}

void FormulaForce::describe() {
  descriptor_.name = type_name_;
  descriptor_.meaning = "forces that follow formulas of the state, and signals";
  descriptor_.fields = Strided<const FieldSpec>(specs_.data(), specs_.size());
  descriptor_.states = Strided<const Variable>(state_names_.data(), state_names_.size());
  descriptor_.outputs = Strided<const Variable>(output_names_.data(), output_names_.size());
  descriptor_.discrete = Strided<const DiscreteVariable>(discrete_names_.data(), discrete_names_.size());
}

bool FormulaForce::define(ElementInstance& instance, std::size_t number, FieldSink& sink) const noexcept {
  try {
    bool good = true;
    for (const Part& part : parts_) {
      ElementInstance own = own_instance(part, instance);
      ShiftedSink shifted(sink, part.field);
      good = part.type->define(own, number, shifted) && good;
    }
    if (good && !read_parts_.empty()) good = check_read_outputs(instance, number, sink);
    StateReader placed = reader_;
    std::size_t wrong = 0;
    const Part last = parts_.empty() ? Part{} : parts_.back();
    if (placed.place(instance.joints.subspan(last.joint + last.joints), wrong)) return good;
    const StateInput& input = placed.input(wrong);
    const bool position = input.kind == StateInput::Kind::position;
    const JointShape& shape = instance.joints[last.joint + last.joints + placed.joint_number(wrong)];
    const std::size_t count = position ? shape.nq : shape.nv;
    const std::size_t field = uses_.empty() ? specs_.size() : uses_.front().field;
    const char letter = position ? 'q' : 'v';
    const std::string message =
        input.with_index ? fmt::format("a formula reads {}(joint, {}), but the joint has {} {} coordinate{}", letter,
                                       input.index, count, position ? "position" : "velocity", count == 1 ? "" : "s")
                         : fmt::format("a formula reads {}(joint) of a joint that has {} {} coordinates", letter, count,
                                       position ? "position" : "velocity");
    sink.report(Severity::error, number, field, message,
                count == 0   ? "The joint does not move: read another one."
                : count == 1 ? fmt::format("Write {}(joint).", letter)
                             : fmt::format("Give an index from 0 to {}, such as {}(joint, 0).", count - 1, letter));
    return false;
  } catch (...) {
    return false;
  }
}

/// Refuses formulas that read what follows from accelerations, reactions or rates of states: these follow from the
/// forces. Such an output changes with them, which the drawn position shows.
bool FormulaForce::check_read_outputs(const ElementInstance& instance, std::size_t number, FieldSink& sink) const {
  std::vector<MarkerMotion> markers;
  for (std::size_t k = 0; k < instance.markers.size(); ++k) {
    const Mat3 R = rotation_matrix(instance.drawn[k].orientation);
    const double u = 0.1 * static_cast<double>(k + 1);
    markers.push_back({R, instance.drawn[k].position + R * instance.markers[k].point, {u, 0.3, -u}, {0.2, u, -0.4}});
  }
  for (const std::size_t p : read_parts_) {
    const Part& part = parts_[p];
    const ElementInstance own = own_instance(part, instance);
    struct Destroy {
      void operator()(ForceBatch* batch) const noexcept { batch->destroy(); }
    };
    const std::unique_ptr<ForceBatch, Destroy> batch(part.type->create(Strided<const ElementInstance>(&own, 1)));
    auto* const source = batch ? ask<OutputSource>(*batch) : nullptr;
    if (source == nullptr) continue;
    std::vector<double> q, v, x(part.states);
    for (const JointShape& shape : own.joints) {
      for (std::size_t k = 0; k < shape.nq; ++k) q.push_back(shape.nq == 4 && k == 0 ? 1 : 0.1);
      v.resize(v.size() + shape.nv, 0.1);
    }
    batch->initial_states(x);
    std::vector<std::int32_t> discrete(part.discretes);
    if (auto* const with = ask<DiscreteElement>(*batch)) with->initial_values(discrete);
    const ForceInput at{.markers = Strided<const MarkerMotion>(markers.data() + part.marker, part.markers),
                        .q = q,
                        .v = v,
                        .states = x,
                        .discrete = discrete};
    const auto given = [&](double size) {
      const Spatial six{{size, 2 * size, -size}, {3 * size, -size, 2 * size}};
      const std::vector<Spatial> accelerations(part.markers, six), reactions(own.joints.size(), six);
      const std::vector<double> vdot(v.size(), size), xdot(part.states, size);
      std::vector<double> values(part.outputs, std::numeric_limits<double>::quiet_NaN());
      source->evaluate_outputs({.attachments = &at,
                                .xdot = xdot,
                                .accelerations = accelerations,
                                .joint_accelerations = vdot,
                                .reactions = reactions},
                               values);
      return values;
    };
    const std::vector<double> still = given(0), moving = given(0.7);
    for (std::size_t k = 0; k < part.outputs; ++k) {
      if (!is_read_[part.output + k] || still[k] == moving[k] || std::isnan(still[k])) continue;
      sink.report(Severity::error, number, part.field,
                  fmt::format("a formula reads {}, which depends on accelerations or reactions, and these follow from "
                              "the forces",
                              output_names_[part.output + k].name),
                  "Read a state of an element, a position or a velocity.");
      return false;
    }
  }
  return true;
}

ForceBatch* FormulaForce::create(Strided<const ElementInstance> instances) const noexcept {
  try {
    auto batch = std::make_unique<FormulaBatch>(*this, instances);
    return batch->good() ? batch.release() : nullptr;
  } catch (...) {
    return nullptr;
  }
}

}  // namespace polyform::host::inline expressions
