#include "apps/operating_point.hpp"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

#include "apps/interruption.hpp"
#include "framework/reading/report.hpp"
#include "framework/simulation/simulate.hpp"

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

std::string check_at(std::string& text) {
  if (text == "initial" || time_of(text)) return {};
  return "expected initial or a time in s, found " + host::show(text);
}

/// Keeps the last state of a run.
class LastState final : public host::RowSink {
 public:
  void row(double, const Observation& now) override { state = host::CanonicalState(as_const(now.state)); }
  host::CanonicalState state;
};

host::CanonicalState state_at(const host::System& system, const host::SolverMaker& make, double time) {
  if (time == 0) return host::CanonicalState(system.initial_state());
  host::RunSettings settings = settle({}, system.description());
  settings.duration = settings.output_interval = time;
  const host::SolverPointer solver = make(system.view());
  LastState last;
  host::RowSink* sinks[] = {&last};
  const host::RunRecord run = host::simulate(system, *solver, settings, sinks, {&watch_interruption(), {}});
  if (run.end == host::End::failed) throw Failure(Exit::simulation_failed, run.failure, run.remedy);
  if (run.end == host::End::interrupted)
    throw Failure(Exit::interrupted, fmt::format("interrupted at t = {:.6g} s", run.time));
  return std::move(last.state);
}

}  // namespace

void add_point_arguments(CLI::App& app, PointArguments& point) {
  app.add_option("--at", point.at,
                 "initial, or a time in s, reached with the model's run "
                 "settings [initial]")
      ->check(CLI::Validator(check_at, ""))
      ->type_name("WHERE");
}

host::SolverMaker maker_of(const SolverChoice& choice) {
  return [&choice](const SystemView& view) { return host::compile(*choice.formulation, view, choice.options); };
}

host::OperatingPoint find_point(const host::System& system, const host::SolverMaker& make,
                                const PointArguments& arguments) {
  host::OperatingPoint point;
  point.time = time_of(arguments.at).value_or(0);
  point.state = state_at(system, make, point.time);
  return point;
}

std::string describe_point(const PointArguments& arguments, const host::OperatingPoint& point,
                           const host::Linearization& linear) {
  std::string text = time_of(arguments.at) ? fmt::format("at t = {} s", point.time)
                                           : fmt::format("at the {} state", arguments.at);
  // Accelerations below what rounding makes of an equilibrium count as none.
  if (linear.largest_acceleration > 1e-8)
    text += fmt::format(", which is no equilibrium (accelerations up to {:.3g}): deviations from the motion there, "
                        "with time frozen",
                        linear.largest_acceleration);
  return text;
}

}  // namespace polyform::apps
