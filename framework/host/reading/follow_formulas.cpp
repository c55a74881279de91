// Elements whose fields hold formulas of the state.
#include <fmt/format.h>

#include <algorithm>

#include "framework/host/expressions/formula_module.hpp"
#include "framework/host/expressions/formula_rows.hpp"
#include "framework/host/reading/coupled_modules.hpp"
#include "framework/host/reading/model_reader.hpp"
#include "polyform/contract/rows_by_formulas.hpp"
#include "polyform/contract/unilateral.hpp"

namespace polyform::host::inline reading {

namespace {

using expressions::FollowingForce;
using expressions::FollowingModules;
using expressions::FormulaForce;
using expressions::FormulaModule;
using expressions::FormulaRows;
using expressions::StateFormula;

/// The fields of an element that hold formulas of the state.
std::vector<std::pair<std::size_t, const StateFormula*>> formulas_in(const Fields& fields) {
  std::vector<std::pair<std::size_t, const StateFormula*>> found;
  for (std::size_t f = 0; f < fields.values.size(); ++f)
    for (const TimeFunction& function : fields.values[f].functions)
      if (const StateFormula* const formula = expressions::state_formula(function)) found.emplace_back(f, formula);
  return found;
}

/// Whether the formula changes with states of signals, with values that samplers hold, or with numbers of forces.
bool follows_states(Reading& r, const StateFormula& formula) {
  const expressions::NodeIndex roots[] = {formula.root()};
  const expressions::Formulas& all = r.formulas.formulas();
  return std::ranges::any_of(all.graph.inputs(roots), [&](std::uint32_t number) {
    using Kind = expressions::StateInput::Kind;
    const Kind kind = all.inputs[number].kind;
    return kind == Kind::state || kind == Kind::held || kind == Kind::within || kind == Kind::element_state ||
           kind == Kind::element_output || kind == Kind::module_number;
  });
}

/// Whether any formula or signal reads a number of the force.
bool is_read(Reading& r, std::size_t force) {
  return std::ranges::any_of(r.formulas.formulas().inputs, [&](const expressions::StateInput& input) {
    using Kind = expressions::StateInput::Kind;
    return (input.kind == Kind::element_state || input.kind == Kind::element_output) &&
           input.of == static_cast<std::int32_t>(force);
  });
}

/// Whether any formula or signal reads a number of the module.
bool is_read_module(Reading& r, std::size_t module) {
  return std::ranges::any_of(r.formulas.formulas().inputs, [&](const expressions::StateInput& input) {
    return input.kind == expressions::StateInput::Kind::module_number && input.of == static_cast<std::int32_t>(module);
  });
}

/// Names forces whose formulas need outputs of each other at the same instant.
class LoopSearch {
 public:
  explicit LoopSearch(Reading& r) : r_(r), progress_(r.model.forces.size(), Progress::none) {}
  void look() {
    for (std::size_t i = 0; i < progress_.size() && r_.report.errors() == 0; ++i) visit(i);
  }

 private:
  enum class Progress { none, going, done };
  void visit(std::size_t i) {
    if (progress_[i] != Progress::none) return;
    progress_[i] = Progress::going;
    way_.push_back(i);
    for (const std::size_t next : read_by(i)) {
      if (progress_[next] == Progress::going && r_.report.errors() == 0) report(next);
      visit(next);
    }
    way_.pop_back();
    progress_[i] = Progress::done;
  }
  std::vector<std::size_t> read_by(std::size_t i) {
    std::vector<expressions::NodeIndex> roots;
    for (const auto& [field, formula] : formulas_in(r_.model.forces[i].fields)) roots.push_back(formula->root());
    const expressions::Formulas& all = r_.formulas.formulas();
    std::vector<std::size_t> found;
    for (const std::uint32_t number : all.graph.inputs(roots))
      if (all.inputs[number].kind == expressions::StateInput::Kind::element_output)
        found.push_back(static_cast<std::size_t>(all.inputs[number].of));
    return found;
  }
  void report(std::size_t first) {
    std::string loop;
    for (auto i = std::ranges::find(way_, first); i != way_.end(); ++i) loop += r_.model.forces[*i].name + " -> ";
    const ForceItem& item = r_.model.forces[first];
    r_.report.error(item.place, Path{nullptr, item.path, Path::no_index},
                    fmt::format("an algebraic loop of forces: {}{}", loop, item.name),
                    "The formula of each needs what the next gives at the same instant; a transfer-function of lower "
                    "degree above than below, or an integrator, breaks the loop.");
  }
  Reading& r_;
  std::vector<Progress> progress_;
  std::vector<std::size_t> way_;
};

/// Adds the two fields after those of the element's type: what the formulas read.
template <class Type>
void add_attachments(Reading& r, const Type& type, Fields& fields, Place place) {
  FieldValue bodies, joints;
  bodies.given = joints.given = true;
  bodies.bodies = r.model.body_lists.emplace_back(type.bodies());
  bodies.points = r.model.point_lists.emplace_back(type.bodies().size());
  joints.joints = r.model.joint_lists.emplace_back(type.joints());
  fields.values.push_back(bodies);
  fields.values.push_back(joints);
  fields.places.resize(fields.values.size(), place);
}

template <class Item>
void refuse_fields(Reading& r, const Item& item, std::string_view why, std::string_view remedy) {
  for (const auto& [field, formula] : formulas_in(item.fields)) {
    const std::string_view name = item.type->fields()[field].name;
    const Path path{nullptr, item.path, Path::no_index};
    r.report.error(item.fields.places[field], path, fmt::format("{}: {}", name, why), remedy);
  }
}

template <class Item>
void refuse(Reading& r, const std::vector<Item>& items, std::string_view why, std::string_view remedy) {
  for (const Item& item : items) refuse_fields(r, item, why, remedy);
}

FollowingForce following(const Reading& r, std::size_t i) {
  const ForceItem& item = r.model.forces[i];
  return {item.name, item.type, item.fields.values, static_cast<std::int32_t>(i)};
}

/// Takes the items with these indices, in rising order, out of the list.
template <class Item>
void take_out(std::vector<Item>& items, const std::vector<std::size_t>& which) {
  for (std::size_t k = which.size(); k-- > 0;) items.erase(items.begin() + static_cast<std::ptrdiff_t>(which[k]));
}

/// The modules with these indices in the model, as their formulas reach them.
FollowingModules following_modules(const Reading& r, const std::vector<std::size_t>& which) {
  FollowingModules out;
  std::size_t field = 0, variables = 0;
  for (const std::size_t i : which) variables += r.model.modules[i].type->variables().size();
  std::size_t first_variable = 0, first_state = variables;
  for (const std::size_t i : which) {
    const ModuleItem& item = r.model.modules[i];
    for (std::size_t f = 0; f < item.fields.values.size(); ++f, ++field)
      for (std::size_t k = 0; k < item.fields.values[f].functions.size(); ++k)
        if (const StateFormula* const formula = expressions::state_formula(item.fields.values[f].functions[k]))
          out.uses.push_back({field, k, formula->root()});
    const std::size_t own = item.type->variables().size();
    out.numbers.push_back({static_cast<std::int32_t>(i), own, first_variable, first_state});
    first_variable += own;
    first_state += item.type->states().size();
  }
  out.count = first_state;
  return out;
}

/// Makes one module of several: coupled modules without a constraint.
const ModuleType& one_of(Reading& r, const std::vector<std::size_t>& which) {
  if (which.size() == 1) return *r.model.modules[which[0]].type;
  std::vector<CoupledModules::Member> members;
  for (const std::size_t i : which) {
    const ModuleItem& item = r.model.modules[i];
    members.push_back({item.name, item.type});
    if (!item.type->descriptor().discrete.empty())
      r.report.error(item.place, Path{nullptr, item.path, Path::no_index},
                     fmt::format("{} has discrete states, so that signals cannot drive it together with other modules",
                                 item.type->name()),
                     "Drive it by functions of time, or the other modules.");
  }
  auto made = std::make_shared<CoupledModules>(std::move(members));
  r.model.coupled.push_back(made);
  return *made;
}

/// Turns modules into one that follows formulas, with the fields that the FormulaForce has of its own.
void make_module(Reading& r, ModuleItem item, Fields fields, std::unique_ptr<FormulaForce> formulas,
                 const std::vector<std::size_t>& which, FormulaModule::Names names) {
  const std::string& name = r.model.texts.emplace_back(r.model.modules[which.front()].name);
  item.fields = std::move(fields);
  add_attachments(r, *formulas, item.fields, item.place);
  for (const std::size_t i : which) append(item.fields, r.model.modules[i].fields);
  const auto type = std::make_shared<const FormulaModule>(std::move(formulas), one_of(r, which), names, name);
  item.type = type.get();
  r.model.made.push_back(type);
  take_out(r.model.modules, which);
  r.model.modules.push_back(std::move(item));
}

/// Adds one element for the signals and for the forces and modules that follow their states.
void add_signals(Reading& r, const Value* signals, const std::vector<std::size_t>& with_states,
                 const std::vector<std::size_t>& modules) {
  std::vector<FollowingForce> forces;
  for (const std::size_t i : with_states) forces.push_back(following(r, i));
  auto type = std::make_unique<FormulaForce>(r.formulas.formulas(), forces, r.formulas.states(), r.formulas.samples(),
                                             r.formulas.outputs(), r.formulas.limits(), following_modules(r, modules));
  const Place place = signals != nullptr    ? signals->model_place()
                      : with_states.empty() ? r.model.modules[modules.front()].place
                                            : r.model.forces[with_states.front()].place;
  Fields fields;
  for (const std::size_t i : with_states) append(fields, r.model.forces[i].fields);
  take_out(r.model.forces, with_states);
  const auto named = [&](auto item) {
    item.name = item.path = "signals";
    item.place = place;
    return item;
  };
  if (!modules.empty())
    return make_module(r, named(ModuleItem{}), std::move(fields), std::move(type), modules,
                       modules.size() == 1 ? FormulaModule::Names::with_prefix : FormulaModule::Names::full);
  ForceItem item = named(ForceItem{});
  item.type = type.get();
  item.fields = std::move(fields);
  add_attachments(r, *type, item.fields, item.place);
  r.model.made.push_back(std::shared_ptr<const FormulaForce>(std::move(type)));
  r.model.forces.push_back(std::move(item));
}

/// Gives modules that follow formulas a type of the host's own. Returns those that follow states of signals, or whose
/// numbers formulas read: they go with the signals.
std::vector<std::size_t> follow_in_modules(Reading& r) {
  std::vector<std::size_t> alone, with_signals;
  for (std::size_t i = 0; i < r.model.modules.size(); ++i) {
    const ModuleItem& item = r.model.modules[i];
    if (item.type == nullptr) continue;
    const auto formulas = formulas_in(item.fields);
    const auto follows = [&](const auto& f) { return follows_states(r, *f.second); };
    if (is_read_module(r, i) || std::ranges::any_of(formulas, follows))
      with_signals.push_back(i);
    else if (!formulas.empty())
      alone.push_back(i);
  }
  // A formula names a module by its index in the list. So a module with formulas of its own keeps its place there.
  for (const std::size_t i : alone) {
    ModuleItem item = r.model.modules[i];
    item.fields = {};
    auto formulas = std::make_unique<FormulaForce>(
        r.formulas.formulas(), std::vector<FollowingForce>{}, std::vector<expressions::FormulaState>{},
        std::vector<expressions::FormulaSample>{}, std::vector<expressions::FormulaOutput>{},
        std::vector<expressions::FormulaLimit>{}, following_modules(r, {i}));
    make_module(r, std::move(item), {}, std::move(formulas), {i}, FormulaModule::Names::own);
    std::rotate(r.model.modules.begin() + static_cast<std::ptrdiff_t>(i), r.model.modules.end() - 1,
                r.model.modules.end());
  }
  return with_signals;
}

/// Gives a constraint whose rows are formulas the host's own type.
void make_rows(Reading& r, ConstraintItem& item, const RowsByFormulas& rows) {
  std::vector<FormulaRows::Row> all;
  for (std::size_t f = 0; f < item.fields.values.size(); ++f)
    for (const TimeFunction& function : item.fields.values[f].functions)
      if (rows.level(f) != RowsByFormulas::Level::none) all.push_back({r.formulas.node_of(function), rows.level(f), f});
  if (all.empty()) return;  // the type itself refuses it
  const auto type = std::make_shared<const FormulaRows>(r.formulas.formulas(), *item.type, std::move(all));
  if (const FormulaRows::Objection& why = type->objection(); !why.message.empty()) {
    const std::string_view name = item.type->fields()[why.field].name;
    r.report.error(item.fields.places[why.field], Path{nullptr, item.path, Path::no_index},
                   fmt::format("{}: {}", name, why.message), why.remedy);
    return;
  }
  add_attachments(r, *type, item.fields, item.place);
  item.type = type.get();
  r.model.made.push_back(type);
}

bool is_of_rows(const ConstraintType& type) {
  return ask<RowsByFormulas>(type) != nullptr || type.query(FormulaRows::own) != nullptr;
}

constexpr std::string_view reads_accelerations = "a formula reads an acceleration, which follows from the forces",
                           where_accelerations = "Accelerations stand in rows of a formula-constraint alone.";

bool has_accelerations(Reading& r, expressions::NodeIndex root) {
  const expressions::NodeIndex roots[] = {root};
  const expressions::Formulas& all = r.formulas.formulas();
  return std::ranges::any_of(all.graph.inputs(roots), [&](std::uint32_t number) {
    return expressions::is_acceleration(all.inputs[number].kind);
  });
}

/// Refuses formulas that read accelerations outside of constraints.
void refuse_accelerations(Reading& r, const Value* signals) {
  for (const ForceItem& item : r.model.forces)
    for (const auto& [field, formula] : formulas_in(item.fields))
      if (has_accelerations(r, formula->root())) refuse_fields(r, item, reads_accelerations, where_accelerations);
  for (const ModuleItem& item : r.model.modules)
    for (const auto& [field, formula] : formulas_in(item.fields))
      if (has_accelerations(r, formula->root())) refuse_fields(r, item, reads_accelerations, where_accelerations);
  if (signals == nullptr || !r.formulas.has_signals()) return;
  bool any = false;
  for (const auto& output : r.formulas.outputs()) any = any || has_accelerations(r, output.value);
  for (const auto& state : r.formulas.states()) any = any || has_accelerations(r, state.rate);
  for (const auto& sample : r.formulas.samples())
    any = any || has_accelerations(r, sample.input) || has_accelerations(r, sample.start);
  if (any) signals->error(reads_accelerations, where_accelerations);
}

}  // namespace

void follow_formulas(Reading& r, const Value* signals) {
  r.formulas.resolve_channels();
  for (ConstraintItem& item : r.model.constraints)
    if (const auto* const rows = item.type == nullptr ? nullptr : ask<RowsByFormulas>(*item.type))
      make_rows(r, item, *rows);
  refuse_accelerations(r, signals);
  for (const ConstraintItem& item : r.model.constraints) {
    if (item.type == nullptr || is_of_rows(*item.type)) continue;
    refuse_fields(
        r, item,
        "a formula of the state cannot stand here: the constraint differentiates it twice, and that would hold "
        "the accelerations which follow from the constraint",
        "Give a function of time alone, write the rows as a formula-constraint, or apply a force that depends "
        "on the state.");
  }
  refuse(r, r.model.joints,
         "a formula of the state cannot stand here: the joint's motion is differentiated twice in time, and that would "
         "hold accelerations",
         "Give a function of time alone.");
  for (const ForceItem& item : r.model.forces)
    if (item.type != nullptr && UnilateralRows::are_of(*item.type))
      refuse_fields(
          r, item,
          "a formula of the state cannot stand here: what sticks or locks finds its force from accelerations, "
          "and these would hang on the formula",
          "Give a function of time alone.");
  if (r.report.errors() == 0) LoopSearch(r).look();
  if (r.report.errors() > 0) return;
  std::vector<std::size_t> with_states;
  for (std::size_t i = 0; i < r.model.forces.size(); ++i) {
    ForceItem& item = r.model.forces[i];
    if (item.type == nullptr) continue;
    const auto formulas = formulas_in(item.fields);
    if (formulas.empty() && !is_read(r, i)) continue;
    if (is_read(r, i) || std::ranges::any_of(formulas, [&](const auto& f) { return follows_states(r, *f.second); })) {
      with_states.push_back(i);
      continue;
    }
    const auto type = std::make_shared<const FormulaForce>(r.formulas.formulas(), std::vector{following(r, i)});
    add_attachments(r, *type, item.fields, item.place);
    item.type = type.get();
    r.model.made.push_back(type);
  }
  const std::vector<std::size_t> modules = follow_in_modules(r);
  if ((signals != nullptr && r.formulas.has_signals()) || !with_states.empty() || !modules.empty())
    add_signals(r, signals, with_states, modules);
}

}  // namespace polyform::host::inline reading
