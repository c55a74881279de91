// A mass on a slide, on which formulas and signals are tried in every formulation.
#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/command/command_runner.hpp"

namespace polyform::test {

inline const std::vector<std::string> solvers{"riccati", "reduced", "particles", "hierarchy", "thompson", "cartesian"};

/// A mass of 2 kg on a slide along x without gravity; `more` adds sections.
inline std::string slide(const std::string& more, const std::string& initial = "{}") {
  return "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n"
         "  - {name: block, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}\n"
         "joints:\n"
         "  - {name: slide, type: prismatic, base: ground, moving: block, position: [0, 0, 0], axis: [1, 0, 0],\n"
         "     initial: " +
         initial + "}\n" + more +
         "simulation: {duration: 2, integrator: dopri5, tolerance: {relative: 1e-11, absolute: 1e-13}, "
         "output_interval: 0.1}\n";
}
inline std::string force(const std::string& formula) {
  return "forces:\n  - {name: f, type: joint-force, joint: slide, effort: {expression: \"" + formula + "\"}}\n";
}

/// The rows of a run.
inline Table run(const Workshop& shop, const std::string& file, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"run", file, "--output", "-", "--quiet"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = shop.run(arguments);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  return read_table(outcome.out);
}

}  // namespace polyform::test
