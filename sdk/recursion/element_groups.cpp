#include "polyform/solvers/element_groups.hpp"

#include <algorithm>

#include "polyform/solvers/multiplier_matrix.hpp"

namespace polyform {

ElementGroups::ElementGroups(const SystemView& view, const ConstraintSet& elements, const ModuleSet& modules) {
  for (const ConstraintSet::Element& element : elements.elements()) add(view, element, none);
  for (std::size_t m = 0; m < modules.modules().size(); ++m) {
    first_of_module_.push_back(groups_.size());
    add(view, modules.modules()[m].rows, m);
  }
}

/// As many rows of an element together as a block of the multipliers has room for.
void ElementGroups::add(const SystemView& view, const ConstraintSet::Element& e, std::size_t module) {
  for (std::size_t first = 0; first < e.rows; first += MultiplierMatrix::most_rows) {
    Group g;
    g.of = &e;
    g.module = module;
    g.first = first;
    g.rows = std::min(e.rows - first, MultiplierMatrix::most_rows);
    g.row = rows_;
    g.frames = frames_.size();
    g.share = shares_;
    g.slots = slots_.size();
    g.motion = motions_;
    const auto is_on_ground = [&](JointIndex j) {
      return is_ground(view.joints[at(j)].base_frame) || is_ground(view.joints[at(j)].moving_frame);
    };
    g.absolute = !e.markers.empty() || std::ranges::any_of(e.joints, is_on_ground);
    for (std::size_t r = 0; r < g.rows; ++r)
      if (!e.is_holonomic(first + r)) g.nonholonomic |= 1u << r;
    for (const Marker& marker : e.markers) slots_.push_back(slot_of(g, marker.frame));
    for (const JointIndex j : e.joints)
      for (const FrameIndex f : {view.joints[at(j)].base_frame, view.joints[at(j)].moving_frame})
        slots_.push_back(slot_of(g, f));
    g.frame_count = frames_.size() - g.frames;
    rows_ += g.rows;
    shares_ += g.rows * g.frame_count;
    motions_ += e.joints.size();
    groups_.push_back(g);
  }
}

/// The place of a frame among those of the group that is being made, which is the last one.
std::size_t ElementGroups::slot_of(const Group& g, FrameIndex f) {
  if (is_ground(f)) return none;
  const auto first = frames_.begin() + static_cast<std::ptrdiff_t>(g.frames);
  const auto found = std::find(first, frames_.end(), f);
  const std::size_t slot = static_cast<std::size_t>(found - first);
  if (found == frames_.end()) frames_.push_back(f);
  return slot;
}

}  // namespace polyform
