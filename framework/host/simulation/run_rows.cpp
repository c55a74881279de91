#include "framework/host/simulation/run_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "framework/diagnostics.hpp"
#include "framework/host/evaluation/not_finite.hpp"
#include "framework/host/evaluation/solver_failure.hpp"
#include "framework/original_process.hpp"
#include "polyform/solvers/code_disagreement.hpp"

namespace polyform::host::inline simulation {

RunRows::RunRows(const SystemView& view, Solver& solver, std::span<RowSink* const> sinks)
    : view_(view),
      solver_(solver),
      sinks_(sinks),
      store_(view),
      statistics_(view),
      passing_(view),
      check_(view, solver),
      energies_(ask<StateEnergies>(solver)) {
  std::ranges::copy_if(sinks, std::back_inserter(watchers_), [](const RowSink* sink) { return sink->wants_steps(); });
}

void RunRows::put(double t, std::span<const double> y, double work, const Correction& correction,
                  std::size_t evaluations) {
  if (solver_.observe(t, y, store_.now()) != Status::ok) fail_solver(t, solver_.failure());
  end_copies();
  store_.correction = correction;
  statistics_.row(t, store_.now(), work);
  counted_in_vain_ = true;
  passing_.see(store_.now());
  if (const auto trouble = not_finite(view_, store_.now()))
    throw Failure(Exit::simulation_failed, fmt::format("at t = {:.6g} s {}", t, std::string_view(*trouble)));
  // Rows that stand closer than a few steps are not all checked.
  if (check_.is_due(evaluations)) check_.check(t, store_.now());
  for (RowSink* sink : sinks_) {
    sink->work(work);
    sink->row(t, store_.now());
  }
  counted_in_vain_ = false;
}

void RunRows::begin_from(const RowSums& sums, double t, std::span<const double> y) {
  statistics_.begin_from(sums);
  if (solver_.observe(t, y, store_.now()) != Status::ok) fail_solver(t, solver_.failure());
  end_copies();
  for (RowSink* sink : sinks_) sink->see_start(store_.now());
}

void RunRows::see_energies(double t, std::span<const double> y) {
  double kinetic = 0, potential = 0;
  if (energies_ != nullptr) {
    if (energies_->energies(t, y, kinetic, potential) == Status::ok) statistics_.see_energies(kinetic, potential);
  } else if (solver_.observe(t, y, store_.now()) == Status::ok) {
    statistics_.see_energies(store_.now().kinetic_energy, store_.now().potential_energy);
  }
}

void RunRows::show(Integration& integrator, std::size_t states) {
  const std::span<const double> y = integrator.state();
  if (statistics_.wants_energies(y.size() > states ? y[states] : 0)) {
    integrator.stand_at_end();
    see_energies(integrator.time(), y.first(states));
  }
  constexpr std::size_t between = 24;
  const std::size_t evaluations = integrator.statistics().evaluations;
  if (watchers_.empty() || evaluations < shown_ + between) return;
  shown_ = evaluations;
  integrator.stand_at_end();
  const StateView now = state();
  if (solver_.decode(integrator.state().first(states), now) != Status::ok)
    fail_solver(integrator.time(), solver_.failure());
  for (RowSink* sink : watchers_) sink->step(integrator.time(), as_const(now));
}

void RunRows::store(RunRecord& record) const {
  statistics_.store(record);
  if (counted_in_vain_) --record.rows;
  record.passing_time = passing_.shortest();
}

std::string RunRows::warning_of_code() const {
  const auto* const told = ask<CodeDisagreement>(solver_);
  if (told == nullptr || !(told->part > 0)) return {};
  return fmt::format(
      "the compiled code of the model gave rates at t = {:.6g} s that differ from those of the solver it was made from "
      "by {:.2g} of the largest. From there on that solver has done all evaluations, so the results are its own; but "
      "the code is wrong, or a plugin tells another law than it computes: please report it with the model",
      told->time, told->part);
}

void RunRows::store_balance(RunRecord& record) const {
  BalanceReport worst = check_.worst();
  record.imbalance = worst.largest;
  record.imbalance_of = std::move(worst.of);
  if (!worst.warning.empty()) record.warnings.push_back(std::move(worst.warning));
}

}  // namespace polyform::host::simulation
