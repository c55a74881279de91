// What ties the blocks of unknowns to each other and to ground, and where its rows stand.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "polyform/mechanics/constraint_set.hpp"
#include "polyform/solvers/absolute/blocks.hpp"

namespace polyform::absolute {

/// All joints, then all constraint elements, then all modules, each with its rows of A. Fixed by the model.
class Ties {
 public:
  /// The rows of one joint, constraint element or module, on the blocks that it ties.
  struct Tie {
    std::size_t rows, row;       ///< number, and first of all rows
    std::size_t entry, entries;  ///< first of its entries, and number
  };
  /// A block that a tie touches.
  struct Entry {
    std::size_t block;
    std::size_t frame;      ///< unknowns of a body's frame: 6, of a module 0
    std::size_t first;      ///< of the rows' coefficients for the frame, among those of all entries
    std::size_t own, owns;  ///< the same of the block's own unknowns, rows first; their number
    bool is_empty() const { return frame + owns == 0; }  ///< a module without variables
  };

  /// absent: per tie, whether its rows do not count; or empty. All but absent outlive the object.
  Ties(const SystemView&, const Blocks&, const ConstraintSet&, const ModuleSet&, const std::vector<bool>& absent);

  std::size_t count() const { return ties_.size(); }
  std::size_t rows() const { return rows_; }
  const Tie& operator[](std::size_t tie) const { return ties_[tie]; }
  std::span<const Tie> all() const { return ties_; }
  std::size_t first_element() const { return view_.joints.size(); }
  std::size_t first_module() const { return ties_.size() - modules_; }
  /// What a tie from the first constraint element on asks of markers and joints.
  const ConstraintSet::Element& element(std::size_t tie) const { return *elements_[tie - first_element()]; }
  const char* kind(std::size_t tie) const noexcept;  ///< joint, constraint or module
  std::string_view name(std::size_t tie) const noexcept;
  std::size_t of_row(std::size_t row) const noexcept;

  const Entry& entry(std::size_t e) const { return entries_[e]; }
  std::span<const Entry> entries() const { return entries_; }
  std::span<const Entry> entries_of(const Tie& tie) const { return {entries_.data() + tie.entry, tie.entries}; }
  /// The entry of a body, which the tie touches.
  const Entry* entry_of(const Tie&, std::size_t body) const noexcept;
  /// The entry of a module for its own variables.
  const Entry& own_entry(const Tie& of_module) const { return entries_[of_module.entry + of_module.entries - 1]; }
  std::size_t frame_coefficients() const { return frames_; }  ///< of all rows, six numbers each
  std::size_t own_coefficients() const { return owns_; }      ///< of all rows

  bool whole_tree() const { return whole_tree_; }  ///< no tree joint is absent
  /// By structure: no loops, and nothing else that may ask one thing twice.
  bool independent() const { return independent_; }
  /// Some rows ask nothing of positions: factors of these do not serve velocities.
  bool some_of_velocity() const { return some_of_velocity_; }

 private:
  void add_element(const Blocks&, const ConstraintSet::Element&, std::size_t rows);
  void add_tie(const Blocks&, std::size_t rows, std::span<const BodyIndex> bodies);
  void add_entry(const Blocks&, Tie&, std::size_t block);
  bool has_independent_rows(const ConstraintSet&, const ModuleSet&) const;

  const SystemView& view_;
  std::vector<Tie> ties_;
  std::vector<const ConstraintSet::Element*> elements_;  ///< of the ties but joints
  std::vector<Entry> entries_;
  std::size_t modules_, rows_ = 0, frames_ = 0, owns_ = 0;
  bool whole_tree_ = true, independent_ = true, some_of_velocity_ = false;
};

}  // namespace polyform::absolute
