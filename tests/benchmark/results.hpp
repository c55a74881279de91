// What the benchmark finds: plain data, as the outputs show it.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace polyform::benchmark {

struct Column {
  std::string name, version;
  bool formulation = false;
};

/// One system, one column.
struct Cell {
  enum class Kind { good, differs, cannot };

  Kind kind = Kind::cannot;
  std::string column, reason;  ///< reason: why it cannot
  double seconds = 0;          ///< least, of one evaluation
  double deviation = 0;        ///< of its accelerations, relative to the largest one
  double load_seconds = 0;     ///< to make the engine's model (a formulation: to compile and encode)
  double memory = 0;           ///< bytes at the peak of loading and evaluating, beyond the mechanism
};

struct Row {
  std::string system;
  std::size_t bodies = 0;
  double read_seconds = 0, assemble_seconds = 0, model_memory = 0;  ///< of the host's model, shared by the formulations
  std::vector<Cell> cells;                                          ///< one per column
};

/// A run of one formulation that a paper's headline, or a goal of the project, speaks of.
struct Run {
  std::string model, solver, failure;  ///< solver: the formulation with its options
  std::string integrator;
  std::size_t bodies = 0, state_size = 0, steps = 0;
  double simulated = 0, step = 0;  ///< s; step: the first, where the integrator adapts it
  double deviation = 0;            ///< of a body at the end from where the first solver of the model has it, m
  bool conservative = true;        ///< whether energy_drift measures an error
  double read_seconds = 0, assemble_seconds = 0, compile_seconds = 0, run_seconds = 0;
  double seconds_per_evaluation = 0, energy_drift = 0, memory = 0;
};

/// One row of "direct correction": the same run without it, with the semi-analytic Jacobian, with direct
/// differentiation.
struct Correction {
  static constexpr std::size_t choices = 3;

  std::string table, model, failure;  ///< table: of the paper
  std::size_t bodies = 0;
  double simulated = 0, step = 0;  ///< s
  double seconds[choices] = {};    ///< of processor time, median of the rounds
  double ratios[choices] = {};     ///< to no correction, median of those within a round
  double violation[choices] = {};  ///< of the constraints at the end: m, rad
};

struct Results {
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::vector<Run> runs;
  std::vector<Correction> corrections;
};

void to_json(nlohmann::json&, const Column&);
void to_json(nlohmann::json&, const Row&);
void from_json(const nlohmann::json&, Row&);
void to_json(nlohmann::json&, const Run&);
void from_json(const nlohmann::json&, Run&);
void to_json(nlohmann::json&, const Correction&);
void to_json(nlohmann::json&, const Results&);

/// Slope of log(seconds per evaluation) against log(bodies): 1 when the cost is linear. Zero with fewer than two
/// points.
double growth_exponent(const Results&, const std::string& system, std::size_t column);

// The outputs; table.cpp and plot.cpp
void print_table(const Results&, const std::string& system);
void print_runs(const std::vector<Run>&);
void print_corrections(const std::vector<Correction>&);
std::string plot(const Results&);

}  // namespace polyform::benchmark
