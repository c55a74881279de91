#include "framework/simulation/balance_check.hpp"

#include <fmt/format.h>

#include "framework/diagnostics.hpp"

namespace polyform::host {

namespace {

std::string place_of(const Imbalance& imbalance) {
  if (imbalance.name.empty()) return {};
  const char* kind = imbalance.of == Imbalance::Of::body ? "body" : "module";
  return fmt::format("{} `{}`", kind, imbalance.name);
}

constexpr const char* remedy =
    "Likely causes: masses or moments of inertia that differ by many orders of magnitude side by side, or a mechanism next "
    "to a singular position. Another solver may carry it (polyform evaluate MODEL --solver all shows the imbalance of each).";

}  // namespace

std::string BalanceCheck::sentence() const {
  return fmt::format(
      "the solver's accelerations do not meet the equations of motion at t = {:.6g} s: of {}, what acts on it and its "
      "inertia forces differ by {:.1e} of their size. Digits are lost in rounding",
      time_, place_of(worst_), worst_.part);
}

/// The balance of forces; where that is blind, the difference from accelerations found anew.
Imbalance BalanceCheck::imbalance(double time, const Observation& now) {
  const Imbalance of_forces = balance_.check(time, now);
  if (!(balance_.overshadowed() > overshadowing)) return of_forces;
  if (!opinion_) opinion_ = std::make_unique<SecondOpinion>(view_);
  const auto difference = opinion_->on(time, now, balance_.force_rounding(), balance_.moment_rounding());
  if (!difference || !(difference->part > of_forces.part)) return of_forces;
  return {difference->part, Imbalance::Of::body, view_.bodies[difference->body].name};
}

void BalanceCheck::check(double time, const Observation& now) {
  if (!balance_.good()) return;
  const Imbalance imbalance = this->imbalance(time, now);
  if (!(imbalance.part > worst_.part)) return;
  worst_ = imbalance;
  time_ = time;
  if (worst_.part > failed_imbalance)
    throw Failure(Exit::simulation_failed, sentence() + "; none is left", remedy);
}

BalanceReport BalanceCheck::report() const {
  if (!balance_.good()) return {};
  const auto bodies = balance_.bodies();
  return {worst_.part, place_of(worst_), {bodies.begin(), bodies.end()},
          worst_.part > warned_imbalance ? fmt::format("{}. {}", sentence(), remedy) : std::string()};
}

void BalanceCheck::store(RunRecord& record) const {
  record.imbalance = worst_.part;
  record.imbalance_of = place_of(worst_);
  if (worst_.part > warned_imbalance) record.warnings.push_back(fmt::format("{}. {}", sentence(), remedy));
}

}  // namespace polyform::host
