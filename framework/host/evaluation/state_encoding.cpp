#include "framework/host/evaluation/state_encoding.hpp"

#include <fmt/format.h>

#include "framework/diagnostics.hpp"
#include "polyform/contract/state_time.hpp"

namespace polyform::host::inline evaluation {

Status encode_at(double t, Solver& solver, const ConstStateView& state, std::span<double> y) {
  if (auto* const told = ask<StateTime>(solver)) told->set_state_time(t);
  return solver.encode(state, y);
}

void encode_start(double t, Solver& solver, const ConstStateView& start, std::span<double> y) {
  if (encode_at(t, solver, start, y) != Status::ok)
    throw Failure(Exit::simulation_failed, fmt::format("the initial state cannot be taken over: {}", solver.failure()));
}

}  // namespace polyform::host::evaluation
