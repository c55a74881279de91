// The equations of motion as the paper prints them (Sect. 2.4): one system for the accelerations of the particles and
// the forces of the cut joints, of distance rows, of momenta summed over all bodies outboard of each joint, and of the
// constraints of joints. Made to be compared with the recursion, which solves the same equations without the matrix.
#pragma once

#include <string>
#include <vector>

#include "full_system.hpp"
#include "recursive_equations.hpp"

namespace polyform::particles {

/// For trees by Steps 1 to 4, with the rows of the motion subspace in the place of Eqs 2.29; for closed loops by Sect.
/// 2.4.2: the forces of the cut joints stand in the momenta of both chains of their loop, and the constraints of the
/// cut joints are the rows for them. The row of a joint has a block for each body outboard of it, so the matrix is
/// full, and its factors cost the cube of the bodies. Corrections are those of the recursion.
class PrintedEquations final : public RecursiveEquations {
 public:
  PrintedEquations(const SystemView&, const Layout&, std::span<const BodyIndex> loaded);
  /// Whether the matrix is not too large; if it is, how large.
  static bool carries(const SystemView&, std::string& why);

  bool find_accelerations(const PlacedBodies&, const Applied&, std::span<Vec3> out) noexcept override;
  bool is_recursive() const noexcept override { return false; }

 private:
  /// Rates of the linear and angular momentum of one body about its particle 1 (Eqs 2.15, 2.16): Σ linear[i] r̈_i =
  /// force, Σ angular[i] r̈_i = moment over its particles 1, 2 and 4.
  struct Momenta {
    Mat3 linear[3], angular[3];
    Vec3 force, moment;
  };
  /// A tree joint: its rows, after those of the body, and what they project momenta on.
  struct TreeJoint {
    std::size_t row = 0;          ///< first of its constraints
    std::size_t constraints = 0;  ///< that shared particles leave over
    std::size_t directions = 0;   ///< motions: rows of momenta after the constraints
    Spatial H[6];                 ///< these motions at particle 1 of its body, ground axes, as evaluated
  };
  /// A cut joint: its rows and its multipliers, and the tree joints whose momenta its force enters.
  struct CutJoint {
    std::size_t row = 0, column = 0, rows = 0;
    std::vector<std::size_t> of_moving, of_base;  ///< from each of its bodies to where they meet
  };

  Momenta momenta_of(std::size_t body, const PlacedBodies&) const noexcept;
  void set_distances(std::size_t body, const PlacedBodies&, std::size_t& row) noexcept;
  void set_dependents(std::size_t body, const PlacedBodies&, std::size_t& row) noexcept;
  void set_directions(std::size_t joint, const PlacedBodies&) noexcept;
  void set_constraints(std::size_t joint, const PlacedBodies&) noexcept;
  void set_cut(std::size_t cut, const PlacedBodies&) noexcept;
  void add_to_joint(std::size_t joint, std::size_t body, const Momenta&, const PlacedBodies&) noexcept;
  void add_force(std::size_t joint, std::size_t column, BodyIndex, const Spatial& wrench, const PlacedBodies&) noexcept;
  void add_row(std::size_t row, const JointData&, const Spatial& t, const PlacedBodies&) noexcept;
  void add(std::size_t row, std::size_t particle, const Vec3& coefficient) noexcept;
  Spatial cut_force(std::size_t i, const BodyMotion& base) const noexcept override;

  std::vector<std::size_t> first_rows_;  ///< of each body: distances, dependent particles, then its joint
  std::vector<TreeJoint> tree_;
  std::vector<CutJoint> cuts_;
  FullSystem system_;
};

}  // namespace polyform::particles
