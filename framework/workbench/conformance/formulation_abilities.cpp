// What a formulation declares to carry, and what it does not: random systems of each kind.
#include <algorithm>
#include <cmath>

#include "framework/workbench/conformance/allocation_count.hpp"
#include "framework/workbench/conformance/batch_probe.hpp"
#include "framework/workbench/conformance/formulation_checks.hpp"
#include "framework/workbench/conformance/lagging_damper.hpp"
#include "framework/workbench/conformance/screw_joint.hpp"
#include "framework/workbench/conformance/switched_spring.hpp"
#include "polyform/contract/discrete_state.hpp"

namespace polyform::host::inline conformance {

namespace {

using Make = std::function<Sample(std::uint64_t seed)>;

void see_states_kept(const Formulation& formulation, const Case& one, Measure& m) {
  Observed seen(formulation, one.sample.view(), one.state, one.time);
  const State before = copy_of(seen.now().state());
  Correction correction;
  require(seen.solver().correct(one.time, seen.y(), correction), seen.solver(), formulation.name(), "correct");
  const State after = copy_of(seen.at(seen.y()).state());
  for (std::size_t i = 0; i < before.x.size(); ++i)
    m.see(std::abs(after.x[i] - before.x[i]) / (1 + std::abs(before.x[i])), "a first-order state is changed");
}

/// Other values of the elements than at the start lead to the same, whether they come with the state or are put back.
/// Whether they make a difference.
bool see_values_count(const Formulation& formulation, const Case& one, Measure& m) {
  const SystemView& view = one.sample.view();
  Observed seen(formulation, view, one.state, one.time);
  auto* const state = ask<DiscreteState>(seen.solver());
  m.see(state != nullptr && state->values().size() >= view.discrete ? 0 : 1, "the solver does not offer them");
  if (state == nullptr || state->values().size() < view.discrete) return true;
  const auto accelerations = [&] {
    const std::span<const double> all = seen.at(seen.y()).acceleration;
    return std::vector<double>(all.begin(), all.end());
  };
  const std::vector<double> at_start = accelerations();
  std::vector<std::int32_t> values(state->values().begin(), state->values().end());
  for (std::size_t i = 0; i < view.discrete; ++i) values[i] = values[i] == 0 ? 1 : 0;
  m.see(state->set(values) == Status::ok ? 0 : 1, "set() does not take other values of the elements");
  const std::vector<double> put_back = accelerations();
  ConstStateView other = one.state.view();
  other.discrete = std::span(values).first(view.discrete);
  require(seen.solver().encode(other, seen.y()), seen.solver(), formulation.name(), "encode");
  m.see(largest_difference(put_back, accelerations()), "encode() and set() lead to other accelerations");
  m.see(std::ranges::equal(seen.now().discrete, other.discrete) ? 0 : 1, "observe() gives others");
  return largest_difference(at_start, put_back) > 1e-12;
}

void check_what_it_runs(const Formulation& formulation, Ability ability, std::string_view what,
                        const std::vector<Case>& run, const Bench& bench, Checklist& list) {
  claim_agreement(formulation, run, what, "all is as in the other formulations",
                  "what is declared must not be left out", bench, list);
  claim_on(run, what, "velocities, accelerations and rates of states are the rates along dy/dt", 1e-6,
           "derivative() and observe() must be of one motion", list,
           [&](const Case& one, Measure& m) { see_rates(formulation, one, m); });
  claim_on(run, what, "the state goes to y and back", 1e-10, "encode() and decode() must be inverse to each other",
           list, [&](const Case& one, Measure& m) { see_round_trip(formulation, one, m); });
  if (ability == Ability::first_order_states)
    claim_on(run, what, "correct() leaves the states alone", 1e-12, "only joints and quaternions drift", list,
             [&](const Case& one, Measure& m) { see_states_kept(formulation, one, m); });
  if (ability == Ability::discrete_states) {
    bool any = false;
    claim_on(run, what, "values other than those of the start count, however they come to the solver", 1e-9,
             "encode() takes them from the state, set() from the host, and both hand them to all elements", list,
             [&](const Case& one, Measure& m) {
               any = see_values_count(formulation, one, m) || any;
               if (&one == &run.back()) m.see(any ? 0 : 1, "they make no difference in any model");
             });
    claim_on(run, what, "they are constant but in encode() and correct(), and can be put back", 1e-9,
             "correct() leaves the elements' values alone", list,
             [&](const Case& one, Measure& m) { see_discrete(formulation, one, m); });
  }
  claim_no_allocation(list, fmt::format("{}: nothing is allocated after compile", what), make_memory_in_compile,
                      [&](Measure& m) { see_allocations_in(formulation, run, m); });
}

void check_ability(const Formulation& formulation, Ability ability, std::string_view what, const Make& make,
                   const Bench& bench, Checklist& list) {
  const bool declared = has(formulation.abilities(), ability);
  const std::string name = declared ? fmt::format("it runs {}, as it declares", what)
                                    : fmt::format("it refuses {} in a sentence, as it does not declare them", what);
  std::vector<Case> run;
  list.prepare(name,
               declared ? "compile() must give a solver that evaluates; declare only what some system is run with"
                        : "report to the sink before returning no solver",
               [&](Measure& m) {
                 std::string refusal;
                 for (int i = 0; i < bench.count(4); ++i) {
                   const std::uint64_t seed = 500 + static_cast<std::uint64_t>(i);
                   Sample sample = make(seed);
                   m.in_model(sample.text);
                   const SolverPointer solver = compiled_or_refused(formulation, sample.view(), {}, &refusal);
                   m.see(!declared && solver ? 1 : 0, "it takes a model that it does not declare to support");
                   if (!solver) continue;
                   Random random(seed);
                   State state = random_state(*sample.system, random);
                   see_finite(formulation, sample.view(), state, 0, m);
                   run.push_back({std::move(sample), std::move(state)});
                 }
                 m.see(declared && run.empty() ? 1 : 0, [&] { return "it refuses all that were tried: " + refusal; });
               });
  if (declared && !run.empty()) check_what_it_runs(formulation, ability, what, run, bench, list);
}

constexpr auto any_type = [](const ElementType&) { return true; };
constexpr auto has_states = [](const ElementType& type) { return !type.descriptor().states.empty(); };
constexpr auto has_discrete = [](const ElementType& type) { return !type.descriptor().discrete.empty(); };

/// Systems with one of the wanted types, in turns. Which types make one is found when it is first asked for.
template <class Types, class Wanted>
Make with_element(const Types& types, std::string_view section, const Bench& bench, Wanted wanted) {
  return [&, section, wanted, texts = std::vector<std::string>()](std::uint64_t seed) mutable {
    if (texts.empty())
      for (const auto& [name, type] : types) {
        if (!wanted(*type)) continue;
        try {
          texts.push_back(cases_of(*type, section, bench, 1, 1).front().sample.text);
        } catch (const Undecided&) {
          // The next type may do.
        }
      }
    if (texts.empty()) throw Undecided("no loaded type makes such a model");
    std::string complaint;
    std::optional<Sample> made = bench.assemble(texts[seed % texts.size()], complaint);
    if (!made) throw Undecided(complaint);
    return std::move(*made);
  };
}

const JointType& pick(const std::vector<const JointType*>& types, Random& random) {
  if (types.empty()) throw Undecided("no loaded joint type makes such a model");
  return *types[static_cast<std::size_t>(random.integer(0, static_cast<int>(types.size()) - 1))];
}

/// Joint types with that many freedoms, from the first number to the second.
std::vector<const JointType*> joints_with(const Bench& bench, std::size_t least, std::size_t most) {
  std::vector<const JointType*> types;
  for (const Bench::KnownJoint& joint : bench.joints())
    if (joint.nv >= least && joint.nv <= most) types.push_back(joint.type);
  return types;
}

/// A chain whose first and last joint are code, the last one backwards: the kit's own screw, or a loaded type.
Sample with_code_joints(const Bench& bench, std::uint64_t seed) {
  std::vector<const JointType*> code{&screw_joint()};
  for (const JointType* type : joints_with(bench, 0, 6))
    if (type->kernel() != nullptr) code.push_back(type);
  return bench.sample(seed, [&](ModelWriter& writer, Random& random) {
    const std::string a = writer.add_body(), b = writer.add_body(), c = writer.add_body();
    const JointType &first = *code[seed % code.size()], &between = pick(joints_with(bench, 0, 6), random);
    writer.add_joint("first", first.name(), first.fields(), "ground", a);
    writer.add_joint("between", between.name(), between.fields(), a, b);
    writer.add_joint("last", screw_joint().name(), screw_joint().fields(), c, b);
  });
}

/// A chain of three bodies, one of whose joints depends on time.
Sample with_rheonomic_joint(const Bench& bench, std::uint64_t seed) {
  return bench.sample(seed, [&](ModelWriter& writer, Random& random) {
    const std::string a = writer.add_body(), b = writer.add_body(), c = writer.add_body();
    const JointType &first = pick(joints_with(bench, 1, 6), random), &moved = pick(bench.rheonomic_joints(), random),
                    &last = pick(joints_with(bench, 1, 6), random);
    const bool backwards = random.coin();
    writer.add_joint("first", first.name(), first.fields(), "ground", a);
    writer.add_joint("moved", moved.name(), moved.fields(), backwards ? b : a, backwards ? a : b);
    writer.add_joint("last", last.name(), last.fields(), b, c);
  });
}

/// Two bodies in a chain, with a second joint at the place of the last that asks the same once more.
Sample with_redundant_joint(const Bench& bench, std::uint64_t seed) {
  return bench.sample(seed, [&](ModelWriter& writer, Random& random) {
    const std::string a = writer.add_body(), b = writer.add_body();
    const JointType &first = pick(joints_with(bench, 1, 6), random), &twice = pick(joints_with(bench, 1, 5), random);
    writer.add_joint("first", first.name(), first.fields(), "ground", a);
    writer.add_joint("second", twice.name(), twice.fields(), a, b);
    writer.repeat_joint("twin");
  });
}

/// A chain whose first body has no mass: two joints of one freedom each move what comes after it.
Sample with_massless_body(const Bench& bench, std::uint64_t seed) {
  return bench.sample(seed, [&](ModelWriter& writer, Random& random) {
    const std::string a = writer.add_massless_body(), b = writer.add_body(), c = writer.add_body();
    const JointType &first = pick(joints_with(bench, 1, 1), random), &second = pick(joints_with(bench, 1, 1), random),
                    &third = pick(joints_with(bench, 1, 6), random);
    writer.add_joint("first", first.name(), first.fields(), "ground", a);
    writer.add_joint("second", second.name(), second.fields(), a, b);
    writer.add_joint("third", third.name(), third.fields(), b, c);
  });
}

}  // namespace

void check_abilities_of(const Formulation& formulation, const Bench& bench, Checklist& list) {
  Catalog further = bench.catalog();  // the kit's own types stand in for whatever else has their names
  further.forces[std::string(lagging_damper().name())] = &lagging_damper();
  further.forces[std::string(switched_spring().name())] = &switched_spring();
  further.joints[std::string(screw_joint().name())] = &screw_joint();
  const Bench with_further(bench, further);
  const auto check = [&](Ability ability, std::string_view what, const Make& make) {
    check_ability(formulation, ability, what, make, bench, list);
  };
  check(Ability::closed_loops, "closed loops", [&](std::uint64_t seed) {
    return bench.random_model({seed, 4, 2, false});
  });
  check(Ability::constraint_elements, "constraint elements",
        with_element(further.constraints, "constraints", bench, any_type));
  check(Ability::modules, "modules", with_element(further.modules, "modules", bench, any_type));
  check(Ability::first_order_states, "forces with first-order states",
        with_element(further.forces, "forces", with_further, has_states));
  check(Ability::discrete_states, "forces with discrete states",
        with_element(further.forces, "forces", with_further, has_discrete));
  check(Ability::code_joints, "joints that are code",
        [&](std::uint64_t seed) { return with_code_joints(with_further, seed); });
  check(Ability::rheonomic_joints, "joints that depend on time",
        [&](std::uint64_t seed) { return with_rheonomic_joint(bench, seed); });
  check(Ability::flexible_bodies, "flexible bodies", [&](std::uint64_t seed) { return flexible_model(bench, seed); });
  // If these two are not declared, a solution shows whether they are needed.
  if (has(formulation.abilities(), Ability::redundant_constraints))
    check(Ability::redundant_constraints, "redundant constraints",
          [&](std::uint64_t seed) { return with_redundant_joint(bench, seed); });
  if (has(formulation.abilities(), Ability::singular_mass))
    check(Ability::singular_mass, "bodies without mass",
          [&](std::uint64_t seed) { return with_massless_body(bench, seed); });
}

}  // namespace polyform::host::conformance
