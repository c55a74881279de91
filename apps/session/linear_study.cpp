#include "apps/session/linear_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "apps/session/model_settings.hpp"
#include "apps/session/solver_choice.hpp"
#include "apps/text/terminal.hpp"
#include "framework/host/assembly/system.hpp"
#include "framework/host/reading/report.hpp"

namespace polyform::apps {

using host::Exit;
using host::Failure;

namespace {

constexpr std::size_t most_linear_values = 10'000;

/// The values in the order given, those that follow themselves once.
std::vector<double> values_of_factor(const host::Factor& factor) {
  const host::Levels* levels = factor.levels();
  if (levels == nullptr)
    throw Failure(Exit::bad_input,
                  fmt::format("--vary {}: a linear model has one value, not a distribution", factor.name),
                  "Give a list a,b,c or a range from:to:count.");
  if (levels->texts.size() > most_linear_values)
    throw Failure(Exit::bad_input,
                  fmt::format("--vary {}: found {} values, expected {} at most", factor.name, levels->texts.size(),
                              most_linear_values),
                  "Vary it over parts of the range, one after the other.");
  std::vector<double> numbers;
  for (const std::string& text : levels->texts) {
    double& value = numbers.emplace_back();
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
      throw Failure(Exit::bad_input,
                    fmt::format("--vary {}: expected numbers, found {}", factor.name, host::show(text)),
                    "Give a list a,b,c or a range from:to:count.");
  }
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

std::size_t growing_of(const host::Modes& modes) {
  std::size_t count = 0;
  for (const host::Mode& mode : modes.all)
    if (mode.trend == host::Mode::Trend::growing) count += mode.kind == host::Mode::Kind::oscillating ? 2 : 1;
  return count;
}

}  // namespace

LinearStudyWork::LinearStudyWork(const Plugins& plugins, const LinearStudyArguments& arguments,
                                 const host::Factor& factor)
    : plugins_(plugins), arguments_(arguments), path_(factor.name), numbers_(values_of_factor(factor)), model_([&] {
        host::Diagnostics diagnostics;
        host::VariedModel parsed(arguments.model.file, *plugins.catalog, diagnostics,
                                 split_options("--import-option", arguments.model.import_options));
        print(diagnostics);
        if (diagnostics.failed()) throw Failure(Exit::bad_input, already_said);
        set_values(parsed, arguments.model.set);
        return parsed;
      }()) {
  const auto refuse = [](const char* option, const char* why) {
    throw Failure(Exit::bad_input, fmt::format("{} does not go with --vary: {}", option, why),
                  "Leave one of them out.");
  };
  if (!arguments.model.state.empty()) refuse("--state", "a state belongs to one value");
  if (arguments.linear.states == "body") refuse("--states body", "the table has eigenvalues alone");
  if (arguments.linear.period) refuse("--floquet", "the table has eigenvalues alone");
  if (!arguments.linear.inputs.empty()) refuse("--inputs", "the table has eigenvalues alone");
  if (!arguments.linear.outputs.empty()) refuse("--outputs", "the table has eigenvalues alone");
  for (const std::string& path : factor.paths) values_.push_back(model_.add(path));
}

/// Where no equilibrium is found from the neighbour's, one may be from the initial state.
LinearStudyPoint LinearStudyWork::linearize_at(double value, const LinearStudyPoint* near) {
  if (interrupted_ != nullptr && *interrupted_ != 0)
    throw Failure(Exit::interrupted, fmt::format("interrupted while {} was varied", path_));
  const bool searches = arguments_.linear.point.at == "equilibrium";
  if (searches && near != nullptr) {
    try {
      return linearize_from(value, near);
    } catch (const Failure& failure) {
      if (failure.code() != Exit::simulation_failed) throw;
    }
  }
  try {
    return linearize_from(value, nullptr);
  } catch (const Failure& failure) {
    if (!searches || failure.code() != Exit::simulation_failed) throw;
    if (!failed_) failed_ = failure;
    LinearStudyPoint none;
    none.value = value;
    none.failure = failure.message();
    return none;
  }
}

LinearStudyPoint LinearStudyWork::linearize_from(double value, const LinearStudyPoint* near) {
  for (const std::size_t one : values_) model_.set(one, host::number_text(value));
  // Messages about the model are printed at the first value only.
  std::optional<HeldMessages> held;
  if (!system_.empty()) held.emplace();
  host::Diagnostics diagnostics;
  bool missing_plugin = false;
  const host::ReadingOptions options{arguments_.model.lenient,
                                     split_options("--import-option", arguments_.model.import_options)};
  try {
    host::Description description = model_.read(*plugins_.catalog, diagnostics, missing_plugin, options);
    std::unique_ptr<host::System> system;
    if (!diagnostics.failed()) system = host::System::assemble(std::move(description), plugins_.libraries, diagnostics);
    print(diagnostics);
    if (!system) throw Failure(missing_plugin ? Exit::plugin : Exit::bad_input, already_said);
    const SolverChoice choice = choose_solver(*plugins_.catalog, *system, arguments_.solver, arguments_.options);
    system_ = system->description().name;
    solver_ = choice.formulation->name();
    const LinearModel model = linear_model(*plugins_.catalog, *system, choice, arguments_.linear, nullptr, {},
                                           near != nullptr ? &near->equilibrium : nullptr);
    return {value,
            model.stability.modes,
            model.stability.modes_of == host::ModesOf::motion,
            growing_of(model.stability.modes),
            arguments_.linear.point.at == "equilibrium" ? model.point.state : host::CanonicalState(),
            {}};
  } catch (const Failure& failure) {
    const bool said = failure.message() == already_said;
    if (said && !held) throw;
    throw Failure(failure.code(),
                  fmt::format("at {} = {}: {}", path_, value, said ? held->first_error() : failure.message()),
                  failure.remedy());
  }
}

/// What happens between a point of a study and the one before it.
std::optional<StabilityChange> LinearStudyWork::change_between(const LinearStudy& study, std::size_t i) {
  /// Of the steps of the equilibrium beside it: what moves evenly has none so long.
  constexpr double long_step = 3;
  const LinearStudyPoint &before = study.points[i - 1], &after = study.points[i];
  const auto [below, above] =
      std::minmax(before, after, [](const auto& a, const auto& b) { return a.value < b.value; });
  // From the equilibrium before, else from the one after: beyond a fold the first one ends.
  const auto linearize = [&](double value) {
    LinearStudyPoint found = linearize_at(value, before.failure.empty() ? &before : nullptr);
    if (found.failure.empty() || !after.failure.empty()) return found;
    return linearize_at(value, &after);
  };
  if (below.failure.empty() != above.failure.empty()) return find_end(linearize, below, above);
  if (!below.failure.empty()) return std::nullopt;
  if (below.of_motion && above.of_motion && below.growing != above.growing)
    return StabilityCrossing(linearize, std::ranges::min(numbers_), std::ranges::max(numbers_)).find(below, above);
  double beside = 0;
  if (i >= 2) beside = std::max(beside, apart(study.points[i - 2], before));
  if (i + 1 < study.points.size()) beside = std::max(beside, apart(after, study.points[i + 1]));
  return apart(below, above) > long_step * beside ? find_jump(linearize, below, above) : std::nullopt;
}

LinearStudy LinearStudyWork::run(const volatile std::sig_atomic_t& interrupted) {
  interrupted_ = &interrupted;
  LinearStudy study;
  study.path = path_;
  std::optional<std::size_t> last;  // that has an equilibrium
  for (const double value : numbers_) {
    study.points.push_back(linearize_at(value, last ? &study.points[*last] : nullptr));
    if (study.points.back().failure.empty()) last = study.points.size() - 1;
  }
  if (!last && failed_) throw *failed_;
  for (std::size_t i = 1; i < study.points.size(); ++i)
    if (const std::optional<StabilityChange> change = change_between(study, i)) study.changes.push_back(*change);
  study.system = system_;
  study.solver = solver_;
  return study;
}

}  // namespace polyform::apps
