#include "apps/session/sweep_values.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "apps/session/arguments.hpp"
#include "framework/host/reading/report.hpp"

namespace polyform::apps {

namespace {

using host::Exit;
using host::Failure;
using host::SweepOf;

constexpr std::size_t most_values = 1000;
constexpr const char* forms = "Examples: --sweep step=1e-2,1e-3,1e-4   --sweep tolerance=1e-4:1e-10:7";

[[noreturn]] void refuse(const std::string& why) { throw Failure(Exit::bad_input, "--sweep: " + why, forms); }

double positive(const std::string& text) {
  if (const std::string why = check_positive(text); !why.empty()) refuse(why);
  return *positive_number(text);
}

/// The double nearest to 15 digits of the value, so that a power of ten is printed as one.
double to_15_digits(double x) { return *positive_number(fmt::format("{:.15g}", x)); }

std::vector<double> range(const std::vector<std::string>& parts) {
  const double from = positive(parts[0]), to = positive(parts[1]), count = positive(parts[2]);
  if (count != std::floor(count) || count < 2 || count > static_cast<double>(most_values))
    refuse(fmt::format("expected a count from 2 to {}, found {}", most_values, host::show(parts[2])));
  std::vector<double> values;
  for (double k = 0; k < count; ++k) values.push_back(to_15_digits(from * std::pow(to / from, k / (count - 1))));
  values.front() = from;
  values.back() = to;
  return values;
}

/// Refuses to vary a setting that the integrator does not use.
void check_used(SweepOf what, const host::IntegratorChoice& integrator) {
  if (integrator.fixed_step() == (what == SweepOf::step)) return;
  refuse(fmt::format("{} {}", integrator.name(),
                     integrator.fixed_step()
                         ? "takes fixed steps and uses no tolerance; sweep the step, or give another --integrator"
                         : "chooses its steps itself; sweep the tolerance, or give an --integrator of fixed steps"));
}

}  // namespace

SweepRequest read_sweep(const std::string& text, const host::RunSettings& settings) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (equals == std::string::npos || (name != "step" && name != "tolerance"))
    refuse("expected step=... or tolerance=..., found " + host::show(text));
  SweepRequest request{name == "step" ? SweepOf::step : SweepOf::tolerance, {}};
  const std::string list = text.substr(equals + 1);
  const std::vector<std::string> parts = CLI::detail::split(list, ':');
  if (parts.size() == 3)
    request.values = range(parts);
  else if (parts.size() == 1)
    for (const std::string& value : CLI::detail::split(list, ',')) request.values.push_back(positive(value));
  else
    refuse("expected from:to:count, found " + host::show(list));
  if (request.values.size() > most_values) refuse(fmt::format("more than {} values", most_values));
  check_used(request.what, settings.integrator);
  return request;
}

}  // namespace polyform::apps
