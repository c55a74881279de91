// Runs of models by the command, in every formulation that can run them.
#pragma once

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/command/command_runner.hpp"

namespace polyform::test {

inline constexpr double pi = 3.14159265358979323846, g = 9.81;

inline constexpr std::array formulations{"riccati", "reduced", "particles", "hierarchy", "thompson", "cartesian"};

/// The rows of a run; if it does not end well, fails the test with the messages of the command.
inline Table rows_of(const std::string& model, const std::string& solver, const std::vector<std::string>& more = {}) {
  const Workshop shop;
  std::vector<std::string> words{
      "run",      model,      "--solver",  solver,
      "--output", "rows.csv", "--columns", "joints,bodies,energy,constraints,modules,elements,reactions,accelerations",
      "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome run = shop.run(words);
  INFO(solver << ": " << run.err);
  REQUIRE(run.code == 0);
  return read_table(shop.read("rows.csv"));
}

/// Calls check(rows) for the runs of a model in all formulations but those that are left out.
template <class Check>
void in_formulations(const std::string& model, const Check& check, const std::vector<std::string>& more = {},
                     const std::vector<std::string>& without = {}) {
  for (const std::string solver : formulations) {
    if (std::find(without.begin(), without.end(), solver) != without.end()) continue;
    INFO(model << " by " << solver);
    check(rows_of(model, solver, more));
  }
}

/// A model of a text, in all formulations.
template <class Check>
void in_formulations_of(const std::string& text, const Check& check, const std::vector<std::string>& more = {}) {
  const Workshop shop;
  in_formulations(shop.write("model.yaml", "polyform: 1\n" + text), check, more);
}

}  // namespace polyform::test
