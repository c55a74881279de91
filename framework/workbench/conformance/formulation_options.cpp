// Options of a formulation: that each value works, and that it has an effect.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/host/reading/reader.hpp"
#include "framework/workbench/conformance/agreement.hpp"
#include "framework/workbench/conformance/batch_probe.hpp"
#include "framework/workbench/conformance/formulation_checks.hpp"

namespace polyform::host::inline conformance {

SolverPointer compiled_or_refused(const Formulation& formulation, const SystemView& view,
                                  const Observed::Options& given, std::string* refusal) {
  Diagnostics diagnostics;
  Description storage;
  const std::vector<FieldValue> options =
      read_options(formulation.options(), given, formulation.name(), storage, diagnostics);
  SolverPointer solver;
  if (!diagnostics.failed() && can_run(formulation, view, diagnostics))
    solver.reset(formulation.compile(view, options, diagnostics));
  if (!solver && (diagnostics.all().empty() || diagnostics.all().front().message.empty()))
    throw Failure(Exit::simulation_failed, "it refuses without a sentence");
  if (!solver && refusal != nullptr) *refusal = diagnostics.all().front().message;
  return solver;
}

bool is_finite(const Observation& o) {
  const auto finite = [](double x) { return std::isfinite(x); };
  const StateView& s = o.state();
  for (const std::span<double>& list : {s.q, s.v, s.eta, s.etadot, s.x, o.acceleration, o.modal_acceleration,
                                        o.state_rates, o.module_multipliers, o.constraint_multipliers})
    if (!std::ranges::all_of(list, finite)) return false;
  for (const double x : {o.kinetic_energy, o.potential_energy, o.power, o.position_violation, o.velocity_violation})
    if (!finite(x)) return false;
  for (const Observation::Body& b : o.bodies) {
    for (const Vec3& x : {b.pose.position, b.velocity, b.angular_velocity, b.acceleration, b.angular_acceleration})
      if (!finite(norm(x))) return false;
    if (!finite(norm(b.pose.orientation))) return false;
  }
  return std::ranges::all_of(o.reactions, [&](const Spatial& r) { return finite(norm(r.angular) + norm(r.linear)); });
}

namespace {

/// Whether, with one option set, the solver gives finite numbers, or a call fails with a sentence.
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
  m.see(!good || is_finite(store.now()) ? 0 : 1, where(not_finite));
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

/// All that a solver gives around a state: y off the joints, its derivative, and y after a correction.
std::vector<double> numbers_of(Solver& solver, const Case& one) {
  std::vector<double> y(solver.state_size()), ydot(y.size());
  solver.encode(one.state.view(), y);
  Random random(71);
  for (double& x : y) x += random.uniform(-1e-4, 1e-4);
  ObservationStore store(one.sample.view());
  Correction correction;
  solver.derivative(one.time, y, ydot);
  solver.observe(one.time, y, store.now());
  for (const Observation::Body& b : store.now().bodies)
    for (const Vec3& x : {b.acceleration, b.angular_acceleration}) ydot.insert(ydot.end(), {x.x, x.y, x.z});
  ydot.insert(ydot.end(), {store.now().kinetic_energy, store.now().potential_energy, store.now().position_violation});
  solver.correct(one.time, y, correction);
  ydot.insert(ydot.end(), y.begin(), y.end());
  ydot.push_back(static_cast<double>(correction.iterations));
  return ydot;
}

/// An option that changes nothing at all is not read by anybody, or matters only where no random model goes.
void check_effect(const Formulation& formulation, const FieldSpec& option, const Systems& systems, Checklist& list) {
  list.claim(fmt::format("option {} changes something", option.name), 0, "read every option in compile()",
             [&](Measure& m) {
               std::vector<std::string> values = ends_of(option);
               values.insert(values.end(), option.choices.begin(), option.choices.end());
               for (const auto* cases : {&systems.trees, &systems.loops})
                 for (const Case& one : *cases) {
                   const SolverPointer plain = make_solver(formulation, one.sample.view());
                   const std::vector<double> expected = numbers_of(*plain, one);
                   for (const std::string& value : values) {
                     const SolverPointer other =
                         compiled_or_refused(formulation, one.sample.view(), {{std::string(option.name), value}});
                     if (!other || !same_bits(numbers_of(*other, one), expected)) return m.see(0, "");
                   }
                 }
               throw Undecided("no value of it changes anything in the random models: see that the option is read");
             });
}

}  // namespace

void check_options(const Formulation& formulation, const Systems& systems, Checklist& list) {
  for (const FieldSpec& option : formulation.options()) {
    check_effect(formulation, option, systems, list);
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
                       Observed plain(formulation, one.sample.view(), one.state, one.time),
                           chosen(formulation, one.sample.view(), one.state, one.time, given);
                       m.see(difference(one.sample.view(), plain.now(), chosen.now(), {}).acceleration,
                             "accelerations differ");
                     }
                 });
    for (const std::string& end : ends_of(option))
      list.claim(fmt::format("option {}={}: finite numbers, or a sentence", option.name, end), 0,
                 "narrow the range of the option, or bear its ends", [&](Measure& m) {
                   for (const Case& one : systems.any()) {
                     m.in_model(one.sample.text);
                     see_survival(formulation, one, {{std::string(option.name), end}}, m);
                   }
                 });
  }
}

}  // namespace polyform::host::conformance
