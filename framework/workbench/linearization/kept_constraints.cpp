#include "framework/workbench/linearization/kept_constraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "framework/diagnostics.hpp"
#include "framework/host/assembly/dependent_rows.hpp"
#include "framework/host/assembly/singular_position.hpp"
#include "framework/host/evaluation/absent_constraints.hpp"
#include "framework/host/simulation/evaluate.hpp"
#include "polyform/contract/equations.hpp"

namespace polyform::host::inline linearization {
namespace {

/// Relative accelerations that count as kept: above what solvers leave in well-scaled systems (1e-8 with bodies that
/// spin at 1e6 rad/s), far below the effect of a constraint. A solver may itself accept more, as cartesian does up to
/// 4e-7 in extreme mass ratios, and is then refused too: differences of such accelerations are no linear model.
constexpr double kept = 1e-7;
/// A row that is taken as dependent leaves in the accelerations the part by which it is independent, times the levers
/// of the loop.
constexpr double levers = 100;

/// Whether a solver says that its options leave rows out or let them give way: nothing if it tells no equations.
std::optional<bool> is_loose(const SystemView& view, Solver& solver) {
  const auto* const equations = ask<Equations>(solver);
  if (equations == nullptr) return {};
  for (std::size_t i = 0; i < equations->constraints(); ++i)
    if (equations->constraint(i).covariance > 0) return true;
  return !absent_constraints(view, solver).empty();
}

}  // namespace

std::string singular_position(const System& system, double t, const ConstStateView& state) {
  const std::optional<std::size_t> beside = neighbourhood(system, t, state).degrees_of_freedom;
  if (!beside) return {};
  return fmt::format("The mechanism is in a singular position, in which it has {} degrees of freedom, and {} beside it",
                     system.count_constraints(t, state, {}).degrees_of_freedom, *beside);
}

KeptConstraints::KeptConstraints(const System& system, const SystemView& view, Solver& solver, double t,
                                 const ConstStateView& nominal)
    : system_(system),
      solver_(solver),
      time_(t),
      nominal_(nominal),
      misfit_(view),
      kept_(std::max(kept, levers * nearly_dependent_part(view, t, nominal))) {}

void KeptConstraints::require(double t, const Observation& now, bool beside_nominal) {
  const AccelerationMisfit::Worst worst = misfit_.worst(t, now);
  if (!(worst.size > kept_)) return;
  const std::string left = fmt::format("{} `{}` (relative error {:.1e}", worst.kind, worst.name, worst.size);
  const std::string singular = beside_nominal ? singular_position(system_, time_, nominal_.constant()) : std::string();
  if (!singular.empty())
    throw Failure(Exit::bad_input,
                  fmt::format("there is no linear model at t = {:.6g} s: the accelerations keep all constraints there, "
                              "but in the least deviation they leave those of {}). {}",
                              t, left, singular),
                  "Choose a state beside the singular position (--at, or initial values).");
  const std::optional<bool> loose = is_loose(system_.view(), solver_);
  if (loose && !*loose)
    throw Failure(Exit::bad_input,
                  fmt::format("the solver does not keep all constraints of the model, which a linear model or an "
                              "equilibrium presupposes: its accelerations leave those of {} at t = {:.6g} s{}). They "
                              "all count, so that it has lost digits",
                              left, t, beside_nominal ? ", in a deviation" : ""),
                  "Choose another solver, or a state farther from singular positions (--at, or initial values).");
  throw Failure(Exit::bad_input,
                fmt::format("the solver as it is set up does not keep all constraints of the model, which a linear "
                            "model or an equilibrium presupposes: its accelerations leave those of {} at t = {:.6g} s)",
                            left, t),
                "Remove options, typed or in the model, under which constraints do not count or give way, or choose "
                "another solver.");
}

void require_constraints(const System& system, Solver& solver) {
  ObservationStore store(system.view());
  evaluate(system, solver, store);
  const double t = system.start_time();
  KeptConstraints(system, system.view(), solver, t, system.initial_state()).require(t, store.now());
}

}  // namespace polyform::host::linearization
