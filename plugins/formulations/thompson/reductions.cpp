#include "reductions.hpp"

namespace polyform::thompson {

bool Reductions::construct(const PlacedTree& tree, bool with_H1, Failure& failure) noexcept {
  mass_.evaluate(tree);
  if (h2_.evaluate(tree.kinematics(), with_H1)) return true;
  return failure.say(
      "the axes of joint `{:.60}` have become dependent: its rows have no null space of the right size. "
      "The option `construction: velocity` names the motion that is without inertia there, if any",
      view_.joints[h2_.failed_joint()].name);
}

}  // namespace polyform::thompson
