// C and γ: constraint rows in the coordinates of the particles, and M.
#pragma once

#include "moving_bodies.hpp"
#include "sparse_values.hpp"

namespace polyform::particles {

/// What rows are solved for.
enum class Level { position, velocity, acceleration };

class SparseRows {
 public:
  /// What is given outlives the object.
  SparseRows(const SystemView&, const Layout&, const SparsePattern&, std::span<const ElementConstraint>, SparseValues&);
  /// All rows at these bodies; the elements are evaluated there, the joints that rows need are found.
  void set(const PlacedBodies&, Level) noexcept;
  /// M at these bodies, for what was last set.
  void set_masses(const PlacedBodies&) noexcept;
  /// x: first-order states, of which the rows of modules read their variables.
  void read_states(std::span<const double> x) { x_ = x; }
  Violations violations() const { return violations_; }  ///< of all constraints, as last set

 private:
  using Group = RowGroup;
  void set_distance_rows(const Group&) noexcept;
  void set_tie_rows(const Group&) noexcept;
  void set_joint_rows(const Group&) noexcept;
  void set_element_rows(const Group&) noexcept;
  double set_variable_row(const Group&, const ModuleSet::Module&, std::size_t row) noexcept;
  void set_variable_masses() noexcept;
  void clear_rows(const Group&) noexcept;
  void add_to_row(const Group&, std::size_t row, BodyIndex, const Spatial& about_origin) noexcept;
  void add_joint_row(const Group&, std::size_t row, std::size_t joint, const Spatial& t) noexcept;
  Spatial terms_of_joint(std::size_t joint) const noexcept;

  const SystemView& view_;
  const Layout& layout_;
  const SparsePattern& pattern_;
  std::span<const ElementConstraint> elements_;
  std::span<const double> x_;
  SparseValues& values_;
  const PlacedBodies* placed_ = nullptr;  ///< while set() works
  Level level_ = Level::acceleration;
  Violations violations_;
};

}  // namespace polyform::particles
