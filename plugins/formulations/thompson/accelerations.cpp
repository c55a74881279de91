#include "accelerations.hpp"

#include <algorithm>

#include "polyform/solvers/contradiction.hpp"

namespace polyform::thompson {

LostDigits::LostDigits(const SystemView& view, const SystemScales& scales)
    : view_(view),
      reach_(scales.largest_reach()),
      steps_(view.bodies.size()),
      accelerations_(view.bodies.size()),
      change_(view.bodies.size()) {}

/// The accelerations by weight, loads and turning.
ActingAccelerations LostDigits::find_acting(const Forces& Q, const PlacedTree& tree) const noexcept {
  double turning = 0, load = 0, mass = 0;
  for (std::size_t i = 0; i < Q.bodies.size(); ++i) {
    const Vec3& w = tree.bodies()[i].V.angular;
    turning = std::max(turning, dot(w, w));
    load += norm(linear(Q.bodies[i]));
    mass += view_.bodies[i].mass;
  }
  return acting_accelerations(view_.gravity, load, mass, reach_, turning);
}

void LostDigits::mend(const Problem& problem, const PlacedTree& tree, ReducedForm& reduced, double* udot,
                      BodyVectors& qddot) noexcept {
  for (std::size_t i = 0; i < qddot.size(); ++i) accelerations_[i] = {angular(qddot[i]), linear(qddot[i])};
  const ActingAccelerations acting = find_acting(*problem.Q, tree);
  const auto find = [&] {
    reduced.find_missing(problem, steps_);
    for (std::size_t i = 0; i < steps_.size(); ++i) change_[i] = {angular(steps_[i]), linear(steps_[i])};
    return size_of_step(change_, accelerations_, acting);
  };
  reduced.start_mending(udot);
  const double lost = find();
  if (mending_.is_much(lost)) {
    mending_.mend(
        Mending::Aim::accelerations, find, [&] { reduced.add_missing(); }, [] {});
    reduced.finish_mending(udot, qddot);
  }
  mending_.mended(lost);
}

Accelerations::Accelerations(const SystemView& view, const Options& options, Reductions& reductions)
    : view_(view),
      system_scales_(view),
      reductions_(reductions),
      reduced_(view, reductions.tree(), reductions.mass(), reductions.loops()),
      lost_digits_(view, system_scales_),
      udot_(reductions.tree().size()),
      vdot_(view.nv_tree),
      zero_(reductions.tree().size()),
      given_(reductions.loops().rows()),
      qddot_(view.bodies.size()),
      gamma_(view.bodies.size()),
      steps_(view.bodies.size()) {
  if (options.form != Form::reduced)
    implicit_.emplace(view, reductions.tree(), reductions.mass(), reductions.loops(), options.form == Form::implicit_2);
}

bool Accelerations::find(const PlacedTree& tree, Forces& Q) noexcept {
  const H2& h2 = reductions_.tree();
  if (!tree.closing().empty()) {
    h2.to_bodies(zero_.data(), true, gamma_);
    reductions_.reduce(Level::acceleration, tree, gamma_, false);
    if (tree.closing().given_multipliers(given_)) reductions_.rows().add_forces(given_.data(), Q);
  }
  const Problem problem{&Q, true, reductions_.right()};
  // If M is singular the factors of Eq 15 tell whether H2ᵀ M H2 is regular.
  const bool reduces = !implicit_ || implicit_->has_singular_mass();
  const bool reduced = !reduces || reduced_.solve(problem, udot_.data(), qddot_);
  if (!reduced || (implicit_ && !implicit_->solve(problem, udot_.data(), qddot_))) {
    failed_ = implicit_ && reduced ? implicit_->failed_coordinate() : reduced_.failed_coordinate();
    return false;
  }
  if (!implicit_ && lost_digits_.is_due()) lost_digits_.mend(problem, tree, reduced_, udot_.data(), qddot_);
  if (h2.is_relative())
    std::copy_n(udot_.begin(), vdot_.size(), vdot_.begin());
  else
    h2.joint_rates(qddot_, udot_.data(), true, tree.kinematics(), vdot_.data());
  return true;
}

void Accelerations::find_left(const Forces& Q, Forces& left) noexcept {
  if (reductions_.tree().has_modes()) {
    const Problem problem{&Q, true, reductions_.right()};
    reduced_.start_mending(udot_.data());
    reduced_.find_missing(problem, steps_);
    reduced_.add_missing();
    reduced_.find_left(problem, left);
    return;
  }
  reductions_.mass().multiply(qddot_, udot_.data(), left);
  for (std::size_t i = 0; i < Q.bodies.size(); ++i) left.bodies[i] = Q.bodies[i] - left.bodies[i];
  for (std::size_t k = reductions_.tree().joint_coordinates(); k < udot_.size(); ++k)
    left.further[k] = Q.further[k] - left.further[k];
}

/// The largest acceleration that acts or that bearings could ask for (SystemScales); of what loads would give a light
/// body alone only rounding counts.
double Accelerations::find_acting(const PlacedTree& tree, const Forces& Q) const noexcept {
  constexpr double held_share = 1e-7;
  double largest = least_acceleration;
  for (std::size_t i = 0; i < Q.bodies.size(); ++i) {
    const BodyMotion& m = tree.bodies()[i];
    const Vec3 force = linear(Q.bodies[i]);
    const Vec3 moment = m.R * angular(Q.bodies[i]) + cross(reductions_.tree().center(i), force);
    largest = std::max({largest, system_scales_.of_body(i, m).acceleration,
                        system_scales_.largest_reach() * dot(m.V.angular, m.V.angular),
                        held_share * system_scales_.of_body(i, m, {moment, force}).acceleration});
  }
  return largest;
}

bool Accelerations::check_rows(const PlacedTree& tree, const Forces& Q, Failure& failure) const noexcept {
  const ClosingConstraints& closing = tree.closing();
  if (closing.empty()) return true;
  const ClosingRows::Contradiction worst = reductions_.rows().contradiction(udot_.data(), find_acting(tree, Q));
  if (!is_contradiction(worst.size, least_contradiction_of_cuts, closing.position_violation(),
                        closing.velocity_violation()))
    return true;
  const ContradictionWords words = words_of_contradiction(view_, worst.size);
  return failure.say("the constraints {} each other at `{:.60}`: {} (relative error {:.1e}). {}", words.verb,
                     closing.name(worst.group), words.found, worst.size, causes_of_contradiction(view_));
}

}  // namespace polyform::thompson
