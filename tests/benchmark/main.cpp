// Times the formulations of this build and the engines that are installed; see README.md.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/benchmark/correction.hpp"
#include "tests/benchmark/headline.hpp"
#include "tests/benchmark/measure.hpp"

namespace polyform::benchmark {
namespace {

constexpr int bad_input = 2;
constexpr std::string_view correction = "correction";  // among the runs in time

struct Options {
  std::vector<std::string> systems, solvers, engines;
  std::vector<std::size_t> sizes{10, 100, 1000, 10000, 50000, 200000};
  std::string json, plot;
  bool headline = true;
  std::vector<std::string> only;   ///< these runs in time, and nothing else
  double correction_scale = 0.05;  ///< of the paper's simulated times
  int correction_rounds = 9;
  Settings settings;
};

/// The names of a range of things that have one.
template <class Range>
std::vector<std::string> names_of(const Range& range) {
  std::vector<std::string> names;
  for (const auto& item : range) names.emplace_back(item.name);
  return names;
}

std::vector<const Formulation*> formulations(const host::Registry& registry) {
  std::vector<const Formulation*> all;
  for (const auto& [name, formulation] : registry.catalog().formulations) all.push_back(formulation);
  std::ranges::stable_sort(all, [](auto* a, auto* b) { return a->preference() > b->preference(); });
  return all;
}

/// A list of names from these, or none.
CLI::Validator among(std::vector<std::string> names) {
  names.emplace_back("none");
  return CLI::Validator(
      [names](const std::string& given) {
        if (std::ranges::find(names, given) != names.end()) return std::string();
        return fmt::format("'{}' is not one of {}", given, fmt::join(names, ", "));
      },
      fmt::format("{{{}}}", fmt::join(names, ",")));
}

/// A number above zero.
CLI::Validator positive() {
  return CLI::Validator(
      [](const std::string& given) {
        double value = 0;
        const bool good = CLI::detail::lexical_cast(given, value) && value > 0 && value < 1e12;
        return good ? std::string() : fmt::format("'{}' is not a number above zero", given);
      },
      "");
}

void add_options(CLI::App& app, Options& options, const std::vector<std::string>& solvers) {
  app.add_option("--systems", options.systems, "Systems, all when not given")
      ->delimiter(',')
      ->check(among(names_of(systems())));
  app.add_option("--sizes", options.sizes, "Numbers of bodies; a tree takes the next full one")
      ->delimiter(',')
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, std::size_t{10'000'000}));
  app.add_option("--solvers", options.solvers, "Formulations, all when not given")
      ->delimiter(',')
      ->check(among(solvers));
  app.add_option("--engines", options.engines, "Engines, all that are built in when not given")
      ->delimiter(',')
      ->check(among(names_of(engines())));
  const auto number = [&](const char* name, double& value, const char* meaning) {
    app.add_option(name, value, meaning)->capture_default_str()->check(positive());
  };
  number("--time", options.settings.row_seconds, "Seconds of timing per row, shared by the columns");
  number("--limit", options.settings.limits.seconds, "Seconds that a column may take to load and evaluate twice");
  number("--memory", options.settings.limits.gibibytes, "GiB of address space that a column may take");
  number("--tolerance", options.settings.tolerance, "Relative difference of accelerations that counts as equal");
  CLI::Option* none = app.add_flag("!--no-headline", options.headline, "Leave out the runs in time");
  std::vector<std::string> headlines = headline_names();
  headlines.emplace_back(correction);
  app.add_option("--headline", options.only, "Only these runs in time, and nothing else")
      ->delimiter(',')
      ->check(CLI::IsMember(headlines))
      ->excludes(none);
  number("--scale", options.correction_scale, "Simulated times of the correction's runs over those of the paper");
  app.add_option("--rounds", options.correction_rounds, "Runs of each kind of correction, of which the median counts")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  app.add_option("--json", options.json, "File for all figures");
  app.add_option("--plot", options.plot, "File for a plot (SVG)");
}

bool wanted(const std::vector<std::string>& names, std::string_view name) {
  return names.empty() || std::ranges::find(names, name) != names.end();
}

class Benchmark {
 public:
  Benchmark(const host::Registry& registry, const Options& options) : registry_(registry), options_(options) {
    for (const Formulation* f : formulations(registry)) {
      if (!wanted(options.solvers, f->name())) continue;
      formulations_.push_back(f);
      results_.columns.push_back({std::string(f->name()), POLYFORM_VERSION, true});
      runners_.push_back({f, nullptr});
    }
    for (const EngineInfo& engine : engines()) {
      if (!wanted(options.engines, engine.name)) continue;
      results_.columns.push_back({std::string(engine.name), engine.version, false});
      runners_.push_back({nullptr, engine.make});
    }
  }

  void run() {
    if (options_.only.empty()) run_systems();
    if (!options_.headline || formulations_.empty()) return;
    for (const std::string& name : headline_names()) {
      if (!wanted(options_.only, name)) continue;
      show_progress(fmt::format("  {} …", name));
      const std::vector<Run> runs = headline_runs(name, formulations_, registry_, options_.settings.limits);
      show_progress({});
      if (runs.empty()) fmt::print("{}: none of its lines is one of the formulations asked for\n", name);
      print_runs(runs);
      results_.runs.insert(results_.runs.end(), runs.begin(), runs.end());
    }
    if (wanted(options_.only, correction)) {
      show_progress("  direct correction …");
      results_.corrections =
          correction_runs(registry_, options_.settings.limits, options_.correction_scale, options_.correction_rounds);
      show_progress({});
      print_corrections(results_.corrections);
    }
  }
  const Results& results() const { return results_; }

 private:
  /// A line on a terminal that the next one replaces.
  static void show_progress(const std::string& what) {
    if (::isatty(STDERR_FILENO)) fmt::print(stderr, "\r{:<40}\r", what);
  }
  void run_systems() {
    fmt::print(
        "Nanoseconds per body for one evaluation of all accelerations, one thread, least of many; in brackets "
        "times the\nfastest formulation. !: accelerations differ by more than {:g} of the largest.\n",
        options_.settings.tolerance);
    for (const Column& column : results_.columns) fmt::print("  {} {}\n", column.name, column.version);
    fmt::print("\n");
    for (const SystemInfo& system : systems())
      if (wanted(options_.systems, system.name)) run_system(system);
  }
  void run_system(const SystemInfo& system) {
    fmt::print("{}: {}\n", system.name, system.meaning);
    std::vector<std::string> excluded(results_.columns.size());
    for (const std::size_t size : options_.sizes) {
      show_progress(fmt::format("  n = {} …", size));
      Row row = measure_row(system, size, results_.columns, runners_, excluded, registry_, options_.settings);
      for (std::size_t i = 0; i < excluded.size(); ++i)
        if (row.cells[i].kind == Cell::Kind::cannot) excluded[i] = row.cells[i].reason;
      results_.rows.push_back(std::move(row));
    }
    show_progress({});
    print_table(results_, std::string(system.name));
  }

  const host::Registry& registry_;
  const Options& options_;
  std::vector<const Formulation*> formulations_;
  std::vector<Runner> runners_;
  Results results_;
};

void write_file(const std::string& file, const std::string& text) {
  if (file.empty()) return;
  std::ofstream stream(file);
  stream << text;
  stream.close();
  if (!stream) throw std::runtime_error(file + " cannot be written");
}

int run(int argc, char** argv) {
  const host::Registry registry;
  std::vector<std::string> solvers;
  for (const Formulation* f : formulations(registry)) solvers.emplace_back(f->name());
  Options options;
  CLI::App app("Times the formulations of this build beside the engines that are installed.", "polyform_benchmark");
  add_options(app, options, solvers);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& problem) {
    return app.exit(problem) == 0 ? 0 : bad_input;
  }
  std::ranges::sort(options.sizes);
  options.sizes.erase(std::unique(options.sizes.begin(), options.sizes.end()), options.sizes.end());
  Benchmark benchmark(registry, options);
  benchmark.run();
  write_file(options.json, nlohmann::json(benchmark.results()).dump(1) + "\n");
  write_file(options.plot, plot(benchmark.results()));
  return 0;
}

}  // namespace
}  // namespace polyform::benchmark

int main(int argc, char** argv) {
  try {
    return polyform::benchmark::run(argc, argv);
  } catch (const std::exception& problem) {
    fmt::print(stderr, "polyform_benchmark: {}\n", problem.what());
    return 1;
  }
}
