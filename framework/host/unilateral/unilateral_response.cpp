#include "framework/host/unilateral/unilateral_response.hpp"

#include <algorithm>

namespace polyform::host::inline unilateral {

UnilateralResponse::UnilateralResponse(const SystemView& view, UnilateralSet& set, double t,
                                       const ConstStateView& start, Solver& solver, Ode& ode)
    : set_(set), solver_(solver), ode_(ode) {
  if (set.empty()) return;  // nothing is ever asked
  store_.emplace(view);
  islands_.emplace(view, set, t, start, solver);
  kinds_.assign(ode.size(), StateKind::other);
  places_.assign(set.points(), none);
  colouring_.resize(islands_->count());
  if (auto* const second = ask<SecondOrderSystem>(solver)) std::ranges::copy(second->kinds(), kinds_.begin());
  for (auto* part : {&y_, &base_, &with_}) part->resize(ode.size());
  std::ranges::fill(y_, 1.0);
  set.leave_out_states(y_);
  for (const double one : y_) is_own_.push_back(one == 0 ? 1 : 0);
  for (auto* part : {&accelerations_, &all_, &forces_}) part->resize(three * set.points());
}

bool UnilateralResponse::find_base(double t, std::span<const double> y, std::span<const double> forces) {
  std::ranges::copy(y, y_.begin());
  std::ranges::copy(forces, all_.begin());
  set_.put_forces(all_, y_);
  if (!ode_.derivative(t, y_, base_)) return false;
  if (solver_.observe(t, std::span(y_).first(solver_.state_size()), store_->now()) != Status::ok) return false;
  set_.accelerations(store_->now(), accelerations_);
  return true;
}

const Observation* UnilateralResponse::observe(double t, std::span<const double> y, std::span<const double> forces) {
  std::ranges::copy(y, y_.begin());
  set_.put_forces(forces, y_);
  const bool done = solver_.observe(t, std::span(y_).first(solver_.state_size()), store_->now()) == Status::ok;
  return done ? &store_->now() : nullptr;
}

/// Each column gets the first colour that no other column of its islands has.
void UnilateralResponse::colour() {
  for (const std::size_t k : points_) places_[k] = none;
  points_.clear();
  for (const Column& column : columns_) {
    if (places_[column.point] == none) {
      places_[column.point] = points_.size();
      points_.push_back(column.point);
    }
  }
  colouring_.clear();
  for (std::size_t c = 0; c < columns_.size(); ++c)
    columns_[c].colour = is_apart_ ? colouring_.take(islands_->all_of(columns_[c].point)) : c;
  count_ = is_apart_ ? colouring_.count() : columns_.size();
  if (colours_.size() < count_) colours_.resize(count_);
  for (Colour& c : colours_) c.columns.clear();
  for (std::size_t c = 0; c < columns_.size(); ++c) colours_[columns_[c].colour].columns.push_back(c);
}

bool UnilateralResponse::find_columns(double t, std::span<const double> y) {
  colour();
  rest_.resize(three * three * points_.size());
  set_.rate_parts_at(t, y, points_, rest_);
  shares_ = false;
  for (std::size_t c = 0; c < count_;) {
    if (!find_colour(t, y, colours_[c])) return false;
    if (is_apart_ || colours_[c].columns.size() == 1) {
      ++c;
      continue;
    }
    // What answers belongs to no island: all begins anew, with an evaluation for each column.
    colour();
    shares_ = false;
    c = 0;
  }
  return true;
}

bool UnilateralResponse::find_colour(double t, std::span<const double> y, Colour& colour) {
  std::ranges::copy(y, y_.begin());
  std::ranges::copy(all_, forces_.begin());
  for (const std::size_t c : colour.columns)
    for (std::size_t i = 0; i < three; ++i) forces_[three * columns_[c].point + i] += columns_[c].forces[i];
  set_.put_forces(forces_, y_);
  if (!ode_.derivative(t, y_, with_)) return false;
  if (colour.columns.size() > 1) {
    shares_ = true;
    is_apart_ = std::ranges::all_of(islands_->others(), [&](std::size_t i) { return with_[i] == base_[i]; });
    if (!is_apart_) return true;
  }
  colour.change.resize(base_.size());
  // Integrators may leave out integrals, which stand at the end and which nothing reads.
  std::ranges::copy(y, y_.begin());
  for (const std::size_t c : colour.columns)
    each_state(columns_[c], [&](std::size_t i) {
      colour.change[i] = kinds_[i] == StateKind::position ? 0 : with_[i] - base_[i];
      y_[i] += colour.change[i];
    });
  colour.parts.resize(rest_.size());
  set_.rate_parts_at(t, y_, points_, colour.parts);
  return true;
}

double UnilateralResponse::rate(std::size_t column, std::size_t row) const {
  const Column& own = columns_[column];
  const std::size_t point = row / three, first = three * three * places_[point] + three * (row % three);
  const std::vector<double>& parts = colours_[own.colour].parts;
  double sum = 0;
  for (std::size_t part = 0; part < three; ++part) {
    const std::size_t island = islands_->of(point, part);
    if (island != none && is_of(island, own)) sum += parts[first + part] - rest_[first + part];
  }
  return sum;
}

bool UnilateralResponse::is_of(std::size_t island, const Column& column) const {
  return islands_->of(column.point, 0) == island || islands_->of(column.point, 1) == island ||
         islands_->of(column.point, 2) == island;
}

bool UnilateralResponse::find_integrals(double t, std::span<const double> y, std::span<const double> shares,
                                        std::span<double> change) {
  const std::size_t first = base_.size() - change.size();
  if (!shares_) {
    std::ranges::fill(change, 0.0);
    for (std::size_t c = 0; c < columns_.size(); ++c)
      for (std::size_t i = 0; i < change.size(); ++i)
        change[i] += shares[c] * colours_[columns_[c].colour].change[first + i];
    return true;
  }
  std::ranges::copy(y, y_.begin());
  std::ranges::copy(all_, forces_.begin());
  for (std::size_t c = 0; c < columns_.size(); ++c)
    for (std::size_t i = 0; i < three; ++i) forces_[three * columns_[c].point + i] += shares[c] * columns_[c].forces[i];
  set_.put_forces(forces_, y_);
  if (!ode_.derivative(t, y_, with_)) return false;
  for (std::size_t i = 0; i < change.size(); ++i) change[i] = with_[first + i] - base_[first + i];
  return true;
}

void UnilateralResponse::jump(std::size_t column, double share, std::span<double> y) const {
  each_change(column, [&](std::size_t i, double change) {
    if (i < solver_.state_size() && !is_own_[i]) y[i] += share * change;
  });
}

}  // namespace polyform::host::inline unilateral
