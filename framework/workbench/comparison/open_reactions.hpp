// The part of reactions that redundant constraints leave open along a motion.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "framework/host/assembly/system.hpp"

namespace polyform::host::inline comparison {

/// The open part of the reaction of one joint along a motion.
struct OpenReaction {
  std::size_t joint = 0;               ///< in the view
  BodyIndex axes = BodyIndex::ground;  ///< the body in whose axes the directions are
  OpenDirections directions;

  /// A reaction (ground axes) without its open part. R: the orientation of the body.
  Spatial unique_part(const Spatial& reaction, const Mat3& R) const;
};

/// Open directions of all joints, gathered state by state in the axes of ground and of both bodies of each joint.
class OpenReactions {
 public:
  /// So many states, evenly along a motion, are enough: a direction that turns in the body, as in spatial loops, spans
  /// its space within as many states as the space has dimensions.
  static constexpr std::size_t states = 8;
  /// The orientation of a body in ground, if it is known.
  using Orientations = std::function<std::optional<Mat3>(BodyIndex)>;

  /// The system outlives the object.
  explicit OpenReactions(const System& system) : system_(system) {}
  void add(const ConstStateView&, const Orientations&);
  /// By joint, each in those axes in which the fewest directions are open; in those of ground if all are alike.
  std::vector<OpenReaction> found() const;

 private:
  struct Seen {
    std::array<OpenDirections, 3> in_axes;  ///< of ground, base, moving
    std::array<bool, 3> known{};            ///< whether the orientation was known at all states
  };
  const System& system_;
  std::map<std::size_t, Seen> seen_;
};

}  // namespace polyform::host::comparison
