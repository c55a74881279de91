// The equations of motion as the paper prints them (Eqs 2.18 to 2.28): one system for the accelerations of the
// particles, of distance rows and of momenta summed over all bodies outboard of each joint. Made to be compared with
// the recursion, which solves the same equations without the matrix.
#pragma once

#include <string>
#include <vector>

#include "full_system.hpp"
#include "recursive_equations.hpp"

namespace polyform::particles {

/// Of a serial chain or a tree with spherical, revolute and fixed joints and free bodies: Steps 1 to 3. The row of a
/// joint has a block for each body outboard of it, so the matrix is full, and its factors cost the cube of the bodies.
/// Corrections are those of the recursion.
class PrintedEquations final : public RecursiveEquations {
 public:
  PrintedEquations(const SystemView&, const Layout&, std::span<const BodyIndex> loaded);
  /// Whether the equations as printed carry the system; if not, why, by name.
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
  Momenta momenta_of(std::size_t body, const PlacedBodies&) const noexcept;
  void set_distances(std::size_t body, const PlacedBodies&, std::size_t& row) noexcept;
  void set_dependents(std::size_t body, const PlacedBodies&, std::size_t& row) noexcept;
  void add_to_joint(std::size_t joint, std::size_t body, const Momenta&, const PlacedBodies&) noexcept;
  void add(std::size_t row, std::size_t particle, const Vec3& coefficient) noexcept;

  std::vector<std::size_t> momentum_rows_;  ///< first of each joint
  FullSystem system_;
};

}  // namespace polyform::particles
