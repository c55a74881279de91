// The rows of constraint elements and modules in groups, each of which is one block of the multipliers.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "polyform/mechanics/module_set.hpp"

namespace polyform {

/// Which rows stand together, and on which frames they act: first the groups of the constraint elements, then those of
/// the modules. Made once for a system; nothing in it changes afterwards.
class ElementGroups {
 public:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  /// Rows of one element that form one block of the solution.
  struct Group {
    const ConstraintSet::Element* of = nullptr;  ///< the element; of a module its rows
    std::size_t first = 0;                       ///< of its rows, among those of the element
    std::size_t rows = 0;
    std::size_t row = 0;                      ///< the first among the rows of all groups
    std::size_t frames = 0, frame_count = 0;  ///< of its frames
    std::size_t share = 0;                    ///< of rows × frames
    std::size_t slots = 0;      ///< places among its frames of its markers', then of its joints' base and moving
    std::size_t motion = 0;     ///< of its first joint
    bool absolute = false;      ///< it ties ground, or has markers, whose motions against ground count
    unsigned nonholonomic = 0;  ///< rows that ask nothing of positions, a bit each
    std::size_t module = none;  ///< of rows of a module: its number
  };

  /// The arguments outlive the object.
  ElementGroups(const SystemView&, const ConstraintSet&, const ModuleSet&);

  std::span<const Group> all() const { return groups_; }
  const Group& operator[](std::size_t g) const { return groups_[g]; }
  /// The first group of a module that has rows.
  const Group& first_of(std::size_t module) const { return groups_[first_of_module_[module]]; }
  /// The frames that a group ties, without ground.
  std::span<const FrameIndex> frames(const Group& g) const {
    return std::span(frames_).subspan(g.frames, g.frame_count);
  }
  /// The place of a frame among those of a group, or none for ground: per marker, then two per joint.
  const std::size_t* slots(const Group& g) const { return slots_.data() + g.slots; }

  // The numbers of all groups together.
  std::size_t rows() const { return rows_; }
  std::size_t shares() const { return shares_; }
  std::size_t motions() const { return motions_; }

 private:
  void add(const SystemView&, const ConstraintSet::Element&, std::size_t module);
  std::size_t slot_of(const Group&, FrameIndex);

  std::vector<Group> groups_;
  std::vector<std::size_t> first_of_module_;
  std::vector<FrameIndex> frames_;
  std::vector<std::size_t> slots_;
  std::size_t rows_ = 0, shares_ = 0, motions_ = 0;
};

}  // namespace polyform
