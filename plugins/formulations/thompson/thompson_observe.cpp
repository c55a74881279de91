// What is observed: motions, reactions (Eq 19), energy.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "polyform/solvers/contradiction.hpp"
#include "polyform/mechanics/observation.hpp"
#include "thompson_solver.hpp"

namespace polyform::thompson {

Status ThompsonSolver::do_observe(double t, std::span<const double> y, Observation& out) noexcept {
  read(y);
  if (!find_accelerations(t, xdot_, true)) return Status::failed;
  if (!closing_.empty()) {
    const double contradiction = closing_.contradiction(udot_.data(), acting());
    if (is_contradiction(contradiction, least_contradiction_of_cuts, closing_.position_violation(),
                         closing_.velocity_violation())) {
      fmt::format_to_n(
          std::back_inserter(failure_), 400,
          "the constraints contradict each other at `{:.60}`: no accelerations satisfy them all (relative error "
          "{:.1e}). {}",
          closing_.worst(), contradiction, causes_of_contradiction(view_));
      return Status::failed;
    }
  }
  observe_bodies(out);
  std::copy(q_.begin(), q_.end(), out.q.begin());
  std::copy(v_.begin(), v_.end(), out.v.begin());
  const JointState::Parts parts = vector_.joints().split(joints_);
  std::copy(parts.x.begin(), parts.x.end(), out.x.begin());
  discrete_.decode(out.state());
  std::copy(vdot_.begin(), vdot_.end(), out.acceleration.begin());
  std::copy(xdot_.begin(), xdot_.end(), out.state_rates.begin());
  observe_cut_joints(out);
  find_reactions(out.reactions);
  out.kinetic_energy = kinetic_energy(view_, tree_.bodies());
  out.potential_energy =
      centred_.potential_at_origin() + gravity_potential(view_, tree_.bodies()) + forces_.potential_energy();
  out.power = forces_.power() + closing_.driving_power(std::span(multipliers_).last(reduction_.rows()).data());
  out.position_violation = closing_.position_violation();
  out.velocity_violation = closing_.velocity_violation();
  return Status::ok;
}

/// The largest acceleration that acts or that bearings could ask for (Yardstick); of what loads would give a light body
/// alone only rounding counts.
double ThompsonSolver::acting() const noexcept {
  constexpr double held_share = 1e-7;
  double largest = 0;
  for (std::size_t i = 0; i < Q_.size(); ++i) {
    const BodyMotion& m = tree_.bodies()[i];
    const Vec3 force = linear(Q_[i]), moment = m.R * angular(Q_[i]) + cross(h2_.center(i), force);
    largest = std::max({largest, yardstick_.of_body(i, m).acceleration, dot(m.V.angular, m.V.angular),
                        held_share * yardstick_.of_body(i, m, {moment, force}).acceleration});
  }
  return largest;
}

void ThompsonSolver::observe_bodies(Observation& out) noexcept {
  const auto bodies = tree_.bodies();
  tree_.orientations(q_.data(), orientations_);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vec3 &c = h2_.center(i), &w = bodies[i].V.angular;
    const Vec3 alpha = bodies[i].R * angular(qddot_[i]);
    accelerations_[i] = {alpha, linear(qddot_[i]) - cross(alpha, c) - cross(w, cross(w, c))};
    out.bodies[i] = {{orientations_[i], centred_.origin() + bodies[i].p}, bodies[i].V.linear, w, accelerations_[i].linear, alpha};
  }
}

void ThompsonSolver::observe_cut_joints(Observation& out) noexcept {
  const auto of = [&](BodyIndex b) { return is_ground(b) ? Spatial{} : accelerations_[at(b)]; };
  for (std::size_t i = 0; i < view_.cut_joints().size(); ++i) {
    const JointData& cut = view_.cut_joints()[i];
    const JointMotion& m = closing_.cut(i).motion;
    const Spatial A = relative_acceleration(cut, motion_of(cut.base, tree_.bodies()), of(cut.base),
                                            motion_of(cut.moving, tree_.bodies()), of(cut.moving));
    solve_least_squares(m.H, cut.nv, A - m.bias, out.acceleration.data() + cut.v_offset);
  }
}

/// Q becomes Q − M q̈, and what closes the tree has λ from H2ᵀ (Q − M q̈) = Jᵀ λ.
void ThompsonSolver::find_multipliers() noexcept {
  for (std::size_t i = 0; i < Q_.size(); ++i) Q_[i] -= h2_.mass_times(i, qddot_[i]);
  if (closing_.empty()) return;
  const std::span<double> given = std::span(multipliers_).last(reduction_.rows());
  const std::span<double> forces = std::span(multipliers_).first(reduction_.rows());
  reaction_forces_ = Q_;
  h2_.to_joints(reaction_forces_, carried_.data());
  reduction_.multipliers(carried_.data(), forces.data());
  for (double& f : forces) f = -f;  // the paper's λ stands on the side of M q̈
  closing_.given_multipliers(given);
  for (std::size_t r = 0; r < forces.size(); ++r) given[r] += forces[r];
}

double ThompsonSolver::power() noexcept {
  if (!closing_.drives()) return forces_.power();
  find_multipliers();
  return forces_.power() + closing_.driving_power(std::span(multipliers_).last(reduction_.rows()).data());
}

/// λ = H1ᵀ (Q − M q̈): first of what closes the tree; then of its joints, with the former as forces.
void ThompsonSolver::find_reactions(std::span<Spatial> out) noexcept {
  find_multipliers();
  if (!forces_.loads_joints()) std::fill(efforts_.begin(), efforts_.end(), 0.0);
  const std::span<double> given = std::span(multipliers_).last(reduction_.rows());
  const std::span<double> forces = std::span(multipliers_).first(reduction_.rows());
  if (!closing_.empty()) {
    closing_.add_forces(forces.data(), Q_);
    closing_.add_efforts(given.data(), efforts_);
  }
  h2_.to_joints(Q_, carried_.data());
  for (std::size_t j = 0; j < view_.joints.size(); ++j) {
    const JointData& joint = view_.joints[j];
    const std::size_t n = view_.bodies.size();
    const Spatial constraint = j < n ? h2_.constraint_wrench(j, Q_[j]) : closing_.wrench(j - n, forces.data());
    out[j] =
        reaction_in_ground(motion_of(joint.base, tree_.bodies()),
                           constraint + effort_wrench(motion_of_joint(j), joint.nv, efforts_.data() + joint.v_offset));
  }
}

}  // namespace polyform::thompson
