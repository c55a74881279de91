#include "framework/host/evaluation/solver_check.hpp"

namespace polyform::host::inline evaluation {

SolverCheck::SolverCheck(const SystemView& view, Solver& solver)
    : solver_(solver), balance_(view, solver), joints_(view, solver, balance_.balance()) {}

bool SolverCheck::is_due(std::size_t evaluations) {
  constexpr std::size_t between = 100;
  if (checked_ && evaluations < *checked_ + between) return false;
  checked_ = evaluations;
  return true;
}

void SolverCheck::check(double time, const Observation& now) {
  balance_.check(time, now);
  if (balance_.good()) joints_.check(time, now);
}

void SolverCheck::check_given(double time, std::span<const double> y, Observation& now) {
  constexpr double closed = 1e-6;                           // m or rad, and per second
  if (solver_.observe(time, y, now) != Status::ok) return;  // the derivative's own failure says more
  if (now.position_violation <= closed && now.velocity_violation <= closed) check(time, now);
}

BalanceReport SolverCheck::report() const {
  BalanceReport report = balance_.report();
  report.parted = joints_.largest();
  if (const std::string text = joints_.warning(); !text.empty())
    report.warning += (report.warning.empty() ? "" : ".\n") + text;
  return report;
}

}  // namespace polyform::host::inline evaluation
