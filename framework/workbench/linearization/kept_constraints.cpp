#include "framework/workbench/linearization/kept_constraints.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "framework/diagnostics.hpp"
#include "framework/host/assembly/dependent_rows.hpp"
#include "framework/host/simulation/evaluate.hpp"

namespace polyform::host::inline linearization {
namespace {

/// Relative accelerations that count as kept: above what solvers leave in well-scaled systems (1e-8 with bodies that
/// spin at 1e6 rad/s), far below the effect of a constraint. A solver may itself accept more, as cartesian does up to
/// 4e-7 in extreme mass ratios, and is then refused too: differences of such accelerations are no linear model.
constexpr double kept = 1e-7;
/// A row that is taken as dependent leaves in the accelerations the part by which it is independent, times the levers
/// of the loop.
constexpr double levers = 100;

}  // namespace

KeptConstraints::KeptConstraints(const SystemView& view, double t, const ConstStateView& nominal)
    : misfit_(view), kept_(std::max(kept, levers * nearly_dependent_part(view, t, nominal))) {}

void KeptConstraints::require(double t, const Observation& now, bool beside_nominal) {
  const AccelerationMisfit::Worst worst = misfit_.worst(t, now);
  if (!(worst.size > kept_)) return;
  if (beside_nominal)
    throw Failure(
        Exit::bad_input,
        fmt::format("there is no linear model at t = {:.6g} s: the accelerations keep all constraints there, but "
                    "in the least deviation they leave those of {} `{}` (relative error {:.1e}). The mechanism "
                    "is in a singular position, in which its freedoms change, or the solver has options under "
                    "which constraints do not count",
                    t, worst.kind, worst.name, worst.size),
        "Choose a state beside the singular position (--at, or initial values), or remove such options.");
  throw Failure(Exit::bad_input,
                fmt::format("the solver as it is set up does not keep all constraints of the model, which a linear "
                            "model or an equilibrium presupposes: its accelerations leave those of {} `{}` (relative "
                            "error {:.1e} at t = {:.6g} s)",
                            worst.kind, worst.name, worst.size, t),
                "Remove options, typed or in the model, under which constraints do not count or give way, or choose "
                "another solver.");
}

void require_constraints(const System& system, Solver& solver) {
  ObservationStore store(system.view());
  evaluate(system, solver, store);
  const double t = system.start_time();
  KeptConstraints(system.view(), t, system.initial_state()).require(t, store.now());
}

}  // namespace polyform::host::linearization
