#include "framework/workbench/comparison/open_reactions.hpp"

namespace polyform::host::inline comparison {

Spatial OpenReaction::unique_part(const Spatial& reaction, const Mat3& R) const {
  const Spatial in_axes{transpose_times(R, reaction.angular), transpose_times(R, reaction.linear)};
  const Spatial rest = directions.unique_part(in_axes);
  return {R * rest.angular, R * rest.linear};
}

void OpenReactions::add(const ConstStateView& state, const Orientations& orientation) {
  for (const OpenDirections& open : system_.count_constraints(system_.start_time(), state, {}).open) {
    const JointData& joint = system_.view().joints[at(open.joint())];
    const std::optional<Mat3> axes[] = {Mat3::identity(), orientation(joint.base), orientation(joint.moving)};
    const auto [place, first] = seen_.try_emplace(at(open.joint()));
    Seen& seen = place->second;
    for (std::size_t a = 0; a < seen.in_axes.size(); ++a) {
      seen.known[a] = axes[a].has_value() && (first || seen.known[a]);
      if (!seen.known[a]) continue;
      const OpenDirections here = open.in_axes(*axes[a]);
      if (first)
        seen.in_axes[a] = here;
      else
        seen.in_axes[a].add(here);
    }
  }
}

std::vector<OpenReaction> OpenReactions::found() const {
  std::vector<OpenReaction> all;
  for (const auto& [j, seen] : seen_) {
    const JointData& joint = system_.view().joints[j];
    const BodyIndex bodies[] = {BodyIndex::ground, joint.base, joint.moving};
    std::size_t least = 0;
    for (std::size_t a = 1; a < seen.in_axes.size(); ++a)
      if (seen.known[a] && seen.in_axes[a].count() < seen.in_axes[least].count()) least = a;
    all.push_back({j, bodies[least], seen.in_axes[least]});
  }
  return all;
}

}  // namespace polyform::host::comparison
