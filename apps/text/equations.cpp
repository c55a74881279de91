#include "apps/text/equations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "apps/text/equation_matrices.hpp"
#include "apps/text/json_output.hpp"
#include "apps/text/named_matrix.hpp"
#include "apps/text/terminal.hpp"
#include "apps/text/wrapping.hpp"
#include "framework/diagnostics.hpp"
#include "framework/host/evaluation/state_encoding.hpp"
#include "polyform/contract/equations.hpp"

namespace polyform::apps {
namespace {

using host::Exit;
using host::Failure;

/// Unknowns that are still printed: M then has a million numbers.
constexpr std::size_t most_unknowns = 1000;

struct Numbers {
  std::size_t unknowns = 0, rows = 0;
  std::vector<double> M, f, A, b;
};

Numbers form(const host::System& system, Solver& solver, Equations& equations) {
  Numbers n;
  for (std::size_t i = 0; i < equations.blocks(); ++i) n.unknowns += equations.block(i).unknowns;
  for (std::size_t i = 0; i < equations.constraints(); ++i) n.rows += equations.constraint(i).rows;
  if (n.unknowns > most_unknowns)
    throw Failure(Exit::bad_input,
                  fmt::format("the equations have {} unknowns; at most {} are printed", n.unknowns, most_unknowns),
                  "Cut a smaller model out of this one.");
  n.M.resize(n.unknowns * n.unknowns);
  n.f.resize(n.unknowns);
  n.A.resize(n.rows * n.unknowns);
  n.b.resize(n.rows);
  EquationValues values{.M = n.M, .f = n.f, .A = n.A, .b = n.b};
  if (equations.form(system.start_time(), system.initial_state(), values) != Status::ok)
    throw Failure(Exit::simulation_failed,
                  fmt::format("the equations at the initial state cannot be formed: {}", solver.failure()));
  std::vector<double> y(solver.state_size());
  if (host::encode_at(system.start_time(), solver, system.initial_state(), y) != Status::ok)
    print(Severity::warning, fmt::format("the equations do not determine the accelerations: {}", solver.failure()));
  return n;
}

void form(const host::System& system, Solver& solver, EquationMatrices& matrices) {
  const SystemView& view = system.view();
  if (const std::size_t n = 6 * view.bodies.size() + view.modes + view.states; n > most_unknowns)
    throw Failure(Exit::bad_input,
                  fmt::format("the equations have {} unknowns; at most {} are printed", n, most_unknowns),
                  "Cut a smaller model out of this one.");
  if (matrices.form(system.start_time(), system.initial_state()) != Status::ok)
    throw Failure(Exit::simulation_failed,
                  fmt::format("the equations at the initial state cannot be formed: {}", solver.failure()));
}

/// Names of the bodies and modules in each subsystem of a level.
std::vector<std::vector<std::string_view>> subsystems_of(const Equations& equations, std::size_t level) {
  std::vector<std::vector<std::string_view>> subsystems;
  for (std::size_t b = 0; b < equations.blocks(); ++b) {
    const std::size_t m = equations.module_of(b, level);
    if (m >= subsystems.size()) subsystems.resize(m + 1);
    subsystems[m].push_back(equations.block(b).name);
  }
  return subsystems;
}

Json matrix(const std::vector<double>& numbers, std::size_t columns) {
  Json rows = Json::array();
  for (std::size_t first = 0; first < numbers.size(); first += columns)
    rows.push_back(std::vector<double>(numbers.begin() + static_cast<std::ptrdiff_t>(first),
                                       numbers.begin() + static_cast<std::ptrdiff_t>(first + columns)));
  return rows;
}

void add_equations(Json& object, const Equations& equations, const Numbers& n) {
  Json unknowns = Json::array(), constraints = Json::array(), levels = Json::array();
  for (std::size_t i = 0; i < equations.blocks(); ++i)
    unknowns.push_back({{"name", equations.block(i).name}, {"size", equations.block(i).unknowns}});
  for (std::size_t i = 0; i < equations.constraints(); ++i) {
    const Equations::Constraint constraint = equations.constraint(i);
    constraints.push_back(
        {{"kind", constraint.kind}, {"name", constraint.name}, {"rows", constraint.rows}, {"level", constraint.level}});
    if (constraint.covariance != 0) constraints.back()["covariance"] = constraint.covariance;
  }
  for (std::size_t level = 1; level <= equations.levels(); ++level) levels.push_back(subsystems_of(equations, level));
  object["unknowns"] = std::move(unknowns);
  object["constraints"] = std::move(constraints);
  object["levels"] = std::move(levels);
  object["M"] = matrix(n.M, n.unknowns);
  object["f"] = n.f;
  object["A"] = matrix(n.A, n.unknowns);
  object["b"] = n.b;
}

void print_all(const Equations& equations, const Numbers& n) {
  std::vector<MatrixName> unknowns, rows;
  for (std::size_t i = 0; i < equations.blocks(); ++i)
    add_names(unknowns, equations.block(i).name, equations.block(i).unknowns);
  for (std::size_t i = 0; i < equations.constraints(); ++i)
    add_names(rows, equations.constraint(i).name, equations.constraint(i).rows);
  print_named_matrix("M", unknowns, unknowns, n.M);
  print_named_matrix("f", unknowns, {}, n.f);
  print_named_matrix("A", rows, unknowns, n.A);
  print_named_matrix("b", rows, {}, n.b);
}

void print_text(const host::System& system, std::string_view solver, const Equations& equations, const Numbers& n) {
  bool exact = true;
  for (std::size_t i = 0; i < equations.constraints(); ++i) exact = exact && equations.constraint(i).covariance == 0;
  print_paragraphs(fmt::format("{}, solver {}: M a = f + A^T lambda, A a{} = b at t = {}; {} unknowns, {} rows",
                               system.description().name, solver, exact ? "" : " + R lambda", system.start_time(),
                               n.unknowns, n.rows));
  fmt::print(output(), "unknowns\n");
  for (std::size_t i = 0; i < equations.blocks(); ++i)
    fmt::print(output(), "  {} ({})\n", equations.block(i).name, equations.block(i).unknowns);
  fmt::print(output(), "rows\n");
  for (std::size_t i = 0; i < equations.constraints(); ++i) {
    const Equations::Constraint constraint = equations.constraint(i);
    if (constraint.rows == 0) continue;
    fmt::print(output(), "  {} {} ({}){}{}\n", constraint.kind, constraint.name, constraint.rows,
               constraint.level == 0 ? std::string() : fmt::format(", from level {}", constraint.level),
               constraint.covariance == 0 ? std::string() : fmt::format(", R = {:.6g}", constraint.covariance));
  }
  for (std::size_t level = 1; level <= equations.levels(); ++level) {
    const auto subsystems = subsystems_of(equations, level);
    fmt::print(output(), "level {}: {} subsystem{}\n", level, subsystems.size(), subsystems.size() == 1 ? "" : "s");
    for (const auto& names : subsystems)
      fmt::print(output(), "  {}\n", wrapped(fmt::format("{}", fmt::join(names, ", ")), 2, 4));
  }
  print_all(equations, n);
}

}  // namespace

void print_equations(const host::System& system, std::string_view solver_name, Solver& solver, bool json) {
  auto* equations = ask<Equations>(solver);
  auto* matrices = ask<EquationMatrices>(solver);
  if (equations == nullptr && matrices == nullptr)
    throw Failure(Exit::bad_input, fmt::format("{} does not have equations to show", solver_name),
                  "Name another solver with --solver.");
  Json object{{"solver", solver_name}};
  if (matrices != nullptr) form(system, solver, *matrices);
  if (equations != nullptr) {
    const Numbers numbers = form(system, solver, *equations);
    if (json)
      add_equations(object, *equations, numbers);
    else
      print_text(system, solver_name, *equations, numbers);
  } else if (!json) {
    print_paragraphs(
        fmt::format("{}, solver {}: equations at t = {}", system.description().name, solver_name, system.start_time()));
  }
  if (matrices != nullptr && json) object["matrices"] = matrices_json(*matrices);
  if (matrices != nullptr && !json) print_matrices(*matrices);
  if (json) print_json(object);
}

}  // namespace polyform::apps
