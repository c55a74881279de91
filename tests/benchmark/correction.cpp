#include "tests/benchmark/correction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <nlohmann/json.hpp>

#include "framework/host/simulation/simulate.hpp"
#include "tests/benchmark/formulation_engine.hpp"
#include "tests/support/integrators.hpp"

namespace polyform::benchmark {
namespace {

struct Case {
  std::string_view table, model;
  double simulated;  ///< s
  double step = 0;   ///< s; 0: the model's
  double most = 0;   ///< s, of one run: as many runs are made as have the simulated time together; 0: one run
};
// At the steps of their models the loops need a correction every so many steps only, at four times of them nearly
// always. Without correction the four-link mechanism comes onto another branch after 3.9 s: until then runs compare.
constexpr double long_step_of_slides = 0.002, long_step = 0.004;
// The model's own step resolves its stiffest mode; joints are the same at this one, and RK4 is stable.
constexpr double stable_step = 0.002;
constexpr Case cases[] = {{"Table 1", "four_link_flexible", 50, 0, 3.5},
                          {"Table 1", "four_link_flexible", 100, 0, 3.5},
                          {"Table 1", "four_link_flexible", 200, 0, 3.5},
                          {"Table 2", "many_loops_flexible", 50, stable_step},
                          {"Table 2", "many_loops_flexible", 100, stable_step},
                          {"Table 2", "many_loops_flexible", 200, stable_step},
                          {"Table 3", "pins_and_slides_loop", 50},
                          {"Table 3", "pins_and_slides_loop", 100},
                          {"Table 3", "pins_and_slides_loop", 200},
                          {"Table 3", "pins_and_slides_loop", 200, long_step_of_slides},
                          {"Fig. 22", "loop_of_rods_100", 20},
                          {"Fig. 22", "loop_of_rods_200", 20},
                          {"Fig. 22", "loop_of_rods_300", 20},
                          {"Fig. 22", "loop_of_rods_500", 20},
                          {"Fig. 22", "loop_of_rods_100", 40, long_step},
                          {"Fig. 22", "loop_of_rods_200", 40, long_step},
                          {"Fig. 22", "loop_of_rods_300", 40, long_step},
                          {"Fig. 22", "loop_of_rods_500", 40, long_step}};

using Options = std::vector<std::pair<std::string, std::string>>;

const Options& options_of(std::size_t choice) {
  static const Options all[Correction::choices] = {
      {{"correction", "none"}}, {{"jacobian", "semi-analytic"}}, {{"jacobian", "direct-differentiation"}}};
  return all[choice];
}

double processor_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double median(std::vector<double> all) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::ranges::nth_element(all, middle);
  return *middle;
}

struct Timed {
  double seconds = 0, step = 0, violation = 0;
  std::size_t bodies = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Timed, seconds, step, violation, bodies)

/// Processor time of one run, or of several, as in the paper; reading and compiling are no part of it.
Timed run(const Case& item, double simulated, const Formulation& formulation, const Options& options,
          const host::Registry& registry) {
  double unused = 0;
  const auto system =
      assembled(content_of(fmt::format(POLYFORM_MODELS "/{}.yaml", item.model)), registry, unused, unused);
  const host::SolverPointer solver = solver_for(*system, formulation, options);
  host::RunSettings settings = test::run_settings("rk4");
  settings.step = item.step > 0 ? item.step : system->description().simulation.step.value();
  const double runs = item.most > 0 ? std::round(simulated / item.most) : 1;
  settings.duration = settings.output_interval = item.most > 0 ? item.most : simulated;
  double seconds = 0, violation = 0;
  for (double done = 0; done < runs; ++done) {
    const double start = processor_seconds();
    const host::RunRecord record = host::simulate(*system, *solver, settings, {}, {});
    seconds += processor_seconds() - start;
    if (record.end != host::End::done) throw Cannot(record.failure);
    violation = record.constraint_violation;
  }
  return {seconds, settings.step, violation, system->view().bodies.size()};
}

}  // namespace

std::vector<Correction> correction_runs(const host::Registry& registry, const Limits& limits, double scale,
                                        int rounds) {
  const auto& known = registry.catalog().formulations;
  const auto reduced = known.find("reduced");
  if (reduced == known.end()) return {};
  std::vector<Correction> all;
  for (const Case& item : cases) {
    Correction result;
    result.table = item.table;
    result.model = item.model;
    result.simulated = item.simulated * scale;
    if (item.most > 0) result.simulated = item.most * std::max(1.0, std::round(result.simulated / item.most));
    std::vector<double> seconds[Correction::choices], ratios[Correction::choices];
    for (int round = 0; round < rounds; ++round)
      for (std::size_t choice = 0; choice < Correction::choices && result.failure.empty(); ++choice) {
        const ProcessResult done = run_in_process(
            [&] {
              const Timed timed = run(item, result.simulated, *reduced->second, options_of(choice), registry);
              return nlohmann::json(timed).dump();
            },
            {20 * limits.seconds, limits.gibibytes});
        if (!done.good) {
          result.failure = done.text;
          break;
        }
        const Timed timed = nlohmann::json::parse(done.text).get<Timed>();
        seconds[choice].push_back(timed.seconds);
        ratios[choice].push_back(timed.seconds / seconds[0].back());
        result.violation[choice] = timed.violation;
        result.bodies = timed.bodies;
        result.step = timed.step;
      }
    for (std::size_t choice = 0; choice < Correction::choices && result.failure.empty(); ++choice) {
      result.seconds[choice] = median(seconds[choice]);
      result.ratios[choice] = median(ratios[choice]);
    }
    all.push_back(std::move(result));
  }
  return all;
}

}  // namespace polyform::benchmark
