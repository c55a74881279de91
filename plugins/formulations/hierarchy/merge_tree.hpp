// How a system is put together from its blocks (bodies, modules): a sequence of merges, each of two subsystems or of
// one with itself, in which the constraints that lie within the merged subsystem are enforced.
//
// Later merges see of a subsystem only the blocks on which later constraints act: its interface. Merging subsystems in
// pairs, round after round, keeps interfaces small and gives a chain of n bodies log₂ n levels.
#pragma once

#include "levels.hpp"

namespace polyform::hierarchy {

struct Merge {
  /// A block among those that take part: place `place` in the interface of part `part`.
  struct Member {
    std::size_t part, place;
    std::size_t block;
  };
  std::vector<std::size_t> parts;        ///< subsystems: a block's number, or number of blocks + number of a merge
  std::vector<Member> members;           ///< interfaces of the parts, one after another
  std::vector<std::size_t> interface;    ///< places in members that later merges need
  std::vector<std::size_t> constraints;  ///< enforced here
};

struct MergeTree {
  std::vector<Merge> merges;  ///< parts before what they are merged to
  std::size_t levels = 1;     ///< of the hierarchy
};

/// Merges for all constraints that have rows and a level up to `last_level`, level after level. Constraints without
/// level (0) get the one found for them. flat: one merge for each set of blocks that hang together. alone: per block,
/// whether it needs a merge even if nothing constrains it.
MergeTree make_merge_tree(std::vector<LevelConstraint>& constraints, std::size_t blocks, std::size_t last_level,
                          bool flat, const std::vector<bool>& alone);

}  // namespace polyform::hierarchy
