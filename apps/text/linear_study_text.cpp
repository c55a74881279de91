#include "apps/text/linear_study_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "apps/text/linear_text.hpp"
#include "apps/text/terminal.hpp"

namespace polyform::apps {

namespace {

constexpr std::size_t most_values_shown = 40;

std::string eigenvalue_text(std::complex<double> e) {
  return e.imag() == 0 ? fmt::format("{:.6g}", e.real() + 0.0)
                       : fmt::format("{:.6g} +- {:.6g} i", e.real() + 0.0, e.imag());
}

/// Within its error.
bool is_zero(const host::Mode& mode) {
  return mode.kind == host::Mode::Kind::rigid || std::abs(mode.eigenvalue) <= mode.error;
}

std::size_t zeros_of(const host::Modes& modes) {
  std::size_t count = modes.zero_eigenvalues;
  for (const host::Mode& mode : modes.all)
    if (mode.kind != host::Mode::Kind::rigid && is_zero(mode)) count += mode.eigenvalues();
  return count;
}

std::string change_text(const StabilityChange& change) {
  if (change.jumps)
    return fmt::format(
        "{:.10g} (to within {:.1e}): the equilibrium jumps; the search finds another one from there on, and "
        "no eigenvalue is seen to cross; growing eigenvalues {} -> {}",
        change.value, change.error, change.before, change.after);
  if (change.ends)
    return fmt::format(
        "{:.10g} (to within {:.1e}): the equilibrium ends; on one side no other one is found near it or "
        "from the initial state",
        change.value, change.error);
  const double w = change.eigenvalue.imag();
  const std::string what =
      w > 0 ? fmt::format("an oscillation of {:.6g} rad/s", w) : "a motion that does not oscillate";
  constexpr double shown = 1e-10;  // of the value
  const std::string within =
      change.error > shown * std::abs(change.value) ? fmt::format(" (to within {:.1e})", change.error) : "";
  return fmt::format("{:.10g}{}: {} {}; growing eigenvalues {} -> {}", change.value, within, what,
                     change.after > change.before ? "begins to grow" : "stops growing", change.before, change.after);
}

void print_eigenvalues(const LinearStudyPoint& point) {
  if (!point.failure.empty()) {
    print_wrapped(fmt::format("{:>12.6g}        -  no equilibrium is found", point.value), 23);
    return;
  }
  std::string text = fmt::format("{:>12.6g}  {:>7}  ", point.value,
                                 point.of_motion ? std::to_string(point.growing) : std::string("-"));
  const std::size_t indent = text.size();
  const char* separator = "";
  for (const host::Mode& mode : point.modes.all) {
    if (is_zero(mode)) continue;
    text += separator + eigenvalue_text(mode.eigenvalue);
    separator = ", ";
  }
  print_wrapped(text, indent);
}

}  // namespace

void print_linear_study(const LinearStudy& study) {
  print_wrapped(fmt::format("{}, solver {}: eigenvalues over {}", study.system, study.solver, study.path), 2);
  fmt::print(output(), "{:>12}  growing  eigenvalues, rad/s, without those that may be zero\n", "value");
  // Shows some of many values, evenly chosen; the table has all.
  const std::size_t count = study.points.size(), shown = std::min(count, most_values_shown);
  for (std::size_t k = 0; k < shown; ++k)
    print_eigenvalues(study.points[shown < 2 ? 0 : k * (count - 1) / (shown - 1)]);
  if (shown < count) fmt::print(output(), "  {} of {} values; the table and --json have all\n", shown, count);
  if (std::ranges::any_of(study.points, [](const LinearStudyPoint& p) { return p.failure.empty() && !p.of_motion; }))
    print_wrapped(
        "  -: A changes along the motion, so eigenvalues of the matrix frozen at this instant do not tell "
        "whether it is stable",
        5);
  fmt::print(output(), "\n");
  const auto crosses = [](const StabilityChange& c) { return !c.jumps && !c.ends; };
  if (std::ranges::none_of(study.changes, crosses))
    print_wrapped("stability does not change between these values" + std::string(study.changes.empty() ? "" : ", but"),
                  0);
  else
    print_wrapped("stability changes at", 0);
  for (const StabilityChange& change : study.changes) print_wrapped("  " + change_text(change), 4);
}

Json linear_study_json(const LinearStudy& study) {
  Json points = Json::array(), changes = Json::array();
  for (const LinearStudyPoint& point : study.points) {
    Json eigenvalues = Json::array();
    for (const host::Mode& mode : point.modes.all)
      if (!is_zero(mode))
        eigenvalues.push_back(
            {{"real", mode.eigenvalue.real()}, {"imaginary", mode.eigenvalue.imag()}, {"error", mode.error}});
    if (!point.failure.empty()) {
      points.push_back({{"value", point.value}, {"failure", point.failure}});
      continue;
    }
    points.push_back({{"value", point.value},
                      {"modes_of", point.of_motion ? "motion" : "instant"},
                      {"growing", point.growing},
                      {"zero_eigenvalues", zeros_of(point.modes)},
                      {"eigenvalues", std::move(eigenvalues)}});
  }
  for (const StabilityChange& change : study.changes)
    changes.push_back({{"value", change.value},
                       {"error", change.error},
                       {"growing_before", change.before},
                       {"growing_after", change.after},
                       {"real", change.eigenvalue.real()},
                       {"imaginary", change.eigenvalue.imag()},
                       {"jumps", change.jumps},
                       {"ends", change.ends}});
  return {{"model", study.system},
          {"solver", study.solver},
          {"path", study.path},
          {"points", std::move(points)},
          {"changes", std::move(changes)}};
}

host::StudyTable linear_study_table(const LinearStudy& study) {
  host::StudyTable table;
  table.factors = {study.path};
  table.quantities = {"real", "imaginary", "frequency", "damping"};
  table.units = {"1/s", "rad/s", "Hz", ""};
  for (const LinearStudyPoint& point : study.points)
    for (const host::Mode& mode : point.modes.all) {
      if (is_zero(mode)) continue;
      table.rows.push_back({table.rows.size(),
                            {host::number_text(point.value)},
                            {mode.eigenvalue.real(), mode.eigenvalue.imag(),
                             mode.natural_frequency() / (2 * std::numbers::pi), mode.damping_ratio()},
                            true,
                            point.of_motion ? "" : "matrix frozen at an instant"});
    }
  return table;
}

}  // namespace polyform::apps
