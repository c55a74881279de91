#include "tests/benchmark/headline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "framework/host/simulation/simulate.hpp"
#include "tests/benchmark/formulation_engine.hpp"
#include "tests/benchmark/headline_cases.hpp"
#include "tests/support/integrators.hpp"

namespace polyform::benchmark {
namespace {

/// Where the bodies are in the last row.
class LastPlaces final : public host::RowSink {
 public:
  void row(double, const Observation& now) override {
    places_.clear();
    for (const Observation::Body& body : now.bodies)
      places_.insert(places_.end(), {body.pose.position.x, body.pose.position.y, body.pose.position.z});
  }
  const std::vector<double>& places() const { return places_; }

 private:
  std::vector<double> places_;
};

host::RunSettings settings_of(const HeadlineCase& item, const host::SimulationItem& model) {
  host::RunSettings settings = test::run_settings();
  settings.duration = settings.output_interval = item.duration;
  if (model.integrator) settings.integrator = test::integrator(*model.integrator);
  settings.step = model.step.value_or(settings.step);
  settings.relative_tolerance = model.relative_tolerance.value_or(settings.relative_tolerance);
  settings.absolute_tolerance = model.absolute_tolerance.value_or(settings.absolute_tolerance);
  return settings;
}

struct Done {
  Run run;
  std::vector<double> places;
};

Done run(const HeadlineCase& item, const Variant& variant, const Formulation& formulation,
         const host::Registry& registry) {
  using Clock = std::chrono::steady_clock;
  Run result;
  const MemoryCount memory;
  const auto system = assembled(item.text(), registry, result.read_seconds, result.assemble_seconds);
  const auto start = Clock::now();
  const host::SolverPointer solver = solver_for(*system, formulation, variant.options);
  std::vector<double> y(solver->state_size());
  if (solver->encode(system->initial_state(), y) != Status::ok) throw Cannot(std::string(solver->failure()));
  result.compile_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const host::RunSettings settings = settings_of(item, system->description().simulation);
  LastPlaces last;
  for (int i = 0; i < item.repetitions; ++i) {
    host::RowSink* const sinks[] = {&last};
    const host::RunRecord record = host::simulate(*system, *solver, settings, sinks, {});
    if (record.end != host::End::done) throw Cannot(record.failure);
    if (i > 0 && record.wall_seconds > result.run_seconds) continue;
    result.run_seconds = record.wall_seconds;
    result.seconds_per_evaluation = record.seconds_per_evaluation;
    result.energy_drift = record.energy_drift;
    result.conservative = record.conservative;
    result.steps = record.steps;
  }
  result.bodies = system->view().bodies.size();
  result.state_size = y.size();
  result.simulated = item.duration;
  result.integrator = settings.integrator.name();
  result.step = settings.step;
  result.memory = memory.bytes();
  return {result, last.places()};
}

double largest_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i + 2 < a.size(); i += 3)
    largest = std::max(largest, norm(Vec3{a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]}));
  return largest;
}

std::string label(const Variant& variant) {
  std::string text = variant.formulation;
  for (const auto& [option, value] : variant.options) text += fmt::format(" {}={}", option, value);
  return text;
}

std::vector<Variant> variants_of(const HeadlineCase& item, std::span<const Formulation* const> formulations) {
  if (!item.variants.empty()) return item.variants;
  std::vector<Variant> all;
  for (const Formulation* formulation : formulations) all.push_back({std::string(formulation->name())});
  return all;
}

/// The variants of one case side by side.
void add_runs(const HeadlineCase& item, std::span<const Formulation* const> formulations,
              const host::Registry& registry, const Limits& limits, std::vector<Run>& runs) {
  std::vector<double> expected;
  for (const Variant& variant : variants_of(item, formulations)) {
    const auto formulation =
        std::ranges::find_if(formulations, [&](const Formulation* f) { return f->name() == variant.formulation; });
    if (formulation == formulations.end()) continue;
    const ProcessResult result = run_in_process(
        [&] {
          const Done done = run(item, variant, **formulation, registry);
          return nlohmann::json{done.run, done.places}.dump();
        },
        {10 * limits.seconds, limits.gibibytes});
    Run done;
    if (result.good) {
      const nlohmann::json both = nlohmann::json::parse(result.text);
      done = both[0].get<Run>();
      const auto places = both[1].get<std::vector<double>>();
      if (expected.empty()) expected = places;
      done.deviation = largest_distance(places, expected);
    } else {
      done.failure = result.text;
    }
    done.model = item.title;
    done.solver = label(variant);
    runs.push_back(std::move(done));
  }
}

}  // namespace

std::vector<std::string> headline_names() {
  std::vector<std::string> names;
  for (const HeadlineCase& item : headline_cases())
    if (names.empty() || names.back() != item.headline) names.push_back(item.headline);
  return names;
}

std::vector<Run> headline_runs(std::string_view name, std::span<const Formulation* const> formulations,
                               const host::Registry& registry, const Limits& limits) {
  std::vector<Run> runs;
  for (const HeadlineCase& item : headline_cases())
    if (item.headline == name) add_runs(item, formulations, registry, limits, runs);
  return runs;
}

}  // namespace polyform::benchmark
