// Which bodies are one rigid body.
#pragma once

#include <vector>

#include "polyform/contract/system_view.hpp"

namespace polyform::host::inline assembly {

/// Rigid bodies that fixed joints weld together, in the tree or in loops, stand for one body: the one of least index,
/// or ground. A flexible body stands for itself, because its ends move against each other.
class WeldedBodies {
 public:
  WeldedBodies(const std::vector<BodyData>&, const std::vector<JointData>&);

  BodyIndex operator[](BodyIndex b) const { return is_ground(b) ? b : first_[at(b)]; }

 private:
  std::vector<BodyIndex> first_;  ///< for each body
};

}  // namespace polyform::host::assembly
