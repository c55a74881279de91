#include "framework/host/assembly/acceleration_misfit.hpp"

#include <algorithm>
#include <cmath>
#include <new>

#include "polyform/mechanics/observation.hpp"

namespace polyform::host::inline assembly {

namespace {

/// The share of the largest acceleration anywhere that counts as rounding of the others.
constexpr double rounded = 1e-6;

/// What would turn a body by this, or move it by this part of its size, in the square of a second is rounding where
/// nothing else acts: no motion that is looked at for less than half a minute shows it.
constexpr double at_rest = 1e-3;

double size(const Spatial& a) { return std::max(norm(a.angular), norm(a.linear)); }

/// The largest coefficients of a row, on turning and on moving.
struct RowSize {
  double angular = 0, linear = 0;
  double largest() const { return std::max(angular, linear); }
};
RowSize row_size(const ConstraintSet::Element& e, std::size_t row, std::span<const double> own) {
  RowSize most;
  for (const Spatial& a : e.A.subspan(row * e.markers.size(), e.markers.size())) {
    most.angular = std::max(most.angular, norm(a.angular));
    most.linear = std::max(most.linear, norm(a.linear));
  }
  for (const double b : e.B.subspan(row * e.velocities, e.velocities))
    most.angular = std::max(most.angular, std::abs(b));
  for (const double a : own) most.angular = std::max(most.angular, std::abs(a));
  return most;
}

}  // namespace

AccelerationMisfit::AccelerationMisfit(const SystemView& view)
    : view_(view),
      nodes_(view),
      joints_(view.joints),
      elements_(view),
      modules_(view),
      frames_(view.frames()),
      accelerations_(view.frames()),
      system_scales_(view),
      carried_(view.bodies.size()) {
  if (!elements_.good() || !modules_.good()) throw std::bad_alloc();
}

AccelerationMisfit::Worst AccelerationMisfit::worst(double t, const Observation& now) {
  left_.clear();
  turn_ = 0;
  place(now);
  find_floors(now);
  see_joints(now);
  elements_.follow(now.discrete);
  if (!elements_.elements().empty()) elements_.evaluate(t, frames_, now.q, now.v);
  for (const ConstraintSet::Element& e : elements_.elements())
    for (std::size_t r = 0; r < e.rows; ++r) see_row("constraint", e, r, now);
  see_modules(t, now);
  return largest();
}

/// Motions and accelerations of all frames.
void AccelerationMisfit::place(const Observation& now) {
  observed_motions(now, nodes_, frames_);
  observed_accelerations(now, nodes_, frames_, accelerations_);
  joints_.evaluate(now.q.data(), now.v.data());
}

void AccelerationMisfit::see_joints(const Observation& now) {
  const auto acceleration = [&](FrameIndex f) { return is_ground(f) ? Spatial{} : accelerations_[at(f)]; };
  for (std::size_t j = 0; j < view_.joints.size(); ++j) {
    const JointData& joint = view_.joints[j];
    const BodyMotion &base = motion_of(joint.base_frame, frames_), &moving = motion_of(joint.moving_frame, frames_);
    const Spatial of_base = acceleration(joint.base_frame), of_moving = acceleration(joint.moving_frame);
    Spatial error = relative_acceleration(joint, base, of_base, moving, of_moving) - joints_[j].bias;
    double scale = std::max({size(of_base), size(of_moving), size(joints_[j].bias)});
    for (std::size_t k = 0; k < joint.nv; ++k) {
      const Spatial part = now.acceleration[joint.v_offset + k] * joints_[j].H[k];
      error -= part;
      scale = std::max(scale, size(part));
    }
    left_.push_back({"joint", joint.name, norm(error.angular), scale, true});
    left_.push_back({"joint", joint.name, norm(error.linear), scale, false});
    const Vec3 to_M = moving.R * joint.p_moving;
    see_turn(moving.V.angular, to_M);
    see_turn(base.V.angular, moving.p + to_M - base.p);
  }
}

void AccelerationMisfit::see_modules(double t, const Observation& now) {
  if (modules_.empty()) return;
  modules_.follow(now.discrete);
  modules_.evaluate(t, frames_, now.q, now.v, now.x);
  for (const ModuleSet::Module& m : modules_.modules())
    for (std::size_t r = 0; r < m.rows.rows; ++r)
      see_row("module", m.rows, r, now, m.A.subspan(r * m.variables, m.variables),
              std::span(now.state_rates).subspan(m.u, m.variables));
}

/// own, rates: the coefficients of a module's variables in the row, and u̇.
void AccelerationMisfit::see_row(const char* kind, const ConstraintSet::Element& e, std::size_t row,
                                 const Observation& now, std::span<const double> own, std::span<const double> rates) {
  const RowSize size_of_row = row_size(e, row, own);
  const double unit = size_of_row.largest();
  if (unit == 0) return;
  double left = -e.acceleration_right[row], scale = std::abs(left);
  const auto add = [&](double part) {
    left += part;
    scale = std::max(scale, std::abs(part));
  };
  for (std::size_t k = 0; k < own.size(); ++k) add(own[k] * rates[k]);
  for (std::size_t k = 0; k < e.markers.size(); ++k) {
    const FrameIndex f = e.markers[k].frame;
    if (is_ground(f)) continue;
    const Vec3 w = frames_[at(f)].V.angular, alpha = accelerations_[at(f)].angular;
    const Vec3& arm = e.arms[k];
    const Vec3 at_point = accelerations_[at(f)].linear + cross(alpha, arm) + cross(w, cross(w, arm));
    const Spatial& a = e.A[row * e.markers.size() + k];
    left += dot(a, Spatial{alpha, at_point});
    scale = std::max({scale, norm(a.angular) * norm(alpha), norm(a.linear) * norm(at_point)});
    see_turn(w, arm);
  }
  const double* B = e.B.data() + row * e.velocities;
  for (const JointIndex j : e.joints) {
    const JointData& joint = view_.joints[at(j)];
    for (std::size_t k = 0; k < joint.nv; ++k) add(*B++ * now.acceleration[joint.v_offset + k]);
  }
  left_.push_back({kind, e.name, std::abs(left) / unit, scale / unit, size_of_row.angular > size_of_row.linear});
}

void AccelerationMisfit::see_turn(Vec3 angular_velocity, Vec3 arm) {
  turn_ = std::max(turn_, dot(angular_velocity, angular_velocity) * norm(arm));
}

/// Finds the least scales, from the accelerations that weights, turning and the loads of joints could give the bodies.
void AccelerationMisfit::find_floors(const Observation& now) {
  std::ranges::fill(carried_, Spatial{});
  for (std::size_t j = 0; j < view_.joints.size(); ++j)
    for (const BodyIndex b : {view_.joints[j].base, view_.joints[j].moving}) {
      if (is_ground(b)) continue;
      Spatial& most = carried_[at(b)];
      most.angular.x = std::max(most.angular.x, norm(now.reactions[j].angular));
      most.linear.x = std::max(most.linear.x, norm(now.reactions[j].linear));
    }
  const Scale acting = system_scales_.of_system(frames_, carried_);
  const double reach = system_scales_.largest_reach();
  least_linear_ = std::max(least_share * acting.acceleration, at_rest * (reach > 0 ? reach : 1));
  least_angular_ = std::max(least_share * acting.angular_acceleration, at_rest);
}

AccelerationMisfit::Worst AccelerationMisfit::largest() const {
  double most = turn_;
  for (const Left& one : left_) most = std::max(most, one.scale);
  Worst worst;
  for (const Left& one : left_) {
    const double least = one.turns ? least_angular_ : least_linear_;
    const double relative = one.error / std::max({least, rounded * most, one.scale});
    if (relative > worst.size || std::isnan(relative)) worst = {one.kind, one.name, relative};
  }
  return worst;
}

}  // namespace polyform::host::assembly
