#include "framework/workbench/conformance/observed.hpp"

#include <fmt/format.h>

#include "framework/workbench/conformance/bench.hpp"

namespace polyform::host::inline conformance {

void require(Status status, Solver& solver, std::string_view formulation, std::string_view call) {
  if (status != Status::ok)
    throw Failure(Exit::simulation_failed, fmt::format("{} fails in {}: {}", formulation, call, solver.failure()));
}

Observed::Observed(const Formulation& formulation, const SystemView& view, const State& state, double t,
                   const Options& options)
    : solver_(make_solver(formulation, view, options)), t_(t), y_(solver_->state_size()), store_(view) {
  require(solver_->encode(state.view(), y_), *solver_, formulation.name(), "encode");
  require(solver_->observe(t_, y_, store_.now()), *solver_, formulation.name(), "observe");
}

const Observation& Observed::at(std::span<const double> y) {
  require(solver_->observe(t_, y, store_.now()), *solver_, "the solver", "observe");
  return store_.now();
}

}  // namespace polyform::host::conformance
