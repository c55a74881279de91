#include "framework/host/unilateral/unilateral_response.hpp"

#include <algorithm>

namespace polyform::host::inline unilateral {

UnilateralResponse::UnilateralResponse(const SystemView& view, UnilateralSet& set, Solver& solver, Ode& ode)
    : set_(set), solver_(solver), ode_(ode) {
  if (set.empty()) return;  // nothing is ever asked
  store_.emplace(view);
  kinds_.assign(ode.size(), StateKind::other);
  if (auto* const second = ask<SecondOrderSystem>(solver)) std::ranges::copy(second->kinds(), kinds_.begin());
  for (auto* part : {&y_, &base_, &with_}) part->resize(ode.size());
  std::ranges::fill(y_, 1.0);
  set.leave_out_states(y_);
  for (const double one : y_) is_own_.push_back(one == 0 ? 1 : 0);
  for (auto* part : {&accelerations_, &rates_, &all_}) part->resize(UnilateralSet::rows_per_point * set.points());
}

bool UnilateralResponse::find_base(double t, std::span<const double> y, std::span<const double> forces) {
  std::ranges::copy(y, y_.begin());
  set_.evaluate(t, y_);
  std::ranges::copy(forces, all_.begin());
  set_.put_forces(all_, y_);
  if (!ode_.derivative(t, y_, base_)) return false;
  if (solver_.observe(t, std::span(y_).first(solver_.state_size()), store_->now()) != Status::ok) return false;
  set_.accelerations(store_->now(), accelerations_);
  for (std::size_t r = 0; r < rates_.size(); ++r) rates_[r] = set_.rate(r);
  return true;
}

const Observation* UnilateralResponse::observe(double t, std::span<const double> y, std::span<const double> forces) {
  std::ranges::copy(y, y_.begin());
  set_.put_forces(forces, y_);
  const bool done = solver_.observe(t, std::span(y_).first(solver_.state_size()), store_->now()) == Status::ok;
  return done ? &store_->now() : nullptr;
}

bool UnilateralResponse::add_column(double t, std::span<const double> y, std::span<const double> forces) {
  if (columns_ == changes_.size()) {
    changes_.emplace_back(ode_.size());
    row_rates_.emplace_back(rates_.size());
  }
  std::vector<double>&change = changes_[columns_], &rates = row_rates_[columns_];
  std::ranges::copy(y, y_.begin());
  for (std::size_t r = 0; r < all_.size(); ++r) rates[r] = all_[r] + forces[r];
  set_.put_forces(rates, y_);
  if (!ode_.derivative(t, y_, with_)) return false;
  for (std::size_t i = 0; i < change.size(); ++i)
    change[i] = kinds_[i] == StateKind::position ? 0 : with_[i] - base_[i];
  // Integrators may leave out integrals, which stand at the end and which nothing reads.
  for (std::size_t i = 0; i < y.size(); ++i) y_[i] = y[i] + change[i];
  set_.rates_at(t, y_, rates);
  for (std::size_t r = 0; r < rates.size(); ++r) rates[r] -= rates_[r];
  ++columns_;
  return true;
}

void UnilateralResponse::jump(std::size_t column, double share, std::span<double> y) const {
  const std::vector<double>& change = changes_[column];
  for (std::size_t i = 0; i < solver_.state_size(); ++i)
    if (!is_own_[i]) y[i] += share * change[i];
}

}  // namespace polyform::host::inline unilateral
