#include "tests/benchmark/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "tests/benchmark/formulation_engine.hpp"

namespace polyform::benchmark {
namespace {

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// What the columns of a row share.
struct Subject {
  const Mechanism& mechanism;
  std::optional<PolyformModel> model;
  std::string model_failure;

  std::unique_ptr<Engine> make(const Runner& runner) const {
    if (runner.engine) return runner.engine();
    if (!model) throw Cannot(model_failure);
    return formulation_engine(*runner.formulation, *model);
  }
};

/// Evaluates both states in turn, with the least time of one evaluation over short batches.
class Timer {
 public:
  Timer(Engine& engine, double first) : engine_(engine), least_(first) {
    constexpr double batch_seconds = 5e-4, most = 1e5;
    batch_ = 2 * static_cast<std::size_t>(std::clamp(0.5 * batch_seconds / first, 0.0, most) + 1);
  }
  void round() {
    const auto begin = Clock::now();
    engine_.evaluate(1);  // back into the caches, which the other columns have used
    const auto start = Clock::now();
    for (std::size_t i = 0; i < batch_; ++i) engine_.evaluate(i & 1);
    least_ = std::min(least_, since(start) / static_cast<double>(batch_));
    spent_ += since(begin);
  }
  double least() const { return least_; }
  double spent() const { return spent_; }

 private:
  Engine& engine_;
  double least_, spent_ = 0;
  std::size_t batch_;
};

/// Loads and evaluates once, in a process of its own.
void try_column(const Subject& subject, const Runner& runner, const Limits& limits, Cell& cell) {
  const ProcessResult result = run_in_process(
      [&] {
        const MemoryCount memory;
        const auto start = Clock::now();
        const std::unique_ptr<Engine> engine = subject.make(runner);
        engine->load(subject.mechanism);
        const double load_seconds = since(start);
        engine->evaluate(0);
        const auto second = Clock::now();
        engine->evaluate(1);
        const double seconds = since(second);
        return nlohmann::json{load_seconds, seconds, memory.bytes()}.dump();
      },
      limits);
  if (!result.good) {
    cell.reason = result.text;
    return;
  }
  const nlohmann::json numbers = nlohmann::json::parse(result.text);
  cell.kind = Cell::Kind::good;
  cell.load_seconds = numbers[0];
  cell.seconds = numbers[1];
  cell.memory = numbers[2];
}

/// Largest difference in either state, relative to the largest acceleration.
double deviation(Engine& engine, const std::vector<double> (&expected)[2]) {
  double worst = 0;
  for (std::size_t state = 0; state < 2; ++state) {
    std::vector<double> found(expected[state].size());
    engine.evaluate(state);
    engine.accelerations(found);
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      largest = std::max(largest, std::abs(expected[state][i]));
      difference = std::isfinite(found[i]) ? std::max(difference, std::abs(found[i] - expected[state][i])) : INFINITY;
    }
    worst = std::max(worst, difference / largest);
  }
  return std::isfinite(worst) ? worst : 1e300;
}

class RowMaker {
 public:
  RowMaker(const Subject& subject, std::span<const Runner> runners, const Settings& settings)
      : subject_(subject), runners_(runners), settings_(settings) {}

  void fill(Row& row, std::span<const std::string> excluded) {
    for (std::size_t i = 0; i < runners_.size(); ++i) {
      if (excluded[i].empty()) {
        try_column(subject_, runners_[i], settings_.limits, row.cells[i]);
      } else {
        row.cells[i].reason = excluded[i];
      }
      if (row.cells[i].kind == Cell::Kind::good) load(row.cells[i], runners_[i]);
    }
    compare();
    time();
  }

 private:
  void load(Cell& cell, const Runner& runner) {
    std::unique_ptr<Engine> engine = subject_.make(runner);
    engine->load(subject_.mechanism);
    loaded_.push_back({&cell, std::move(engine)});
  }
  void compare() {
    if (loaded_.empty()) return;
    std::vector<double> expected[2];
    for (std::size_t state = 0; state < 2; ++state) {
      expected[state].resize(subject_.mechanism.tree_velocities());
      loaded_.front().engine->evaluate(state);
      loaded_.front().engine->accelerations(expected[state]);
    }
    for (Loaded& l : loaded_) {
      l.cell->deviation = deviation(*l.engine, expected);
      if (l.cell->deviation > settings_.tolerance) l.cell->kind = Cell::Kind::differs;
    }
  }
  void time() {
    std::vector<Timer> timers;
    for (const Loaded& l : loaded_) timers.emplace_back(*l.engine, l.cell->seconds);
    const double share = settings_.row_seconds / static_cast<double>(std::max<std::size_t>(timers.size(), 1));
    for (bool again = true; again;) {
      again = false;
      for (Timer& timer : timers)
        if (timer.spent() < share) {
          timer.round();
          again = true;
        }
    }
    for (std::size_t i = 0; i < timers.size(); ++i) loaded_[i].cell->seconds = timers[i].least();
  }

  struct Loaded {
    Cell* cell;
    std::unique_ptr<Engine> engine;
  };
  const Subject& subject_;
  std::span<const Runner> runners_;
  const Settings& settings_;
  std::vector<Loaded> loaded_;
};

}  // namespace

Row measure_row(const SystemInfo& system, std::size_t bodies, std::span<const Column> columns,
                std::span<const Runner> runners, std::span<const std::string> excluded, const host::Registry& registry,
                const Settings& settings) {
  Row row;
  row.system = system.name;
  row.bodies = bodies;
  for (const Column& column : columns) {
    row.cells.emplace_back();
    row.cells.back().column = column.name;
  }
  const ProcessResult result = run_in_process(
      [&] {
        const Mechanism mechanism = system.make(bodies);
        row.bodies = mechanism.bodies.size();
        Subject subject{mechanism, {}, {}};
        const MemoryCount memory;
        try {
          if (std::ranges::any_of(runners, [](const Runner& r) { return r.formulation; }))
            subject.model.emplace(mechanism, registry);
        } catch (const Cannot& problem) {
          subject.model_failure = problem.what();
        }
        if (subject.model) {
          row.read_seconds = subject.model->read_seconds;
          row.assemble_seconds = subject.model->assemble_seconds;
          row.model_memory = memory.bytes();
        }
        RowMaker(subject, runners, settings).fill(row, excluded);
        return nlohmann::json(row).dump();
      },
      {0, settings.limits.gibibytes * static_cast<double>(runners.size() + 1)});
  if (result.good) return nlohmann::json::parse(result.text).get<Row>();
  for (Cell& cell : row.cells) cell.reason = result.text;
  return row;
}

}  // namespace polyform::benchmark
