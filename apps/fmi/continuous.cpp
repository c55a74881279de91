#include "apps/fmi/continuous.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/host/evaluation/state_encoding.hpp"
#include "framework/host/expressions/approach.hpp"

namespace polyform::fmi {

Continuous::Continuous(const FmuModel& model)
    : model_(model),
      solver_(apps::compile(model.choice(), model.system().view())),
      ode_(*solver_, model.system().view()),
      elements_(model.system().view(), *solver_),
      rows_(model.system(), model.columns()),
      store_(model.system().view()),
      check_(model.system().view(), *solver_),
      y_(ode_.size()),
      rates_(y_.size()),
      indicators_(elements_.size()),
      other_(elements_.size()),
      row_(rows_.channels().size()) {
  host::encode_start(0, *solver_, model.system().initial_state(), std::span(y_).first(solver_->state_size()));
  renew_knots();
  keep_signs();
}

void Continuous::fail(const char* what) {
  throw host::Failure(host::Exit::simulation_failed,
                      fmt::format("solver {}: {} failed at t = {:.9g} s: {}", model_.choice().formulation->name(), what,
                                  time_, ode_.failure()));
}

void Continuous::renew_knots() {
  knots_ = std::make_unique<host::Knots>(model_.system().view());
  for (const host::ElementEvents::Source& source : elements_.sources()) knots_->add(*source.events, source.type);
  if (time_ > 0) knots_->pass(time_);
}

void Continuous::set_time(double t) {
  if (t == time_) return;
  time_ = t;
  forget();
}

void Continuous::set_states(std::span<const double> y) {
  if (y.size() != y_.size())
    throw host::Failure(host::Exit::bad_input, fmt::format("{} states are given, expected {}", y.size(), y_.size()));
  if (std::ranges::equal(y, y_)) return;
  std::ranges::copy(y, y_.begin());
  forget();
}

std::optional<host::CanonicalState> Continuous::canonical(std::span<const double> y) {
  host::CanonicalState state(model_.system().initial_state());
  if (solver_->decode(y.first(solver_->state_size()), state.view()) != Status::ok) return std::nullopt;
  return state;
}

std::span<const double> Continuous::rates() {
  if (has_rates_) return rates_;
  if (!ode_.derivative(time_, y_, rates_)) fail("derivative");
  if (check_.is_due(evaluations_++))
    check_.check_given(time_, std::span(y_).first(solver_->state_size()), store_.now());
  has_rates_ = true;
  return rates_;
}

std::span<const double> Continuous::indicators() {
  if (!has_indicators_ && elements_.size() > 0)
    elements_.evaluate(time_, std::span(y_).first(solver_->state_size()), indicators_, other_);
  has_indicators_ = true;
  return indicators_;
}

std::span<const double> Continuous::row() {
  if (has_row_) return row_;
  Observation& now = store_.now();
  if (solver_->observe(time_, std::span(y_).first(solver_->state_size()), now) != Status::ok) fail("observe");
  const std::span<const double> values = rows_.make(time_, now, ode_.integrals() > 0 ? y_.back() : 0);
  std::ranges::copy(values, row_.begin());
  has_row_ = true;
  return row_;
}

void Continuous::keep_signs() {
  signs_.clear();
  for (const double value : indicators()) signs_.push_back(value >= 0 ? 1 : 0);
}

/// Whether anything that matters has changed: constraints drift by rounding in each step.
bool Continuous::correct(std::span<double> y) {
  if (!ode_.correct(time_, y)) fail("correct");
  constexpr double of_rounding = 1e-11;
  for (std::size_t i = 0; i < y.size(); ++i)
    if (!(std::abs(y[i] - y_[i]) <= of_rounding * (1 + std::abs(y_[i])))) return true;
  return false;
}

bool Continuous::needs_correction() {
  auto* const state = ask<DiscreteState>(*solver_);
  if (state != nullptr) discrete_.assign(state->values().begin(), state->values().end());
  std::vector<double> y(y_);
  bool needed = correct(y);
  if (state != nullptr && !std::ranges::equal(discrete_, state->values())) {
    needed = true;
    if (state->set(discrete_) != Status::ok) fail("its discrete state");
  }
  return needed;
}

bool Continuous::pass_events() {
  elements_.forget_end();
  const std::vector<double> before(y_);
  note_limits();
  if (const double knot = knots_->next().time; knot <= time_ + host::time_resolution(time_))
    knots_->pass(std::max(time_, knot));
  std::vector<double> y(y_);
  if (correct(y)) y_ = std::move(y);
  forget();
  // What one element does may be an event for another. Events without end are one of the model's: it goes on.
  constexpr int most = 100;
  for (int round = 0; round < most; ++round) {
    bool passed = pass_changed_signs(false);
    if (elements_.has_limits() && (round == 0 || passed)) passed = choose_limits() || passed;
    passed = pass_changed_signs(true) || passed;
    if (!passed) break;
  }
  return !std::ranges::equal(before, y_);
}

/// Those of limits of signals, or those of all others. Returns whether an element has changed a state.
bool Continuous::pass_changed_signs(bool of_limits) {
  bool passed = false;
  const std::span<const double> values = indicators();
  for (std::size_t k = 0; k < signs_.size(); ++k) {
    const bool rising = values[k] >= 0;
    if (elements_.is_of_limits(k) != of_limits || rising == (signs_[k] != 0)) continue;
    signs_[k] = rising ? 1 : 0;
    const Crossing counts = elements_.crossing(k);
    if (counts == host::approached || (counts != Crossing::any && rising != (counts == Crossing::rising))) continue;
    passed = elements_.pass(k, rising) || passed;
  }
  if (passed) keep_changes();
  return passed;
}

void Continuous::keep_changes() {
  elements_.store(std::span(y_).first(solver_->state_size()));
  forget();
}

void Continuous::note_limits() {
  if (!elements_.has_limits()) return;
  const double before = time_ - 2 * host::time_resolution(time_);
  elements_.evaluate(before, std::span(y_).first(solver_->state_size()), indicators_, other_);
  elements_.note_limits();
  forget();
}

bool Continuous::choose_limits() {
  elements_.evaluate(time_, std::span(y_).first(solver_->state_size()), indicators_, other_);
  if (!elements_.choose_limits()) return false;
  keep_changes();
  return true;
}

void Continuous::save(InstanceState& out) {
  out.run.time = time_;
  out.run.y = y_;
  if (const auto* const state = ask<DiscreteState>(*solver_))
    out.run.discrete.assign(state->values().begin(), state->values().end());
  out.signs = signs_;
}

void Continuous::restore(const InstanceState& from) {
  auto* const state = ask<DiscreteState>(*solver_);
  if (from.run.y.size() != y_.size() || from.signs.size() != signs_.size() ||
      (state != nullptr && state->set(from.run.discrete) != Status::ok))
    throw host::Failure(host::Exit::bad_input, "the state is that of another FMU");
  time_ = from.run.time;
  y_ = from.run.y;
  signs_ = from.signs;
  forget();
  renew_knots();
}

}  // namespace polyform::fmi
