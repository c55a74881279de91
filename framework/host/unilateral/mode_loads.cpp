// Forces with friction by the loads of joints, which depend on it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/diagnostics.hpp"
#include "framework/host/unilateral/mode_forces.hpp"

namespace polyform::host::inline unilateral {

using Eigen::Index;
using Eigen::VectorXd;

namespace {

// Part of the largest friction: friction is found when a round changes it by less. Each round shrinks the error by
// about the coefficient of friction, times the bearing's radius over the length of its lever.
constexpr double loaded_share = 1e-12;
// Below this part a round that does not shrink the change to half of the one before shows rounding of the reactions.
constexpr double loaded_rounding = 1e-9;
// Rounds that shrink the change by less than the first go on slowly: so many of them, and friction is found by its
// feedback. Without feedback there are at most so many rounds.
constexpr double slow_round = 0.125;
constexpr int most_slow = 2, most_rounds = 200;
// Solutions of the feedback, each with the loads of the one before. Where loads are not affine in friction, because
// redundant rows share forces within limits, they take several.
constexpr int most_feedbacks = 30;

}  // namespace

/// Rounds, from the loads before: each takes the friction by the loads that the last one has found.
bool ModeForces::find(double t, std::span<const double> y, Shares shares, std::span<const std::size_t> points) {
  points_ = points;
  double before = INFINITY;
  for (int round = 0, slow = 0;; ++round) {
    if (!find_once(t, y, shares)) return false;
    if (!set_.is_loaded()) return true;
    const Observation* const now = response_.observe(t, y, forces_);
    if (now == nullptr) return false;
    const double change = set_.take_reactions(*now);
    if (change <= loaded_share || (change < loaded_rounding && change > before / 2)) return true;
    if (!(change < slow_round * before)) ++slow;
    if ((!by_rounds_ || slow == most_slow) && list_rubbing()) return find_feedback(t, y, shares);
    before = change;
    if (round == most_rounds) refuse_loads(t, LoadFeedback::Answer::not_found);
  }
}

/// The friction of the points that slide, with loads that are affine in it.
void ModeForces::friction_of(const VectorXd& s, VectorXd& f) {
  loads_there_ = loads_then_;
  for (Index j = 0; j < s.size(); ++j)
    for (std::size_t i = 0; i < loads_there_.size(); ++i)
      loads_there_[i] += (s[j] - friction_then_[j]) * by_friction_[static_cast<std::size_t>(j)][i];
  set_.put_loads(loads_there_);
  for (Index j = 0; j < f.size(); ++j) f[j] = set_.sliding(rubbing_[static_cast<std::size_t>(j)]);
}

/// The loads at the present friction.
bool ModeForces::observe_loads(double t, std::span<const double> y, Shares shares) {
  if (!find_once(t, y, shares)) return false;
  for (std::size_t j = 0; j < rubbing_.size(); ++j) friction_then_[static_cast<Index>(j)] = set_.sliding(rubbing_[j]);
  const Observation* const now = response_.observe(t, y, forces_);
  if (now == nullptr) return false;
  set_.take_reactions(*now);
  set_.copy_loads(loads_then_);
  return true;
}

/// What each friction changes the loads by, from those at the present friction.
bool ModeForces::respond_to_friction(double t, std::span<const double> y, Shares shares) {
  set_.copy_loads(loads_there_);
  const std::vector<Spatial> present = loads_there_;
  by_friction_.resize(std::max(by_friction_.size(), rubbing_.size()));
  added_.resize(rubbing_.size());
  for (std::size_t j = 0; j < rubbing_.size(); ++j) {
    const std::size_t k = rubbing_[j];
    const double probe = modes_.probe[three * k + 1];
    added_[j] = std::max(set_.sliding(k), probe > 0 ? probe : 1);
    raised_ = j;
    const bool done = observe_loads(t, y, shares);
    raised_ = none;
    if (!done) return false;
    by_friction_[j] = loads_then_;
    set_.put_loads(present);
  }
  if (!observe_loads(t, y, shares)) return false;
  for (std::size_t j = 0; j < rubbing_.size(); ++j)
    for (std::size_t i = 0; i < loads_then_.size(); ++i)
      by_friction_[j][i] = (1 / added_[j]) * (by_friction_[j][i] - loads_then_[i]);
  return true;
}

/// Friction by the response of the loads to it: by Newton's method, where rounds go on slowly or apart.
bool ModeForces::find_feedback(double t, std::span<const double> y, Shares shares) {
  const auto n = static_cast<Index>(rubbing_.size());
  friction_then_.resize(n);
  if (!respond_to_friction(t, y, shares)) return false;
  const LoadFeedback::Function friction = [this](const VectorXd& s, VectorXd& f) { friction_of(s, f); };
  double before = INFINITY;
  for (int i = 0; i < most_feedbacks; ++i) {
    VectorXd s = friction_then_;
    LoadFeedback feedback(friction, n);
    if (const auto answer = feedback.solve(s); answer != LoadFeedback::Answer::found) refuse_loads(t, answer);
    const double largest = std::max(s.lpNorm<Eigen::Infinity>(), friction_then_.lpNorm<Eigen::Infinity>());
    const double change = (s - friction_then_).lpNorm<Eigen::Infinity>();
    if (change <= loaded_share * largest || (change < loaded_rounding * largest && change > before / 2)) {
      by_rounds_ = feedback.answer() < slow_round;
      see_other(feedback, s);
      set_.put_loads(loads_then_);
      return true;
    }
    before = change;
    VectorXd of_loads = s;
    friction_of(s, of_loads);  // leaves the loads of s
    if (!observe_loads(t, y, shares)) return false;
  }
  refuse_loads(t, LoadFeedback::Answer::not_found);
}

/// Whether any friction that grows with a load acts against a motion.
bool ModeForces::list_rubbing() {
  rubbing_.clear();
  for (std::size_t k = 0; k < modes_.modes.size(); ++k)
    if (modes_.modes[k] == UnilateralMode::slip && !set_.point(k).has_normal && set_.is_loaded(k))
      rubbing_.push_back(k);
  return !rubbing_.empty();
}

void ModeForces::find_other_loads(double t, std::span<const double> y, Shares shares) {
  if (!list_rubbing()) return;
  friction_then_.resize(static_cast<Index>(rubbing_.size()));
  if (!respond_to_friction(t, y, shares)) return;
  const LoadFeedback::Function friction = [this](const VectorXd& s, VectorXd& f) { friction_of(s, f); };
  VectorXd s = friction_then_;
  LoadFeedback feedback(friction, s.size());
  if (feedback.solve(s) != LoadFeedback::Answer::found) return set_.put_loads(loads_then_);
  by_rounds_ = feedback.answer() < slow_round;
  see_other(feedback, s);
  VectorXd of_loads = s;
  friction_of(s, of_loads);  // leaves the loads of s: rounds may have come to another solution by chance
}

/// What begins to slide has no other friction: more of it would push it back.
void ModeForces::see_other(LoadFeedback& feedback, const VectorXd& s) {
  constexpr double apart = 1e-6;  // of the largest friction
  for (const std::size_t k : rubbing_)
    if (!(std::abs(set_.rate(three * k + 1)) > units_[k].rest())) return;
  VectorXd other = s;
  if (!feedback.find_other(s, other)) return;
  for (std::size_t j = 0; j < rubbing_.size(); ++j) {
    const auto i = static_cast<Index>(j);
    const bool is_listed = std::ranges::find(with_other_loads_, rubbing_[j]) != with_other_loads_.end();
    if (!is_listed && std::abs(other[i] - s[i]) > apart * other.lpNorm<Eigen::Infinity>())
      with_other_loads_.push_back(rubbing_[j]);
  }
}

void ModeForces::refuse_loads(double t, LoadFeedback::Answer answer) const {
  const bool is_none = answer == LoadFeedback::Answer::none;
  const std::string& name =
      set_.element_name(rubbing_.size() == 1 ? set_.element_of(rubbing_.front()) : set_.changed_element());
  throw Failure(
      Exit::simulation_failed,
      is_none
          ? fmt::format("friction by the load of `{}` has no solution at t = {:.9g} s: the more it rubs the more "
                        "it is loaded, without end",
                        name, t)
          : fmt::format("friction by the load of `{}`, and of the joints that it loads, was not found at t = {:.9g} "
                        "s: there may be none, as the more it rubs the more it is loaded",
                        name, t),
      "Use a smaller coefficient, or a given effort.");
}

}  // namespace polyform::host::inline unilateral
