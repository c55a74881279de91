// A module by itself: start, batches, frames, its equations; then in every formulation that carries modules.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/workbench/conformance/allocation_count.hpp"
#include "framework/workbench/conformance/batteries.hpp"
#include "framework/workbench/conformance/canaries.hpp"
#include "framework/workbench/conformance/discrete_checks.hpp"
#include "framework/workbench/conformance/larger.hpp"
#include "framework/workbench/conformance/module_checks.hpp"
#include "framework/workbench/conformance/output_checks.hpp"
#include "framework/workbench/conformance/redrawing.hpp"

namespace polyform::host::inline conformance {

namespace {

/// The values that initial_state gives to instances: u of all of them and then x.
std::vector<double> module_start(const ModuleType& type, Strided<const ElementInstance> instances) {
  constexpr double unwritten = std::numeric_limits<double>::quiet_NaN();
  Canaries given;
  const std::span<double> u = given.numbers("u", instances.size() * type.variables().size(), unwritten),
                          x = given.numbers("x", instances.size() * type.states().size(), unwritten);
  make(type, instances)->initial_state(u, x);
  given.check("initial_state()");
  std::vector<double> all(u.begin(), u.end());
  all.insert(all.end(), x.begin(), x.end());
  return all;
}

void check_start(const ModuleType& type, const std::vector<Case>& cases, Checklist& list) {
  constexpr std::string_view name = "initial_state gives every variable and state, to each instance what it has alone";
  const std::size_t variables = type.variables().size(), states = type.states().size();
  if (variables + states == 0) {
    list.unsupported(name, "not applicable: the type has neither");
    return;
  }
  list.claim(name, 0, "write u and x of all instances, in the order of the instances", [&](Measure& m) {
    for (const Case& one : cases) {
      m.in_model(one.sample.text);
      const Strided<const ElementInstance> instances = one.sample.view().modules[0].instances;
      const std::vector<double> all = module_start(type, instances);
      m.see(all_finite(all) ? 0 : 1, "a value is not written, or not finite");
      for (std::size_t i = 0; i < instances.size(); ++i) {
        const std::vector<double> alone = module_start(type, instances.subspan(i, 1));
        for (std::size_t k = 0; k < alone.size(); ++k) {
          const std::size_t place =
              k < variables ? i * variables + k : instances.size() * variables + i * states + (k - variables);
          m.see(all[place] == alone[k] || std::isnan(alone[k]) ? 0 : 1, "an instance starts otherwise in a batch");
        }
      }
    }
  });
}

void check_batches(const ModuleType& type, const std::vector<Case>& cases, Checklist& list) {
  list.claim("instances in one batch give what each gives alone, in any order", 1e-12,
             "evaluate() must read attachments, u and x of its own instance, and write its own", [&](Measure& m) {
               on_module_paths(cases, m, [&](const Case& one, Path& path, Random& random) {
                 std::vector<ElementInstance> instances(one.sample.view().modules[0].instances.begin(),
                                                        one.sample.view().modules[0].instances.end());
                 std::vector<ModuleState> parts = states_of(one, path, random, 0.05);
                 for (const char* const order : {"in the order of the model", "in the reverse order"}) {
                   ModuleEquations alone;
                   for (std::size_t i = 0; i < parts.size(); ++i)
                     alone.append(evaluate(*make(type, std::span(instances).subspan(i, 1)), type, 1, parts[i]));
                   const ModuleEquations all = evaluate(*make(type, instances), type, instances.size(), joined(parts));
                   m.see(largest_difference(alone.numbers(), all.numbers()), order);
                   std::ranges::reverse(instances);
                   std::ranges::reverse(parts);
                 }
               });
             });
  claim_own_data(
      &type, cases, list, [&](const Case& one) { return make(type, one.sample.view().modules[0].instances); },
      [](const Case& one) {
        Random random(47);
        Path path(one.sample.view(), one.state, random);
        return joined(states_of(one, path, random, 0));
      },
      [&](ModuleBatch& batch, const Case& one, const ModuleState& s) {
        return evaluate(batch, type, one.sample.view().modules[0].instances.size(), s).numbers();
      });
  list.claim("the same input gives the same output", 0, "evaluate() must keep nothing between calls", [&](Measure& m) {
    on_module_paths(cases, m, [&](const Case& one, Path& path, Random& random) {
      const Strided<const ElementInstance> instances = one.sample.view().modules[0].instances;
      const auto batch = make(type, instances);
      const ModuleState now = joined(states_of(one, path, random, 0)),
                        later = joined(states_of(one, path, random, 0.05));
      const auto numbers = [&](const ModuleState& s) { return evaluate(*batch, type, instances.size(), s).numbers(); };
      const std::vector<double> first = numbers(now);
      numbers(later);
      const std::vector<double> again = numbers(now);
      m.see(same_bits(first, again) ? 0 : 1, "a call between two equal ones changes the second");
    });
  });
  claim_no_allocation(list, evaluate_allocates_nothing, make_memory_before, [&](Measure& m) {
    on_module_paths(cases, m, [&](const Case& one, Path& path, Random& random) {
      const Strided<const ElementInstance> instances = one.sample.view().modules[0].instances;
      const ModuleState s = joined(states_of(one, path, random, 0));
      see_allocations(evaluate(*make(type, instances), type, instances.size(), s).allocations, m);
    });
  });
}

/// The equations that the first module of a case gives as drawn, to the last bit, in its initial state.
ModuleEquations as_drawn(const ModuleType& type, const Case& one, double speed) {
  const ModuleInstances& group = one.sample.view().modules[0];
  const auto instance = group.instances.first(1);
  std::vector<double> u = module_start(type, instance);
  std::vector<double> x(u.begin() + static_cast<std::ptrdiff_t>(type.variables().size()), u.end());
  u.resize(type.variables().size());
  return evaluate(*make(type, instance), type, 1, {input_as_drawn(one.sample.view(), group, 0, speed), u, x});
}

void check_finite(const ModuleType& type, const std::vector<Case>& cases, Checklist& list) {
  list.claim("everything it gives is a finite number", 0,
             "guard divisions by lengths and speeds that may be zero, and roots of what may be negative",
             [&](Measure& m) {
               on_module_paths(cases, m, [&](const Case& one, Path& path, Random& random) {
                 const Strided<const ElementInstance> instances = one.sample.view().modules[0].instances;
                 for (const double t : {0.0, 0.1, 0.3}) {
                   const ModuleState s = joined(states_of(one, path, random, t));
                   const ModuleEquations e = evaluate(*make(type, instances), type, instances.size(), s);
                   m.see(all_finite(e.numbers()) ? 0 : 1, "at a random state");
                 }
                 for (const double speed : {0.0, 1.0})
                   m.see(all_finite(as_drawn(type, one, speed).numbers()) ? 0 : 1,
                         speed == 0 ? "as drawn, at rest" : "as drawn, in motion");
               });
             });
}

void check_frames(const ModuleType& type, const std::vector<Case>& cases, Checklist& list) {
  constexpr std::string_view name = "wrenches and rows turn with the frame, all else stays";
  const std::size_t markers = cases.front().sample.view().modules[0].instances[0].markers.size();
  const auto on_each = [&](Measure& m, auto body) {
    on_module_paths(cases, m, [&](const Case& one, Path& path, Random& random) {
      const std::vector<ModuleState> states = states_of(one, path, random, 0);
      const Strided<const ElementInstance> instances = one.sample.view().modules[0].instances;
      double size = 0;  // of the forces of all instances in the system
      for (const double x : evaluate(*make(type, instances), type, instances.size(), joined(states)).numbers())
        size = larger(size, std::abs(x));
      for (std::size_t i = 0; i < states.size(); ++i) body(instances[i], states[i], size, random);
    });
  };
  const auto equations_of = [&](const ModuleState& s) {
    return [&](const ElementInstance& instance, const BatchInput& in) {
      return evaluate(*make(type, std::span(&instance, 1)), type, 1, {in, s.u, s.x});
    };
  };
  claim_drawn_axes(type, markers, list, [&](Measure& m, auto see) {
    on_each(m, [&](const ElementInstance& read, const ModuleState& s, double size, Random&) {
      see(read, s.attachments, equations_of(s), [&](const ModuleEquations& a, const ModuleEquations& b) {
        return largest_difference(a.numbers(), b.numbers(), size);
      });
    });
  });
  if (markers == 0) return list.unsupported(name, "not applicable: it has no markers");
  list.claim(name, 1e-9, turn_with_markers, [&](Measure& m) {
    std::string tied;
    on_each(m, [&](const ElementInstance& read, const ModuleState& s, double size, Random& random) {
      const Mat3 R = rotation_matrix(random.quaternion());
      ModuleEquations expected = equations_of(s)(read, s.attachments);
      for (auto* const turned : {&expected.C, &expected.wrenches})
        for (Spatial& w : *turned) w = {R * w.angular, R * w.linear};
      const auto error_of = [&](const ElementInstance& instance, const BatchInput& there) {
        return largest_difference(expected.numbers(), equations_of(s)(instance, there).numbers(), size);
      };
      see_turned(type, read, s.attachments, R, random.vector(2), error_of, tied, m);
    });
    if (m.seen() == 0) throw Undecided(tied_by(tied));
  });
}

/// Whether the type's rows move by themselves; their work cannot be observed.
bool drives(const ModuleType& type, const Case& one) {
  Random random(43);
  Path path(one.sample.view(), one.state, random);
  const ModuleState s = joined(states_of(one, path, random, 0));
  const Strided<const ElementInstance> instances = one.sample.view().modules[0].instances;
  const ModuleEquations e = evaluate(*make(type, instances), type, instances.size(), s);
  return !std::ranges::all_of(e.velocity_right, [](double x) { return x == 0; });
}

/// Adds systems with a loop that can move and has no redundant constraints to those without loops.
void add_loops(const ModuleType& type, const Bench& bench, std::vector<Case>& systems) {
  try {
    for (Case& one : cases_of(type, "modules", bench, bench.count(10), 1, true)) {
      const ConstraintCount count = one.sample.system->count_constraints();
      if (count.redundant > 0 || count.degrees_of_freedom == 0) continue;
      one.driven = drives(type, one);
      systems.push_back(std::move(one));
    }
  } catch (const Undecided&) {
    // The random joints may close no loop to which the type can be attached.
  }
}

}  // namespace

void check_module(const ModuleType& type, const Bench& bench, Checklist& list) {
  std::vector<Case> systems, several;
  const auto prepare = [&](Measure&) {
    systems = cases_of(type, "modules", bench, bench.count(6), 1);
    for (Case& one : systems) one.driven = drives(type, one);
  };
  if (!list.prepare(instances_are_made, sound_instances, prepare, needs_example)) return;
  try {
    several = cases_of(type, "modules", bench, bench.count(6), 3);
  } catch (const Undecided&) {
    // So small a system may have no room for more of a kind.
  }
  const std::vector<Case>& modules = several.empty() ? systems : several;
  check_finite(type, modules, list);
  check_start(type, modules, list);
  check_module_equations(type, modules, list);
  check_batches(type, modules, list);
  check_frames(type, modules, list);
  check_offers(type, modules, bench, list);
  check_discrete(
      type.descriptor().discrete, modules, list,
      [&](const Case& one) { return make(type, one.sample.view().modules[0].instances); },
      [](const Case& one, Path& path, double t) {
        Random random(41);
        ModuleState s = joined(states_of(one, path, random, t));
        return EventState{std::move(s.attachments), std::move(s.u), std::move(s.x)};
      });
  add_loops(type, bench, systems);
  const bool balanced = systems.front().sample.view().modules[0].instances[0].markers.empty();
  check_in_formulations(systems, balanced, bench, list);
}

}  // namespace polyform::host::conformance
