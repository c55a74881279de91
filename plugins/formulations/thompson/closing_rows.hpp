// Φ_q of what closes the tree: the rows of cut joints and constraint elements, on the bodies and on q̇2.
#pragma once

#include <span>
#include <vector>

#include "h2.hpp"
#include "placed_tree.hpp"
#include "second_reduction.hpp"

namespace polyform::thompson {

/// What the rows are solved for. held_position: positions again, by a step that meets nonholonomic rows as well, which
/// ask nothing of positions: where they alone give bodies without inertia their place.
enum class Level { position, held_position, velocity, acceleration };
constexpr bool is_of_positions(Level level) { return level == Level::position || level == Level::held_position; }

/// Φ_q of the groups of ClosingConstraints; J = Φ_q H2 goes to a SecondReduction.
class ClosingRows {
 public:
  /// What is given outlives the object.
  ClosingRows(const SystemView&, const H2&, const ClosingConstraints&, SecondReduction&);

  /// Φ_q, J and the right-hand sides of J q̇2, where H2 stands at the same motions: what removes the residuals, or at
  /// the level of accelerations what the bodies' own Ḣ2 q̇2 (gamma: all of (1 − T)⁻¹ γ, not read elsewhere) leave over.
  void set(Level, const PlacedTree&, std::span<const Vector6> gamma) noexcept;
  const double* right() const { return right_.data(); }

  /// The largest error of rows that were left out, relative to the largest acceleration that rows ask for, or that
  /// acts.
  struct Contradiction {
    double size = 0;
    std::size_t group = 0;  ///< with the largest
  };
  /// At u̇, after set(Level::acceleration).
  Contradiction contradiction(const double* udot, double acting) const noexcept;

  /// forces += Σ Φ_qᵀ multipliers, of all rows.
  void add_forces(const double* multipliers, Forces& forces) const noexcept;

 private:
  static constexpr std::size_t none = H2::none;
  /// A body on the paths of a group, and the place of its inboard body in the same group. Its columns: freedoms of its
  /// joint, then its modes. A flexible common ancestor stands among them for its modes alone.
  struct Station {
    std::size_t body, inboard, first_column, freedoms, modes;
    bool whole;
  };
  /// A body that the rows act on. The common ancestor of a joint's bodies, which its rows do not move, is no station.
  struct End {
    std::size_t body, station;
  };
  struct Group {
    std::size_t rows = 0, first_row = 0;
    std::vector<Station> stations;  ///< in the order of the bodies
    std::vector<End> ends;
    std::size_t first_end = 0;  ///< rows × ends, in ends_
    /// Columns, and the first of the variables of a module among them; first of rows × columns in direct_, where the
    /// group has modes or variables.
    std::size_t columns = 0, variables = 0, first_direct = none;
  };

  enum OnPath : unsigned char { beside, whole, modes_only };
  void add_path(std::vector<unsigned char>& on_path, BodyIndex from, BodyIndex to) const;
  void add_joint_path(std::vector<unsigned char>& on_path, const JointData&) const;
  void add_group(std::vector<unsigned char>& on_path, std::span<const BodyIndex> ends);
  void add_wrench(const Group&, std::size_t row, FrameIndex, const Spatial& about_origin, const PlacedTree&) noexcept;
  void add_joint(const Group&, std::size_t row, const JointData&, const Spatial& t, const PlacedTree&) noexcept;
  void set_cut(std::size_t cut, Level, const PlacedTree&) noexcept;
  void set_constraint(std::size_t index, Level, const PlacedTree&) noexcept;
  void set_variables(const Group&, std::size_t row, const ModuleSet::Module&, Level) noexcept;
  Spatial velocity_terms_of(const JointData&, const PlacedTree&) const noexcept;
  void sweep(std::size_t group, std::size_t row) noexcept;
  double sweep_modes(const Group&, std::size_t station, double* J) noexcept;

  const SystemView& view_;
  const H2& h2_;
  const ClosingConstraints& closing_;
  SecondReduction& reduction_;
  double length_;  ///< of the largest body, m: by which coordinates that shift compare with those that turn
  std::vector<Group> groups_;
  std::vector<Vector6> ends_;   ///< Φ_q: a row's share of a body, as a generalized force
  std::vector<double> direct_;  ///< Φ_q: a row's share of modes and of variables of a module, per column of its group
  /// For a row on its way to the roots: largest force and moment so far.
  struct Size {
    double linear = 0, angular = 0;
  };
  std::vector<Vector6> carried_;  ///< one row at each station
  std::vector<Size> sizes_;
  std::vector<double> right_;
};

}  // namespace polyform::thompson
