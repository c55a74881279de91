// Linear models of text models, by every formulation that can run them.
#pragma once

#include <string>
#include <vector>

#include "framework/workbench/linearization/equilibrium.hpp"
#include "framework/workbench/linearization/modes.hpp"
#include "framework/workbench/linearization/multi_blade.hpp"
#include "tests/support/workbench.hpp"

namespace polyform::test {

struct LinearCase {
  const Formulation* formulation;
  host::OperatingPoint point;
  host::Linearization linear;
  host::Modes modes;
};

host::SolverMaker maker(const Formulation&, const SolverOptions& = {});
/// The initial state of a system.
host::OperatingPoint initial_point(const host::System&);
/// At the initial state with the inputs and outputs of these patterns, by every formulation.
std::vector<LinearCase> linearize_all(const host::System&, const std::vector<std::string>& inputs = {"none"},
                                      const std::vector<std::string>& outputs = {});
/// At one point, by one formulation.
LinearCase linearize_at(const host::System&, const Formulation&, const host::OperatingPoint&,
                        const std::vector<std::string>& inputs = {"none"},
                        const std::vector<std::string>& outputs = {});
/// Natural frequencies of oscillating modes, ascending, rad/s.
std::vector<double> frequencies(const host::Modes&);

}  // namespace polyform::test
