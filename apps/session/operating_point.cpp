#include "apps/session/operating_point.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "apps/session/interruption.hpp"
#include "framework/host/evaluation/not_finite.hpp"
#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/evaluation/state_encoding.hpp"
#include "framework/host/expressions/formula.hpp"
#include "framework/host/reading/report.hpp"
#include "framework/host/simulation/evaluate.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "framework/workbench/linearization/acting.hpp"
#include "framework/workbench/linearization/kept_constraints.hpp"

namespace polyform::apps {

using host::Exit;
using host::Failure;

namespace {

std::optional<double> time_of(const std::string& text) {
  double t = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), t);
  if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(t) || t < 0) return std::nullopt;
  return t;
}

}  // namespace

std::string check_at(const std::string& text) {
  if (text == "initial" || text == "equilibrium" || time_of(text)) return {};
  return "expected initial, equilibrium or a time in s, found " + host::show(text);
}

namespace {

/// Keeps the last state of a run.
class LastState final : public host::RowSink {
 public:
  void row(double, const Observation& now) override { state = host::CanonicalState(as_const(now.state())); }
  host::CanonicalState state;
};

host::RunRecord run_to_state(const host::System& system, Solver& solver, const host::RunSettings& settings,
                             LastState& last, const host::RunControl* control) {
  host::RowSink* sinks[] = {&last};
  if (control != nullptr) return host::simulate(system, solver, settings, sinks, *control);
  const volatile std::sig_atomic_t& interrupted = watch_interruption();
  const InterruptibleWork work;
  return host::simulate(system, solver, settings, sinks, {&interrupted, {}});
}

host::CanonicalState state_at(const host::Catalog& catalog, const host::System& system, const host::SolverMaker& make,
                              double time, const host::RunControl* control) {
  if (time == system.start_time()) return host::CanonicalState(system.initial_state());
  if (time < system.start_time())
    throw Failure(Exit::bad_input, fmt::format("--at {} lies before the start, at {} s", time, system.start_time()),
                  "Give a later time, or an earlier --at-time.");
  host::RunSettings settings = settle(catalog, {}, system.description());
  settings.duration = settings.output_interval = time - settings.start_time;
  const host::SolverPointer solver = make(system.view());
  host::require_constraints(system, *solver);
  LastState last;
  const host::RunRecord run = run_to_state(system, *solver, settings, last, control);
  if (run.end == host::End::failed) throw Failure(Exit::simulation_failed, run.failure, run.remedy);
  if (run.end == host::End::interrupted)
    throw Failure(Exit::interrupted, fmt::format("interrupted at t = {:.6g} s", run.time));
  return std::move(last.state);
}

}  // namespace

void add_point_arguments(CLI::App& app, PointArguments& point) {
  app.add_option("--at", point.at,
                 "initial; equilibrium, searched from the initial state; or a time in s, reached with the model's run "
                 "settings [initial]")
      ->check(CLI::Validator([](std::string& text) { return check_at(text); }, ""))
      ->type_name("WHERE");
  add_equilibrium_arguments(app, point.equilibrium);
}

void add_equilibrium_arguments(CLI::App& app, EquilibriumArguments& equilibrium) {
  app.add_flag("--steady", equilibrium.steady,
               "A steady motion: independent velocities stay as in the initial state [an equilibrium at rest]");
  app.add_option("--trim", equilibrium.trimmed,
                 "Fields of forces and constraints that are free to balance: elevator.angle,thrust.force[0]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("LIST");
  app.add_option("--hold", equilibrium.held, "Joints or coordinates that keep their initial positions: pin,slide.q")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("LIST");
}

host::EquilibriumRequest request_of(const EquilibriumArguments& arguments, const host::System& system) {
  host::EquilibriumRequest request;
  request.steady = arguments.steady;
  request.held = arguments.held;
  if (!arguments.trimmed.empty())
    request.trimmed = host::select_inputs(host::input_fields(system.view(), system.start_time()), arguments.trimmed);
  return request;
}

std::string unbalanced_text(const host::Equilibrium& found) {
  constexpr std::size_t most = 6;
  std::string text;
  for (std::size_t k = 0; k < std::min(most, found.unbalanced.size()); ++k) {
    const host::Unbalanced& u = found.unbalanced[k];
    text += fmt::format("{}{}: {:.6g} {} (acceleration {:.4g})", k == 0 ? "" : "\n  ", u.coordinate, u.force, u.unit,
                        u.acceleration);
  }
  if (found.unbalanced.size() > most) text += fmt::format("\n  and {} more", found.unbalanced.size() - most);
  if (found.kept.empty()) return text;
  text += "\nThe search keeps these speeds as they are given:";
  for (std::size_t k = 0; k < std::min(most, found.kept.size()); ++k) {
    const host::KeptSpeed& kept = found.kept[k];
    const bool alone = std::any_of(found.unbalanced.begin(), found.unbalanced.end(), [&](const host::Unbalanced& u) {
      return u.coordinate == kept.coordinate && u.unit == host::of_no_symmetry;
    });
    text +=
        fmt::format("\n  {} = {:.6g} {}{}", kept.coordinate, kept.speed, kept.unit,
                    alone ? ", with which no steady motion goes on: is it left over from a guess? Then give it 0" : "");
  }
  if (found.kept.size() > most) text += fmt::format("\n  and {} more", found.kept.size() - most);
  return text;
}

host::SolverMaker maker_of(const SolverChoice& choice) {
  return [&choice](const SystemView& view) { return compile(choice, view); };
}

void check_sizes(const host::System& system, const host::SolverMaker& make) {
  const host::SolverPointer solver = make(system.view());
  host::ObservationStore store(system.view());
  std::vector<double> y(solver->state_size());
  host::clear_trouble();
  const double t = system.start_time();
  if (host::encode_at(t, *solver, system.initial_state(), y) != Status::ok ||
      solver->observe(t, y, store.now()) != Status::ok)
    return;
  if (const auto trouble = host::not_finite(system.view(), store.now()))
    throw Failure(Exit::simulation_failed,
                  fmt::format("at t = {:.6g} {}{}", t, std::string_view(*trouble), host::note_of_formula()));
}

host::OperatingPoint find_point(const host::Catalog& catalog, const host::System& system, const host::SolverMaker& make,
                                const PointArguments& arguments, const host::RunControl* control,
                                const host::CanonicalState* near) {
  check_sizes(system, make);
  if (arguments.at == "equilibrium") {
    host::EquilibriumRequest request = request_of(arguments.equilibrium, system);
    request.near = near;
    host::Equilibrium found = host::find_equilibrium(system, make, request);
    if (found.balanced) return std::move(found.point);
    throw Failure(Exit::simulation_failed,
                  fmt::format("no equilibrium was found; what is not balanced:\n  {}", unbalanced_text(found)),
                  "polyform equilibrium tells more; --trim frees fields that could balance it.");
  }
  const EquilibriumArguments& e = arguments.equilibrium;
  if (e.steady || !e.trimmed.empty() || !e.held.empty())
    throw Failure(Exit::bad_input, "--steady, --trim and --hold belong to --at equilibrium");
  host::OperatingPoint point;
  point.time = time_of(arguments.at).value_or(system.start_time());
  point.state = state_at(catalog, system, make, point.time, control);
  return point;
}

const char* name_of_state(const host::Equilibrium& found, bool steady) {
  const bool even =
      std::ranges::none_of(found.driven, [](const host::Driven& d) { return d.accelerates || d.changes; });
  const bool lasts = found.lasting.lasts;
  if (found.driven.empty()) return !lasts ? "momentary balance" : steady ? "steady motion" : "equilibrium";
  return steady && even && lasts ? "steady motion" : "driven motion";
}

bool goes_on(std::string_view name) { return name == "equilibrium" || name == "steady motion"; }

std::string driven_text(std::span<const host::Driven> driven) {
  constexpr std::size_t most = 6;
  std::string text;
  for (std::size_t k = 0; k < std::min(most, driven.size()); ++k) {
    const host::Driven& d = driven[k];
    text += fmt::format("{}{} `{}`, which {}", k == 0 ? "" : "; ", d.kind, d.name,
                        d.accelerates ? d.moves ? "moves and accelerates" : "accelerates"
                        : !d.moves    ? "moves later"
                        : d.changes   ? "moves, and changes its rate later"
                                      : "moves");
  }
  if (driven.size() > most) text += fmt::format("; and {} more", driven.size() - most);
  return text;
}

std::string describe_point(const host::System& system, const PointArguments& arguments,
                           const host::OperatingPoint& point, const host::Linearization& linear, bool constant) {
  std::string text = time_of(arguments.at)          ? fmt::format("at t = {} s", point.time)
                     : arguments.at == "initial"    ? "at the initial state"
                     : arguments.equilibrium.steady ? "at a steady motion"
                                                    : "at an equilibrium";
  if (arguments.at == "equilibrium") {
    host::Equilibrium found;
    found.driven = host::find_driven(system, point);
    found.lasting.lasts = !point.momentary;
    const std::string_view name = name_of_state(found, arguments.equilibrium.steady);
    if (name == "driven motion")
      text = fmt::format("at a state of a driven motion at t = {} s, which is no equilibrium ({})", point.time,
                         driven_text(found.driven));
    else if (!goes_on(name))
      text = fmt::format("at a momentary balance at t = {} s, which is no {}", point.time,
                         arguments.equilibrium.steady ? "steady motion" : "equilibrium");
  }
  for (std::size_t k = 0; k < point.trimmed.size(); ++k)
    text += fmt::format("{} {} = {:.10g}", k == 0 ? ", trimmed with" : ",", point.trimmed[k].name,
                        point.trimmed[k].value + point.offsets[k]);
  // Accelerations within the rounding of an equilibrium count as zero.
  if (!constant && arguments.at != "equilibrium" && linear.unbalanced > host::balance_tolerance)
    text += fmt::format(
        ", which is no equilibrium (accelerations up to {:.3g}): deviations from the motion there, "
        "with time frozen",
        linear.largest_acceleration);
  return text;
}

}  // namespace polyform::apps
