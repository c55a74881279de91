#include "framework/workbench/conformance/output_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <type_traits>

#include "framework/host/columns/element_outputs.hpp"
#include "framework/workbench/conformance/allocation_count.hpp"
#include "framework/workbench/conformance/batch_probe.hpp"
#include "framework/workbench/conformance/canaries.hpp"
#include "framework/workbench/conformance/model_state.hpp"
#include "framework/workbench/conformance/observed.hpp"
#include "polyform/contract/initial_states.hpp"

namespace polyform::host::inline conformance {
namespace {

template <class Type>
const auto& group_of(const SystemView& view) {
  if constexpr (std::is_same_v<Type, ForceType>)
    return view.forces[0];
  else if constexpr (std::is_same_v<Type, ConstraintType>)
    return view.constraints[0];
  else
    return view.modules[0];
}

template <class Type>
auto batch_of(const Type& type, Strided<const ElementInstance> instances) {
  using Batch = std::remove_pointer_t<decltype(type.create(instances))>;
  return BatchPointer<Batch>(type.create(instances));
}

/// The group of elements under test alone, evaluated by a solver of the whole system.
template <class Type>
class Alone {
 public:
  Alone(const SystemView& view, std::size_t instance) : view_(complete(view)) {
    const auto& whole = group_of<Type>(view);
    auto group = whole;
    std::size_t first_joint = 0;
    for (std::size_t i = 0; i < instance; ++i) first_joint += whole.instances[i].joints.size();
    group.instances = whole.instances.subspan(instance, 1);
    group.names = whole.names.subspan(instance, 1);
    group.joints = whole.joints.subspan(first_joint, whole.instances[instance].joints.size());
    if constexpr (std::is_same_v<Type, ForceType>) group.state_offset += instance * whole.type->state_count();
    group_.push_back(group);
    view_.forces = {};
    view_.constraints = {};
    view_.modules = {};
    if constexpr (std::is_same_v<Type, ForceType>)
      view_.forces = group_;
    else
      view_.constraints = group_;
  }
  const SystemView& view() const { return view_; }

 private:
  SystemView view_;
  std::vector<std::remove_cvref_t<decltype(group_of<Type>(std::declval<const SystemView&>()))>> group_;
};

std::vector<double> copied(std::span<const double> values) { return {values.begin(), values.end()}; }

template <class Type>
void check_outputs(const Type& type, const std::vector<Case>& cases, const Bench& bench, Checklist& list) {
  const auto source_of = [&](const Case& one) {
    const auto& group = group_of<Type>(one.sample.view());
    return ask<OutputSource>(*batch_of(*group.type, group.instances));
  };
  const bool declared = !type.descriptor().outputs.empty(), given = source_of(cases.front()) != nullptr;
  if (!declared && !given) return;
  list.claim("its outputs are declared and given", 0,
             "list them in TypeDescriptor::outputs with name and unit, and let the batch answer query() with an "
             "OutputSource",
             [&](Measure& m) {
               m.see(given ? 0 : 1, "they are declared, but its batches have no OutputSource");
               m.see(declared ? 0 : 1, "its batches have an OutputSource, but the descriptor lists none");
               for (const Variable& one : type.descriptor().outputs)
                 m.see(one.unit.empty() ? 1 : 0,
                       [&] { return fmt::format("`{}` has no unit; \"1\" stands for none", one.name); });
             });
  if (!declared || !given) return;
  list.claim("its outputs are finite, depend on the input alone and allocate nothing", 0,
             "evaluate_outputs() must write every value, keep nothing between calls and make its memory in create()",
             [&](Measure& m) {
               for (const Case& one : cases) {
                 const SystemView& view = one.sample.view();
                 const std::vector<const Formulation*> able = bench.formulations_for(view);
                 if (able.empty()) continue;
                 m.in_model(with_state(one.sample.text, view, one.state));
                 Observed moving(*able.front(), view, one.state),
                     drawn(*able.front(), view, State(one.sample.system->initial_state()));
                 ElementOutputs outputs(view);
                 const std::vector<double> first = copied(outputs.evaluate(0, moving.now()));
                 m.see(all_finite(first) ? 0 : 1, "in motion a value is not written, or not finite");
                 m.see(all_finite(copied(outputs.evaluate(0, drawn.now()))) ? 0 : 1,
                       "at the start a value is not written, or not finite");
                 m.see(same_bits(first, copied(outputs.evaluate(0, moving.now()))) ? 0 : 1,
                       "a call between two equal ones changes the second");
                 if (AllocationCount::available())
                   see_allocations(allocations_of([&] { outputs.evaluate(0, moving.now()); }), m);
               }
             });
  if constexpr (!std::is_same_v<Type, ModuleType>)
    list.claim("outputs of instances in one batch are what each gives alone", 1e-12,
               "evaluate_outputs() must read what belongs to its own instance, and write its own values",
               [&](Measure& m) {
                 for (const Case& one : cases) {
                   const SystemView& view = one.sample.view();
                   const std::vector<const Formulation*> able = bench.formulations_for(view);
                   if (able.empty()) continue;
                   m.in_model(with_state(one.sample.text, view, one.state));
                   Observed moving(*able.front(), view, one.state);
                   ElementOutputs together(view);
                   const std::vector<double> all = copied(together.evaluate(0, moving.now()));
                   const std::size_t each = group_of<Type>(view).type->descriptor().outputs.size();
                   for (std::size_t i = 0; i < group_of<Type>(view).instances.size(); ++i) {
                     const Alone<Type> alone(view, i);
                     const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i * each);
                     m.see(largest_difference(copied(ElementOutputs(alone.view()).evaluate(0, moving.now())),
                                              {begin, begin + static_cast<std::ptrdiff_t>(each)}),
                           "an instance among others");
                   }
                 }
               });
}

/// States at the start of all instances of a case, those of variables first; empty for a variant without InitialStates.
template <class Type>
std::vector<double> states_at_start(const Case& one) {
  const SystemView& view = one.sample.view();
  const auto& group = group_of<Type>(view);
  Random random(19);
  const Path path(view, one.state, random);
  std::vector<BatchInput> parts;
  for (std::size_t i = 0; i < group.instances.size(); ++i)
    parts.push_back(input_of(view, group, i, path.frames(), path.now()));
  const BatchInput in = joined(parts);
  const auto batch = batch_of(*group.type, group.instances);
  if (ask<InitialStates>(*batch) == nullptr) return {};
  const TypeDescriptor& told = group.type->descriptor();
  Canaries given;
  const std::span<double> u = given.numbers("u", group.instances.size() * told.variables.size()),
                          x = given.numbers("x", group.instances.size() * told.states.size());
  ask<InitialStates>(*batch)->states_at_start(in.view(), u, x);
  given.check("states_at_start()");
  std::vector<double> all(u.begin(), u.end());
  all.insert(all.end(), x.begin(), x.end());
  return all;
}

template <class Type>
void check_start(const std::vector<Case>& cases, Checklist& list) {
  const auto& group = group_of<Type>(cases.front().sample.view());
  const auto batch = batch_of(*group.type, group.instances);
  if (ask<InitialStates>(*batch) == nullptr) return;
  list.claim("its states that begin with the motion are finite and depend on the input alone", 0,
             "states_at_start() must keep nothing between calls, and write numbers", [&](Measure& m) {
               for (const Case& one : cases) {
                 m.in_model(one.sample.text);
                 const std::vector<double> first = states_at_start<Type>(one);
                 m.see(all_finite(first) ? 0 : 1, "a value is not finite");
                 m.see(same_bits(first, states_at_start<Type>(one)) ? 0 : 1, "the same motion gives other states");
               }
             });
}

}  // namespace

template <class Type>
void check_offers(const Type& type, const std::vector<Case>& cases, const Bench& bench, Checklist& list) {
  check_outputs(type, cases, bench, list);
  if constexpr (!std::is_same_v<Type, ConstraintType>) check_start<Type>(cases, list);
}
template void check_offers(const ForceType&, const std::vector<Case>&, const Bench&, Checklist&);
template void check_offers(const ConstraintType&, const std::vector<Case>&, const Bench&, Checklist&);
template void check_offers(const ModuleType&, const std::vector<Case>&, const Bench&, Checklist&);

}  // namespace polyform::host::conformance
