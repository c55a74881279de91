#include "balance_loads.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "polyform/mechanics/constraint.hpp"
#include "polyform/mechanics/observation.hpp"

namespace polyform::balance {

Loads::Loads(const SystemView& view)
    : view_(view),
      forces_(view),
      places_(view, forces_),
      flexible_(view),
      constraints_(view),
      modules_(view),
      joints_(view.joints),
      nodes_(view),
      frames_(view.frames()),
      accelerations_(view.frames()),
      wrenches_(view.frames()),
      loads_(view.frames()),
      terms_(view.frames()),
      efforts_(view.nv),
      rates_(view.states),
      effort_terms_(view.nv),
      driven_(view.joints.size()) {
  for (const ConstraintSet::Element& e : constraints_.elements())
    for (const JointIndex j : e.joints) driven_[at(j)] = true;
  if (modules_.empty()) return;
  std::size_t variables = 0;
  for (const ModuleSet::Module& m : modules_.modules()) variables += m.variables;
  module_terms_.resize(variables);
  module_f_.resize(variables);
  changed_q_.resize(view.nq);
  changed_v_.resize(view.nv);
  changed_x_.resize(view.states);
}

void Loads::place(double t, const Observation& now) noexcept {
  time_ = t;
  observed_motions(now, nodes_, frames_);
  observed_accelerations(now, nodes_, frames_, accelerations_);
  if (!flexible_.empty()) flexible_.evaluate(frames_, now.eta.data(), now.etadot.data());
  std::fill(loads_.begin(), loads_.end(), Spatial{});
  std::fill(terms_.begin(), terms_.end(), Terms{});
  std::fill(efforts_.begin(), efforts_.end(), 0.0);
  forces_.follow(now.discrete);
  constraints_.follow(now.discrete);
  modules_.follow(now.discrete);
  if (!forces_.empty()) {
    forces_.evaluate(t, frames_, now.q, now.v, now.x, wrenches_, efforts_, rates_);
    for (const BodyIndex b : forces_.loaded_bodies()) add(frame_of(b), {}, wrenches_[at(b)]);
    for (const FrameIndex f : forces_.loaded_nodes()) add(f, {}, wrenches_[at(f)]);
  }
  for (std::size_t k = 0; k < efforts_.size(); ++k) effort_terms_[k] = std::abs(efforts_[k]);
  if (!constraints_.elements().empty()) constraints_.evaluate(t, frames_, now.q, now.v);
  if (!modules_.empty()) modules_.evaluate(t, frames_, now.q, now.v, now.x);
  joints_.evaluate(now.q.data(), now.v.data());
}

/// A wrench about a point, arm away from the origin of the frame that it acts on.
void Loads::add(FrameIndex f, const Vec3& arm, const Spatial& wrench) noexcept {
  if (is_ground(f)) return;
  loads_[at(f)] += Spatial{wrench.angular + cross(arm, wrench.linear), wrench.linear};
  terms_[at(f)].moment += norm(wrench.angular) + norm(arm) * norm(wrench.linear);
  terms_[at(f)].force += norm(wrench.linear);
}

void Loads::add_modules(const Observation& now) noexcept {
  const double* multipliers = now.module_multipliers.data();
  for (const ModuleSet::Module& m : modules_.modules()) {
    const std::size_t markers = m.rows.markers.size();
    for (std::size_t k = 0; k < markers; ++k) {
      Spatial w = m.wrenches[k];
      for (std::size_t r = 0; r < m.rows.rows; ++r) w += multipliers[r] * m.rows.A[r * markers + k];
      add(m.rows.markers[k].frame, m.rows.arms[k], w);
    }
    std::size_t place = 0;
    for (const JointIndex j : m.rows.joints)
      for (std::size_t k = 0; k < view_.joints[at(j)].nv; ++k, ++place) {
        double effort = m.efforts[place], terms = std::abs(effort);
        for (std::size_t r = 0; r < m.rows.rows; ++r) {
          const double of_row = multipliers[r] * m.rows.B[r * m.rows.velocities + place];
          effort += of_row;
          terms += std::abs(of_row);
        }
        efforts_[view_.joints[at(j)].v_offset + k] += effort;
        effort_terms_[view_.joints[at(j)].v_offset + k] += terms;
      }
    multipliers += m.rows.rows;
  }
}

std::span<const double> Loads::module_terms(const Observation& now) noexcept {
  constexpr int probes = 3;
  std::fill(module_terms_.begin(), module_terms_.end(), 0.0);
  MeasuringParts parts;
  const auto for_each_f = [&](const auto& act) {
    std::size_t place = 0;
    for (const ModuleSet::Module& m : modules_.modules())
      for (std::size_t k = 0; k < m.variables; ++k, ++place) act(place, m.f[k]);
  };
  for_each_f([&](std::size_t place, double f) { module_f_[place] = f; });
  for (int probe = 0; probe < probes; ++probe) {
    parts.change(now.q, changed_q_);
    parts.change(now.v, changed_v_);
    parts.change(now.x, changed_x_);
    modules_.evaluate(time_, frames_, changed_q_, changed_v_, changed_x_);
    for_each_f([&](std::size_t place, double f) {
      const double term = std::abs(f - module_f_[place]) / measured_share;
      if (std::isfinite(term)) module_terms_[place] = std::max(module_terms_[place], term);
    });
  }
  modules_.evaluate(time_, frames_, now.q, now.v, now.x);
  return module_terms_;
}

void Loads::add_joints(const Observation& now) noexcept {
  largest_efforts_ = {};
  for (std::size_t j = 0; j < view_.joints.size(); ++j) {
    const JointData& joint = view_.joints[j];
    const BodyMotion &base = motion_of(joint.base_frame, frames_), &moving = motion_of(joint.moving_frame, frames_);
    Spatial w = now.reactions[j];
    const std::span<const double> terms = std::span(effort_terms_).subspan(joint.v_offset, joint.nv);
    if (std::ranges::any_of(terms, [](double term) { return term != 0; })) {
      const Spatial most = effort_wrench(joints_[j], joint.nv, terms.data());
      largest_efforts_.force = std::max(largest_efforts_.force, norm(most.linear));
      largest_efforts_.moment = std::max(largest_efforts_.moment, norm(most.angular));
    }
    if (!driven_[j] && joint.nv > 0) {
      const Spatial in_F{transpose_times(base.R, w.angular), transpose_times(base.R, w.linear)};
      double extra[6];
      for (std::size_t k = 0; k < joint.nv; ++k) extra[k] = dot(joints_[j].H[k], in_F) - efforts_[joint.v_offset + k];
      w -= reaction_in_ground(base, effort_wrench(joints_[j], joint.nv, extra));
    }
    // By coordinates, not by the difference of two places, which far from the ground origin are rounded.
    add(joint.moving_frame, moving.R * joint.p_moving, w);
    add(joint.base_frame, base.R * (joint.p_base + joints_[j].p_FM), -1.0 * w);
  }
}

void Loads::raise_terms(double moment, double force) noexcept {
  for (Terms& t : terms_) {
    t.force += force;
    t.moment += moment;
  }
}

}  // namespace polyform::balance
