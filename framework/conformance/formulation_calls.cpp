// Options, refusals, allocations and threads of a formulation.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "framework/conformance/agreement.hpp"
#include "framework/conformance/allocation_count.hpp"
#include "framework/conformance/formulation_checks.hpp"
#include "framework/conformance/observed.hpp"
#include "framework/reading/reader.hpp"

namespace polyform::host {

namespace {

/// A solver, or nothing after a refusal in a sentence. Failure when the refusal says nothing.
SolverPointer compiled_or_refused(const Formulation& formulation, const SystemView& view,
                                  const Observed::Options& given) {
  Diagnostics diagnostics;
  Description storage;
  const std::vector<FieldValue> options =
      read_options(formulation.options(), given, formulation.name(), storage, diagnostics);
  SolverPointer solver;
  if (!diagnostics.failed() && can_run(formulation, view, diagnostics))
    solver.reset(formulation.compile(view, options, diagnostics));
  if (!solver && (diagnostics.all().empty() || diagnostics.all().front().message.empty()))
    throw Failure(Exit::simulation_failed, "it refuses without a sentence");
  return solver;
}

bool is_finite(const Observation& o) {
  return std::ranges::all_of(o.bodies, [](const Observation::Body& b) {
    return std::isfinite(norm(b.acceleration)) && std::isfinite(norm(b.angular_acceleration));
  });
}

/// With one option set, the solver gives finite numbers, or a call fails with a sentence.
void see_survival(const Formulation& formulation, const Case& one, const Observed::Options& given, Measure& m) {
  const SystemView& view = one.sample.view();
  const auto where = [&](const char* what) {
    return [&, what] { return fmt::format("{} with {}={}", what, given[0].first, given[0].second); };
  };
  const SolverPointer solver = compiled_or_refused(formulation, view, given);
  m.see(0, "");
  if (!solver) return;
  std::vector<double> y(solver->state_size()), ydot(y.size());
  ObservationStore store(view);
  Correction correction;
  const bool good = solver->encode(one.state.view(), y) == Status::ok && solver->derivative(0, y, ydot) == Status::ok &&
                    solver->correct(0, y, correction) == Status::ok && solver->observe(0, y, store.now()) == Status::ok;
  m.see(good || !solver->failure().empty() ? 0 : 1, where("a call fails without a sentence"));
  m.see(!good || is_finite(store.now()) ? 0 : 1, where("accelerations are no finite numbers"));
}

/// The values at the ends of an option's range, as text.
std::vector<std::string> ends_of(const FieldSpec& option) {
  std::vector<std::string> ends;
  const bool whole = option.type == FieldType::integer;
  const auto add = [&](double x) {
    if (std::isfinite(x)) ends.push_back(whole ? fmt::format("{:.0f}", x) : fmt::format("{}", x));
  };
  if (whole || option.type == FieldType::number) {
    add(option.exclusive_minimum ? option.minimum + (whole ? 1 : 1e-12) : option.minimum);
    add(option.maximum);
  }
  if (option.type == FieldType::boolean) ends = {"true", "false"};
  return ends;
}

/// Calls every function of a solver at the case's state.
bool call_all(Solver& solver, const Case& one, std::vector<double>& y, std::vector<double>& ydot,
              ObservationStore& store) {
  Correction correction;
  bool good = solver.encode(one.state.view(), y) == Status::ok;
  for (int round = 0; round < 3; ++round) {
    good &= solver.derivative(0, y, ydot) == Status::ok;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += 1e-3 * ydot[i];
    good &= solver.correct(1e-3, y, correction) == Status::ok;
    good &= solver.observe(1e-3, y, store.now()) == Status::ok;
  }
  return good && solver.decode(y, store.now().state) == Status::ok;
}

/// y after some steps of Euler's method, as often as rounds.
std::vector<double> carried(Solver& solver, const Case& one, int rounds) {
  std::vector<double> y(solver.state_size()), ydot(y.size());
  for (int round = 0; round < rounds; ++round) {
    solver.encode(one.state.view(), y);
    Correction correction;
    for (int step = 0; step < 5; ++step) {
      solver.derivative(step * 1e-3, y, ydot);
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += 1e-3 * ydot[i];
      solver.correct((step + 1) * 1e-3, y, correction);
    }
  }
  return y;
}

const std::vector<Case>& any_systems(const Systems& systems) {
  if (systems.loops.empty() && systems.trees.empty()) throw Undecided("it runs none of the random models");
  return systems.loops.empty() ? systems.trees : systems.loops;
}

}  // namespace

void check_options(const Formulation& formulation, const Systems& systems, Checklist& list) {
  for (const FieldSpec& option : formulation.options()) {
    for (const std::string_view choice : option.choices)
      list.claim(fmt::format("option {}={}: accelerations as without it", option.name, choice), 1e-8,
                 "a choice decides how a motion is found, not which; or it refuses the model in a sentence",
                 [&](Measure& m) {
                   for (const auto* cases : {&systems.trees, &systems.loops})
                     for (const Case& one : *cases) {
                       m.in_model(one.sample.text);
                       const Observed::Options given{{std::string(option.name), std::string(choice)}};
                       see_survival(formulation, one, given, m);
                       if (!compiled_or_refused(formulation, one.sample.view(), given)) continue;
                       Observed plain(formulation, one.sample.view(), one.state),
                           chosen(formulation, one.sample.view(), one.state, given);
                       m.see(difference(one.sample.view(), plain.now(), chosen.now(), {}).acceleration,
                             "accelerations differ");
                     }
                 });
    for (const std::string& end : ends_of(option))
      list.claim(fmt::format("option {}={}: finite numbers, or a sentence", option.name, end), 0,
                 "narrow the range of the option, or bear its ends", [&](Measure& m) {
                   for (const Case& one : any_systems(systems)) {
                     m.in_model(one.sample.text);
                     see_survival(formulation, one, {{std::string(option.name), end}}, m);
                   }
                 });
  }
}

void check_calls(const Formulation& formulation, const Systems& systems, Checklist& list) {
  constexpr std::string_view no_allocation = "nothing is allocated after compile";
  if (!AllocationCount::available()) {
    list.unsupported(no_allocation, "this build of polyform has a sanitizer in it, which owns the heap");
  } else {
    list.claim(no_allocation, 0,
               "all memory is made in compile(): encode, decode, derivative, correct and observe only use it",
               [&](Measure& m) {
                 for (const auto* cases : {&systems.trees, &systems.loops})
                   for (const Case& one : *cases) {
                     m.in_model(one.sample.text);
                     const SolverPointer solver = make_solver(formulation, one.sample.view());
                     std::vector<double> y(solver->state_size()), ydot(y.size());
                     ObservationStore store(one.sample.view());
                     const AllocationCount count;
                     call_all(*solver, one, y, ydot, store);
                     const std::size_t found = count.so_far();
                     m.see(static_cast<double>(found), [&] { return fmt::format("{} allocations", found); });
                   }
               });
  }
  list.claim("two solvers in two threads give what one alone gives", 0,
             "a solver must share no memory with others that it writes to: no static variables", [&](Measure& m) {
               for (const Case& one : any_systems(systems)) {
                 m.in_model(one.sample.text);
                 const auto make = [&] { return make_solver(formulation, one.sample.view()); };
                 const SolverPointer alone = make(), first = make(), second = make();
                 const std::vector<double> expected = carried(*alone, one, 1);
                 std::vector<double> found[2];
                 std::thread other([&] { found[0] = carried(*first, one, 20); });
                 found[1] = carried(*second, one, 20);
                 other.join();
                 m.see(found[0] == expected && found[1] == expected ? 0 : 1, "the results differ");
               }
             });
}

void check_abilities_of(const Formulation& formulation, const Bench& bench, Checklist& list) {
  const auto check = [&](Ability ability, std::string_view what, const std::function<Sample(std::uint64_t)>& make) {
    const bool declared = has(formulation.abilities(), ability);
    const std::string name = declared ? fmt::format("it runs {}, as it declares", what)
                                      : fmt::format("it refuses {} in a sentence, as it does not declare them", what);
    list.claim(name, 0,
               declared ? "compile() must give a solver that evaluates, or supports() a sentence"
                        : "report to the sink before returning no solver",
               [&](Measure& m) {
                 for (std::uint64_t seed = 500; seed < 504; ++seed) {
                   const Sample sample = make(seed);
                   m.in_model(sample.text);
                   const SolverPointer solver = compiled_or_refused(formulation, sample.view(), {});
                   m.see(!declared && solver ? 1 : 0, "it takes a model that it does not declare to carry");
                   if (!solver) continue;
                   Random random(seed);
                   Observed seen(formulation, sample.view(), random_state(*sample.system, random));
                   m.see(is_finite(seen.now()) ? 0 : 1, "accelerations are no finite numbers");
                 }
               });
  };
  const auto with_element = [&](const auto& types, std::string_view section) {
    return [&, section](std::uint64_t) -> Sample {
      for (const auto& [name, type] : types) {
        if constexpr (std::is_same_v<decltype(type), const ForceType* const>)
          if (type->state_count() == 0) continue;
        try {
          return std::move(cases_of(*type, section, bench, 1, 1).front().sample);
        } catch (const Undecided&) {
          continue;  // the next type may do
        }
      }
      throw Undecided("no loaded type makes such a model");
    };
  };
  check(Ability::closed_loops, "closed loops", [&](std::uint64_t seed) {
    return bench.random_model({seed, 4, 2, false});
  });
  check(Ability::constraint_elements, "constraint elements", with_element(bench.catalog().constraints, "constraints"));
  check(Ability::first_order_states, "forces with first-order states", with_element(bench.catalog().forces, "forces"));
  check(Ability::code_joints, "joints that are code", [&](std::uint64_t seed) {
    for (const Bench::KnownJoint& joint : bench.joints())
      if (joint.type->kernel() != nullptr)
        return bench.sample(seed, [&](ModelWriter& writer, Random&) {
          writer.add_joint("j", joint.type->name(), joint.type->fields(), "ground", writer.add_body());
        });
    throw Undecided("no loaded joint type is code");
  });
  check(Ability::flexible_bodies, "flexible bodies", [&](std::uint64_t seed) { return flexible_model(bench, seed); });
}

}  // namespace polyform::host
