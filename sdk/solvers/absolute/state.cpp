#include "polyform/solvers/absolute/state.hpp"

#include <algorithm>

namespace polyform::absolute {

State::State(const SystemView& view, DiscreteValues& discrete)
    : view_(view),
      tree_(view),
      discrete_(discrete),
      hints_(view, discrete),
      poses_(view.bodies.size()),
      motions_(view.bodies.size()),
      orientations_(view.frames()),
      eta_(view.modes),
      etadot_(view.modes),
      x_(view.states),
      q_(view.nq),
      v_(view.nv),
      rates_(view.nq) {
  find_kinds();
}

void State::find_kinds() {
  const auto are = [&](StateKind kind, std::size_t count) { kinds_.insert(kinds_.end(), count, kind); };
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    are(StateKind::position, 7);
    are(StateKind::velocity, 6);
  }
  are(StateKind::position, view_.modes);
  are(StateKind::velocity, view_.modes);
  are(StateKind::position, hints_.size());
  are(StateKind::other, view_.states);
}

void State::read(std::span<const double> y) noexcept {
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    const double* b = y.data() + 13 * i;
    const Quat orientation{b[3], b[4], b[5], b[6]};
    const Mat3 R = rotation_matrix(orientation);
    const Vec3 c = R * center_of(i);
    const Vec3 p = Vec3{b[0], b[1], b[2]} - c;
    const Vec3 w{b[7], b[8], b[9]};
    poses_[i] = {orientation, p};
    orientations_[i] = orientation;
    motions_[i] = {R, p, {w, Vec3{b[10], b[11], b[12]} - cross(w, c)}};
  }
  const double* modes = y.data() + 13 * poses_.size();
  std::copy_n(modes, view_.modes, eta_.begin());
  std::copy_n(modes + view_.modes, view_.modes, etadot_.begin());
  tree_.nodes().orient(eta_.data(), orientations_);
  hints_.read(y.data() + hints_at(), orientations_, q_);
  const auto x = y.last(view_.states);
  std::copy(x.begin(), x.end(), x_.begin());
}

void State::write(std::span<double> y) const noexcept {
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    double* b = y.data() + 13 * i;
    const Quat& o = poses_[i].orientation;
    const Vec3& w = motions_[i].V.angular;
    const Vec3 c = rotation_matrix(o) * center_of(i);
    const Vec3 p = poses_[i].position + c, v = motions_[i].V.linear + cross(w, c);
    for (const double value : {p.x, p.y, p.z, o.w, o.x, o.y, o.z, w.x, w.y, w.z, v.x, v.y, v.z}) *b++ = value;
  }
  double* modes = y.data() + 13 * poses_.size();
  modes = std::copy(eta_.begin(), eta_.end(), modes);
  modes = std::copy(etadot_.begin(), etadot_.end(), modes);
  hints_.write(q_, modes);
  std::copy(x_.begin(), x_.end(), y.end() - static_cast<std::ptrdiff_t>(view_.states));
}

void State::take(const ConstStateView& state) noexcept {
  discrete_.encode(state);
  std::copy(state.eta.begin(), state.eta.end(), eta_.begin());
  std::copy(state.etadot.begin(), state.etadot.end(), etadot_.begin());
  std::copy(state.x.begin(), state.x.end(), x_.begin());
  tree_.evaluate(state.q.data(), state.v.data(), eta_.data(), etadot_.data());
  std::copy(tree_.bodies().begin(), tree_.bodies().end(), motions_.begin());
  std::copy(state.q.begin(), state.q.end(), q_.begin());
  tree_.orientations(state.q.data(), orientations_, eta_.data());
  for (std::size_t i = 0; i < poses_.size(); ++i) poses_[i] = {orientations_[i], motions_[i].p};
  hints_.set_signs(q_, orientations_);
}

void State::put(const StateView& state) const noexcept {
  std::copy(q_.begin(), q_.end(), state.q.begin());
  std::copy(v_.begin(), v_.end(), state.v.begin());
  std::copy(eta_.begin(), eta_.end(), state.eta.begin());
  std::copy(etadot_.begin(), etadot_.end(), state.etadot.begin());
  std::copy(x_.begin(), x_.end(), state.x.begin());
  discrete_.decode(state);
}

void State::position_rates(std::span<double> ydot) noexcept {
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    const Spatial& V = motions_[i].V;
    const Vec3 v = V.linear + cross(V.angular, motions_[i].R * center_of(i));
    const Quat o = quaternion_rate(poses_[i].orientation, V.angular);
    double* rate = ydot.data() + 13 * i;
    for (const double value : {v.x, v.y, v.z, o.w, o.x, o.y, o.z}) *rate++ = value;
  }
  std::copy(etadot_.begin(), etadot_.end(), ydot.data() + 13 * poses_.size());
  double* rate = ydot.data() + hints_at();
  for (const JointHints::Coordinates& h : hints_.coordinates()) {
    const JointData& joint = view_.joints[h.joint];
    joint_position_rates(joint, q_.data() + joint.q_offset, v_.data() + joint.v_offset, rates_.data() + joint.q_offset);
    rate = std::copy_n(rates_.data() + h.first_q, h.count, rate);
  }
}

void State::velocity_rates(std::span<const double> accelerations, std::span<double> ydot) const noexcept {
  const double* next = accelerations.data();
  double* const modes = ydot.data() + 13 * poses_.size() + view_.modes;
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    std::copy_n(next, 6, ydot.data() + 13 * i + 7);
    next += 6;
    if (view_.bodies[i].flexible == rigid) continue;
    const FlexibleData& f = view_.flexible[view_.bodies[i].flexible];
    std::copy_n(next, f.modes, modes + f.mode_offset);
    next += f.modes;
  }
}

void State::normalize() noexcept {
  for (Pose& pose : poses_) pose.orientation = normalized(pose.orientation);
}

void State::follow_poses(std::span<const double> y) noexcept {
  for (std::size_t i = 0; i < poses_.size(); ++i) {
    const double* b = y.data() + 13 * i;
    const Mat3 R = rotation_matrix(poses_[i].orientation);
    const Vec3& w = motions_[i].V.angular;
    const Vec3 v{b[10], b[11], b[12]};
    motions_[i] = {R, poses_[i].position, {w, v - cross(w, R * center_of(i))}};
  }
}

}  // namespace polyform::absolute
