#include "place_rounding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "polyform/mechanics/constraint.hpp"

namespace polyform::balance {

PlaceRounding::PlaceRounding(const SystemView& view, ForceSet& forces)
    : view_(view),
      forces_(forces),
      frames_(view.frames()),
      q_(view.nq),
      rates_(view.states),
      here_{std::vector<Spatial>(view.frames()), std::vector<double>(view.nv)},
      there_(here_) {}

void PlaceRounding::evaluate(double t, std::span<const BodyMotion> frames, std::span<const double> q,
                             const Observation& now, Loads& out) noexcept {
  forces_.evaluate(t, frames, q, now.v, now.x, out.wrenches, out.efforts, rates_);
}

Terms PlaceRounding::measure(double t, std::span<const BodyMotion> frames, const JointMotions& joints,
                             const Observation& now) noexcept {
  Terms largest;
  if (forces_.empty()) return largest;
  MeasuringParts parts;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    const BodyMotion& m = frames[f];
    const Vec3 turned = measured_share * parts.vector();
    Mat3 turn = Mat3::identity();
    turn(0, 1) = -turned.z, turn(0, 2) = turned.y, turn(1, 2) = -turned.x;
    turn(1, 0) = turned.z, turn(2, 0) = -turned.y, turn(2, 1) = turned.x;
    frames_[f] = {turn * m.R, m.p + measured_share * norm(m.p) * parts.vector(), m.V};
  }
  parts.change(now.q, q_);
  evaluate(t, frames_, q_, now, there_);
  evaluate(t, frames, now.q, now, here_);
  const auto take = [&](const Spatial& change) {
    constexpr double rounding = std::numeric_limits<double>::epsilon() / measured_share;
    const double moment = rounding * norm(change.angular), force = rounding * norm(change.linear);
    if (std::isfinite(moment)) largest.moment = std::max(largest.moment, moment);
    if (std::isfinite(force)) largest.force = std::max(largest.force, force);
  };
  const auto take_frame = [&](FrameIndex f) {
    if (!is_ground(f)) take(there_.wrenches[at(f)] + -1.0 * here_.wrenches[at(f)]);
  };
  for (const BodyIndex b : forces_.loaded_bodies()) take_frame(frame_of(b));
  for (const FrameIndex f : forces_.loaded_nodes()) take_frame(f);
  for (std::size_t k = 0; k < view_.nv; ++k) there_.efforts[k] -= here_.efforts[k];
  for (std::size_t j = 0; j < view_.joints.size(); ++j) {
    const JointData& joint = view_.joints[j];
    take(effort_wrench(joints[j], joint.nv, there_.efforts.data() + joint.v_offset));
  }
  return largest;
}

}  // namespace polyform::balance
