// The wrenches that joints transmit for the multipliers of all rows.
#include <algorithm>
#include <cmath>

#include "framework/host/assembly/constraint_jacobian.hpp"

namespace polyform::host::inline assembly {

void ConstraintJacobian::transmit(std::span<const double> mu, std::span<Spatial> through,
                                  std::span<WrenchSize> sizes) const {
  std::fill(through.begin(), through.end(), Spatial{});
  std::fill(sizes.begin(), sizes.end(), WrenchSize{});
  const auto place = [&](std::size_t joint) { return this->place(view_.joints[joint]); };
  const auto load = [&](std::size_t joint, double factor, const Spatial& wrench, const Vec3& away) {
    const Spatial w = about(away, wrench);
    through[joint] += factor * w;
    sizes[joint].moment += std::abs(factor) * (norm(wrench.angular) + norm(away) * norm(w.linear));
    sizes[joint].force += std::abs(factor) * norm(w.linear);
  };
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    const Row& row = rows_[r];
    for (const auto& [frame, wrench] : row.wrenches) {
      const BodyIndex body = body_of(frame);
      load(at(body), mu[r], wrench, place(at(body)) - row.point);
      if (row.cut_joint != none)
        load(row.cut_joint, mu[r] * cut_sign(row, body), wrench, place(row.cut_joint) - row.point);
    }
  }
  for (std::size_t i = view_.bodies.size(); i-- > 0;) {
    const BodyIndex in = view_.joints[i].inboard();
    if (is_ground(in)) continue;
    const Vec3 away = place(at(in)) - place(i);
    through[at(in)] += about(away, through[i]);
    sizes[at(in)].moment += sizes[i].moment + norm(away) * sizes[i].force;
    sizes[at(in)].force += sizes[i].force;
  }
  // A tree joint carries all forces that act outboard of it. Forces within the joint are part of its own reaction.
  for (std::size_t r = 0; r < rows_.size(); ++r)
    for (const auto& [joint, wrench] : rows_[r].efforts)
      load(joint, joint < view_.bodies.size() ? -mu[r] : mu[r], wrench, place(joint) - rows_[r].point);
  for (std::size_t i = 0; i < through.size(); ++i)
    if (is_absent(i)) through[i] = {};
}

/// A cut joint transmits the wrench that it applies to its moving body, or to its base if the moving body is ground.
double ConstraintJacobian::cut_sign(const Row& row, BodyIndex body) const {
  const JointData& joint = view_.joints[row.cut_joint];
  return body == (is_ground(joint.moving) ? joint.base : joint.moving) ? 1 : 0;
}

}  // namespace polyform::host::assembly
