#include "framework/host/evaluation/balance_check.hpp"

#include <fmt/format.h>

#include "framework/diagnostics.hpp"
#include "framework/host/evaluation/absent_constraints.hpp"
#include "polyform/contract/lost_digits.hpp"

namespace polyform::host::inline evaluation {

namespace {

constexpr const char* balance_remedy =
    "Likely causes: masses or moments of inertia that differ by many orders of magnitude side by side, or a mechanism "
    "next to a singular position. Another solver may keep its digits (polyform evaluate MODEL --solver all shows the "
    "imbalance of each)";

}  // namespace

BalanceCheck::BalanceCheck(const SystemView& view, Solver& solver)
    : view_(view), solver_(solver), balance_(view, absent_constraints(view, solver)) {}

std::string BalanceCheck::place() const {
  if (worst_.name.empty()) return {};
  const char* kind = worst_.of == Imbalance::Of::body ? "body" : "module";
  return fmt::format("{} `{}`", kind, worst_.name);
}

std::string BalanceCheck::sentence() const {
  const std::string how =
      found_ == Found::by_forces
          ? fmt::format("of {}, what acts on it and its inertia forces differ by {:.1e} of their size", place(),
                        worst_.part)
          : fmt::format(
                "those of {} differ by {:.1e} of their size from the same equations solved with twice the digits",
                place(), worst_.part);
  return fmt::format(
      "the solver's accelerations do not meet the equations of motion at t = {:.6g} s: {}. Digits are lost in "
      "rounding",
      time_, how);
}

/// Empty if there is none.
std::string BalanceCheck::warning() const {
  if (worst_.part > warned_imbalance) return fmt::format("{}. {}", sentence(), balance_remedy);
  if (untold_.times > 0) return untold_warning();
  if (!(known_ > warned_imbalance)) return {};
  return fmt::format(
      "the solver estimates that its accelerations at t = {:.6g} s are uncertain by {:.1e} of their size: digits are "
      "lost in rounding. {}",
      known_time_, known_, balance_remedy);
}

std::string BalanceCheck::untold_warning() const {
  return fmt::format(
      "the accelerations of body `{}` may be wrong without notice at t = {:.6g} s: the forces through it are {:.1e} "
      "times its "
      "inertia force, so that their balance tells little of its acceleration, and numbers in double precision do not "
      "determine it well enough to find it anew{}. {}",
      view_.bodies[untold_.body].name, untold_.time, untold_.times,
      untold_.lost > 0 ? fmt::format(" (the solver itself knows of an error of {:.1e} of its size)", untold_.lost) : "",
      balance_remedy);
}

void BalanceCheck::note(const Imbalance& imbalance, Found how, double time) {
  if (!(imbalance.part > worst_.part)) return;
  worst_ = imbalance;
  found_ = how;
  time_ = time;
  if (worst_.part > failed_imbalance)
    throw Failure(Exit::simulation_failed, sentence() + "; none is left", fmt::format("{}.", balance_remedy));
}

void BalanceCheck::check(double time, const Observation& now) {
  if (!balance_.good()) return;
  note(balance_.check(time, now), Found::by_forces, time);
  ask_solver(time);
  if (balance_.overshadowed() > overshadowing) look_again(time, now);
}

/// Asks the solver for its own estimate: products of transfer matrices meet the balance of forces with states that are
/// rounding.
void BalanceCheck::ask_solver(double time) {
  const auto* lost = ask<LostDigits>(solver_);
  if (lost == nullptr || !(lost->part > known_)) return;
  known_ = lost->part;
  known_time_ = time;
}

/// If the balance of forces is blind: takes the difference from accelerations found anew. That costs many evaluations,
/// so it is done at the first such check, the second, the fourth and so on.
void BalanceCheck::look_again(double time, const Observation& now) {
  if (++overshadowed_ < asked_at_) return;
  asked_at_ *= 2;
  if (!opinion_) opinion_ = std::make_unique<SecondOpinion>(view_, solver_);
  const auto difference = opinion_->on(time, now, balance_.linear_rounding(), balance_.angular_rounding());
  if (difference)
    note({difference->part, Imbalance::Of::body, view_.bodies[difference->body].name}, Found::by_digits, time);
  else if (balance_.overshadowed() > untold_.times) {
    const auto* lost = ask<LostDigits>(solver_);
    untold_ = {balance_.overshadowed_body(), balance_.overshadowed(), time, lost != nullptr ? lost->part : 0};
  }
}

BalanceReport BalanceCheck::report() const {
  if (!balance_.good()) return {};
  BalanceReport report{worst_.part, place(), {}, warning()};
  if (balance_.looked()) report.bodies.assign(balance_.bodies().begin(), balance_.bodies().end());
  return report;
}

BalanceReport BalanceCheck::worst() const {
  return {worst_.part, place(), {}, worst_.part > failed_imbalance ? std::string() : warning()};
}

}  // namespace polyform::host::evaluation
