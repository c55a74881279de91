// The results as tables of text.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <span>

#include "tests/benchmark/results.hpp"

namespace polyform::benchmark {
namespace {

constexpr int label_width = 22, cell_width = 18;

void print_line(const std::string& label, const std::vector<std::string>& cells) {
  fmt::print("{:<{}}", label, label_width);
  for (const std::string& cell : cells) fmt::print("{:>{}}", cell, cell_width);
  fmt::print("\n");
}

double nanoseconds_per_body(const Row& row, const Cell& cell) {
  return 1e9 * cell.seconds / static_cast<double>(row.bodies);
}

/// Nanoseconds of the fastest formulation; zero when there is none.
double best_formulation(const Results& results, const Row& row) {
  double best = 0;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    if (!results.columns[i].formulation || row.cells[i].kind != Cell::Kind::good) continue;
    const double ns = nanoseconds_per_body(row, row.cells[i]);
    if (best == 0 || ns < best) best = ns;
  }
  return best;
}

/// Nanoseconds per body and, in brackets, times those of the fastest formulation; ! marks wrong accelerations.
std::string time_text(const Row& row, const Cell& cell, double best) {
  if (cell.kind == Cell::Kind::cannot) return "cannot";
  const double ns = nanoseconds_per_body(row, cell);
  const std::string time = fmt::format("{:.{}f}", ns, ns < 10 ? 1 : 0);
  if (cell.kind == Cell::Kind::differs) return time + " !";
  return best > 0 ? fmt::format("{} ({:.{}f})", time, ns / best, ns / best < 100 ? 2 : 0) : time;
}

std::string megabytes(double bytes) { return fmt::format("{:.{}f}", bytes / 1e6, bytes < 1e7 ? 1 : 0); }

std::vector<std::string> names_of(const Results& results) {
  std::vector<std::string> names;
  for (const Column& column : results.columns) names.push_back(column.name);
  return names;
}

void print_times(const Results& results, const std::string& system) {
  print_line("  bodies", names_of(results));
  for (const Row& row : results.rows) {
    if (row.system != system) continue;
    std::vector<std::string> cells;
    const double best = best_formulation(results, row);
    for (const Cell& cell : row.cells) cells.push_back(time_text(row, cell, best));
    print_line(fmt::format("  {}", row.bodies), cells);
  }
  std::vector<std::string> exponents;
  for (std::size_t i = 0; i < results.columns.size(); ++i) {
    const double exponent = growth_exponent(results, system, i);
    exponents.push_back(exponent == 0 ? "-" : fmt::format("n^{:.2f}", exponent));
  }
  print_line("  growth", exponents);
}

void print_memory(const Results& results, const std::string& system) {
  fmt::print("  peak memory in MB (and seconds to load; of formulations beyond the host's model, which all share)\n");
  for (const Row& row : results.rows) {
    if (row.system != system) continue;
    std::vector<std::string> cells;
    for (const Cell& cell : row.cells)
      cells.push_back(cell.kind == Cell::Kind::cannot
                          ? "-"
                          : fmt::format("{} ({:.2g})", megabytes(cell.memory), cell.load_seconds));
    print_line(fmt::format("  {}", row.bodies), cells);
    if (row.model_memory > 0)
      fmt::print("    host's model: read {:.2g} s, assembled {:.2g} s, {} MB\n", row.read_seconds, row.assemble_seconds,
                 megabytes(row.model_memory));
  }
}

/// One note of a column for all sizes that it speaks of, with the reason or the deviation at the first.
void print_note(const Results& results, const std::string& system, std::size_t column, Cell::Kind kind) {
  std::vector<std::size_t> sizes;
  const Cell* first = nullptr;
  double deviation = 0;
  for (const Row& row : results.rows) {
    const Cell& cell = row.cells[column];
    if (row.system != system || cell.kind != kind) continue;
    if (!first) first = &cell;
    sizes.push_back(row.bodies);
    deviation = std::max(deviation, cell.deviation);
  }
  if (!first) return;
  const std::string& name = results.columns[column].name;
  if (kind == Cell::Kind::cannot)
    fmt::print("  {} cannot (n = {}): {}\n", name, fmt::join(sizes, ", "), first->reason);
  else
    fmt::print("  {} ! (n = {}): accelerations differ by up to {:.1e} of the largest\n", name, fmt::join(sizes, ", "),
               deviation);
}

void print_notes(const Results& results, const std::string& system) {
  for (std::size_t i = 0; i < results.columns.size(); ++i) {
    print_note(results, system, i, Cell::Kind::differs);
    print_note(results, system, i, Cell::Kind::cannot);
  }
}

/// One model: its solvers side by side.
void print_runs_of_model(std::span<const Run> runs) {
  double fastest = 0;
  const Run* first = nullptr;
  std::size_t width = 12;
  for (const Run& r : runs) {
    width = std::max(width, r.solver.size() + 2);
    if (!r.failure.empty()) continue;
    if (!first) first = &r;
    if (fastest == 0 || r.run_seconds < fastest) fastest = r.run_seconds;
  }
  if (first)
    fmt::print("{}: {} bodies, {} s with {}\n", first->model, first->bodies, first->simulated, first->integrator);
  else
    fmt::print("{}\n", runs.front().model);
  fmt::print("  {:<{}}{:>9}{:>8}{:>8}{:>8}{:>10}{:>10}{:>10}{:>15}{:>11}{:>11}{:>8}\n", "", width, "run s", "ratio",
             "state", "steps", "read s", "assemble", "compile", "ns/body/eval.", "energy", "places: m", "MB");
  for (const Run& r : runs) {
    if (!r.failure.empty()) {
      fmt::print("  {:<{}}cannot: {}\n", r.solver, width, r.failure);
      continue;
    }
    fmt::print("  {:<{}}{:>9.3g}{:>8.2f}{:>8}{:>8}{:>10.2g}{:>10.2g}{:>10.2g}{:>15.0f}{:>11}{:>11.1e}{:>8}\n", r.solver,
               width, r.run_seconds, r.run_seconds / fastest, r.state_size, r.steps, r.read_seconds, r.assemble_seconds,
               r.compile_seconds, 1e9 * r.seconds_per_evaluation / static_cast<double>(r.bodies),
               r.conservative ? fmt::format("{:.1e}", r.energy_drift) : "-", r.deviation, megabytes(r.memory));
  }
  fmt::print("\n");
}

}  // namespace

void print_table(const Results& results, const std::string& system) {
  print_times(results, system);
  print_notes(results, system);
  print_memory(results, system);
  fmt::print("\n");
  std::fflush(stdout);
}

void print_runs(const std::vector<Run>& runs) {
  for (auto next = runs.begin(); next != runs.end();) {
    const auto end = std::find_if(next, runs.end(), [&](const Run& r) { return r.model != next->model; });
    print_runs_of_model({next, end});
    next = end;
  }
  std::fflush(stdout);
}

void print_corrections(const std::vector<Correction>& rows) {
  fmt::print(
      "direct correction of closed loops, formulation reduced, RK4: processor time over that without correction\n");
  fmt::print("  {:<9}{:<22}{:>7}{:>9}{:>8}{:>11}{:>10}{:>10}{:>13}{:>12}{:>12}\n", "", "", "bodies", "s", "step",
             "none: s", "semi-an.", "dir.dif.", "drift: none", "semi-an.", "dir.dif.");
  for (const Correction& r : rows) {
    if (!r.failure.empty()) {
      fmt::print("  {:<9}{:<22}cannot: {}\n", r.table, r.model, r.failure);
      continue;
    }
    fmt::print("  {:<9}{:<22}{:>7}{:>9.4g}{:>8}{:>11.4f}{:>10.3f}{:>10.3f}{:>13.1e}{:>12.1e}{:>12.1e}\n", r.table,
               r.model, r.bodies, r.simulated, r.step, r.seconds[0], r.ratios[1], r.ratios[2], r.violation[0],
               r.violation[1], r.violation[2]);
  }
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace polyform::benchmark
