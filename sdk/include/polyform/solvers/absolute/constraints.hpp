// The constraints on the blocks of unknowns, and the places of their rows.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "polyform/mechanics/constraint_set.hpp"
#include "polyform/solvers/absolute/blocks.hpp"

namespace polyform::absolute {

/// All joints, then all constraint elements, then all modules, each with its rows of A. The model determines them.
class Constraints {
 public:
  /// The rows of one joint, constraint element or module, on the blocks that it touches.
  struct Constraint {
    std::size_t rows, row;       ///< number, and first of all rows
    std::size_t entry, entries;  ///< number of the first entry, and number of entries
  };
  /// A block that a constraint touches.
  struct Entry {
    std::size_t block;
    std::size_t frame;      ///< number of unknowns of a body's frame: 6, or 0 for a module
    std::size_t first;      ///< place of the rows' first coefficient for the frame, among those of all entries
    std::size_t own, owns;  ///< the same for the block's own unknowns, rows first; their number
    bool is_empty() const { return frame + owns == 0; }  ///< a module without variables
  };

  /// absent: per constraint, whether its rows do not count; or empty. The other arguments outlive the object.
  Constraints(const SystemView&, const Blocks&, const ConstraintSet&, const ModuleSet&,
              const std::vector<bool>& absent);

  std::size_t count() const { return constraints_.size(); }
  std::size_t rows() const { return rows_; }
  const Constraint& operator[](std::size_t constraint) const { return constraints_[constraint]; }
  std::span<const Constraint> all() const { return constraints_; }
  std::size_t first_element() const { return view_.joints.size(); }
  std::size_t first_module() const { return constraints_.size() - modules_; }
  /// The rows of a constraint element or module on markers and joints, by the number of the constraint.
  const ConstraintSet::Element& element(std::size_t constraint) const {
    return *elements_[constraint - first_element()];
  }
  const char* kind(std::size_t constraint) const noexcept;  ///< joint, constraint or module
  std::string_view name(std::size_t constraint) const noexcept;
  std::size_t of_row(std::size_t row) const noexcept;

  const Entry& entry(std::size_t e) const { return entries_[e]; }
  std::span<const Entry> entries() const { return entries_; }
  std::span<const Entry> entries_of(const Constraint& constraint) const {
    return {entries_.data() + constraint.entry, constraint.entries};
  }
  /// The entry of a body that the constraint touches.
  const Entry* entry_of(const Constraint&, std::size_t body) const noexcept;
  /// The entry of a module for its own variables.
  const Entry& own_entry(const Constraint& of_module) const {
    return entries_[of_module.entry + of_module.entries - 1];
  }
  std::size_t frame_coefficients() const { return frames_; }  ///< of all rows, six numbers each
  std::size_t own_coefficients() const { return owns_; }      ///< of all rows

  bool whole_tree() const { return whole_tree_; }  ///< no tree joint is absent
  /// Whether the structure excludes dependent rows: no loops, and nothing else that may ask for one thing twice.
  bool independent() const { return independent_; }
  /// Some rows ask nothing of positions, so factors for positions do not serve velocities.
  bool some_of_velocity() const { return some_of_velocity_; }

 private:
  void add_element(const Blocks&, const ConstraintSet::Element&, std::size_t rows);
  void add_constraint(const Blocks&, std::size_t rows, std::span<const BodyIndex> bodies);
  void add_entry(const Blocks&, Constraint&, std::size_t block);
  bool has_independent_rows(const ConstraintSet&, const ModuleSet&) const;

  const SystemView& view_;
  std::vector<Constraint> constraints_;
  std::vector<const ConstraintSet::Element*> elements_;  ///< of all constraints but the joints
  std::vector<Entry> entries_;
  std::size_t modules_, rows_ = 0, frames_ = 0, owns_ = 0;
  bool whole_tree_ = true, independent_ = true, some_of_velocity_ = false;
};

}  // namespace polyform::absolute
