#include "framework/host/assembly/welded_bodies.hpp"

#include <algorithm>

namespace polyform::host::inline assembly {

WeldedBodies::WeldedBodies(const std::vector<BodyData>& bodies, const std::vector<JointData>& joints) {
  for (std::size_t i = 0; i < bodies.size(); ++i) first_.push_back(body_index(i));
  const auto bends = [&](BodyIndex b) { return !is_ground(b) && bodies[at(b)].flexible != rigid; };
  const auto root = [&](BodyIndex b) {
    while (!is_ground(b) && first_[at(b)] != b) {
      BodyIndex& next = first_[at(b)];
      if (!is_ground(next)) next = first_[at(next)];
      b = next;
    }
    return b;
  };
  for (const JointData& joint : joints) {
    const bool fixed = joint.nv == 0 && joint.kernel == nullptr;
    if (!fixed || bends(joint.base) || bends(joint.moving)) continue;
    // Ground has the least index.
    const auto [least, other] = std::minmax({root(joint.base), root(joint.moving)});
    if (!is_ground(other)) first_[at(other)] = least;
  }
  for (std::size_t i = 0; i < bodies.size(); ++i) first_[i] = root(first_[i]);
}

}  // namespace polyform::host::assembly
