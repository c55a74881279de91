// The paper's matrices at one state as dense ones, the numbers of all bodies one above the other.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "accelerations.hpp"
#include "generalized_forces.hpp"
#include "placed_tree.hpp"

namespace polyform::thompson {

inline Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

/// What shown equations are read from; it outlives them. solve: places the tree at a state, and finds H2, forces and
/// accelerations of it; false if that fails.
struct ShownParts {
  std::function<bool(double t, const ConstStateView&)> solve;
  const MovingTree& tree;
  const Reductions& reductions;
  const GeneralizedForces& forces;
  const Accelerations& accelerations;
};

/// Matrices over q̇, which has [v ω η̇] of each body, then the variables of the modules. Valid for the state that the
/// parts were solved at last. For systems that are small enough to be read.
class StackedMatrices {
 public:
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;
  /// parts: outlive the object.
  StackedMatrices(const SystemView&, const ShownParts& parts);

  Matrix mass() const;
  Vector forces() const;
  Vector velocities() const;
  Vector given_velocities() const;
  /// H2: a column per reduced coordinate.
  Matrix transformation() const;
  /// Φ_q: a row per constraint of the joints of the tree.
  Matrix jacobian() const;
  /// H1: a column per row of Φ_q.
  Matrix constraint_columns() const;
  Matrix loop_rows() const;
  Matrix closing_jacobian() const;
  Vector closing_multipliers(const Vector& y) const;
  /// rates: of all bodies; u: of all reduced coordinates, for modes and variables.
  Vector stacked_rates(const BodyVectors& rates, const double* u) const;

 private:
  struct Layout {
    std::vector<std::size_t> bodies, modes;  ///< first of [v ω], and of η̇
    std::size_t variables = 0, size = 0;
  };
  Matrix own_bases() const;
  Vector stacked_velocities(const TreeKinematics&, const double* u) const;

  const SystemView& view_;
  const ShownParts& parts_;
  const H2& h2_;
  Layout layout_;
  std::size_t constraints_ = 0;  ///< rows of Φ_q
};

}  // namespace polyform::thompson
