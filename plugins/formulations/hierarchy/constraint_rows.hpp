// The constraints A α = b of all joints and constraint elements in the absolute coordinates of the bodies, and what
// follows for the joints once α and the multipliers are known.
//
// α: per body the angular acceleration and the acceleration of the mass centre, ground axes. Forces of the constraints:
// γ = M α − f = Aᵀ λ + φ.
#pragma once

#include <span>
#include <vector>

#include "levels.hpp"
#include "polyform/constraint.hpp"
#include "polyform/constraint_set.hpp"

namespace polyform::hierarchy {

class ConstraintRows {
 public:
  /// ties: as ties_of; last_level: constraints of higher levels do not count.
  ConstraintRows(const SystemView&, std::span<const Tie> ties, std::size_t last_level);
  bool good() const { return elements_.good(); }

  /// Rows at these motions; q, v: of all joints, hints in q on entry.
  void evaluate(double t, std::span<const BodyMotion> bodies, std::span<double> q, std::span<double> v) noexcept;
  /// Adds what joint efforts and the given part φ of the constraint forces put on the bodies (about the mass centres).
  void add_efforts(std::span<const double> efforts, std::span<Spatial> loads) noexcept;
  /// After evaluate() and add_efforts(): keeps accelerations α and multipliers λ (all rows), for the functions below.
  void set_solution(std::span<const Spatial> accelerations, std::span<const double> multipliers) noexcept;

  std::size_t rows() const { return right_.size(); }
  std::size_t first_row(std::size_t tie) const { return groups_[tie].row; }
  /// Coefficients of the rows of a tie for its body number i, and right-hand sides of all rows.
  std::span<const Spatial> coefficients(std::size_t tie, std::size_t i) const {
    return std::span(coefficients_).subspan(groups_[tie].first + i * groups_[tie].rows, groups_[tie].rows);
  }
  std::span<const double> right() const { return right_; }
  std::string_view name(std::size_t tie) const noexcept;
  bool is_joint(std::size_t tie) const { return tie < view_.joints.size(); }

  // At the evaluated motions:
  const Vec3& center(std::size_t body) const { return centers_[body]; }
  const Sym3& inertia(std::size_t body) const { return inertias_[body]; }  ///< about the mass centre, ground axes
  const BodyMotion& motion(std::size_t body) const { return motions_[body]; }
  double position_violation() const { return position_violation_; }
  double velocity_violation() const { return velocity_violation_; }
  // After set_solution():
  Spatial reaction(std::size_t joint) const noexcept;  ///< on the moving body at the origin of M, ground axes
  Spatial origin_acceleration(std::size_t body) const noexcept;
  void joint_accelerations(std::span<double> vdot) const noexcept;

 private:
  /// The rows of one tie: first in all rows, first of its coefficients (body after body).
  struct Group {
    std::size_t rows, row, first;
    std::span<const std::size_t> bodies;
  };
  void set_joint(std::size_t joint, double* q, double* v) noexcept;
  void set_element(std::size_t element) noexcept;
  void add_to_row(const Group&, std::size_t row, BodyIndex, const Spatial& about_center) noexcept;
  void add_joint_row(const Group&, std::size_t row, std::size_t joint, const Spatial& t) noexcept;
  Spatial velocity_terms(std::size_t joint) const noexcept;

  const SystemView& view_;
  ConstraintSet elements_;
  std::vector<Group> groups_;  ///< of joints, then of constraint elements
  std::vector<JointConstraint> joints_;
  std::vector<BodyMotion> motions_;
  std::vector<Vec3> centers_;  ///< mass centres from the frame origins, ground axes
  std::vector<Sym3> inertias_;
  std::vector<Spatial> coefficients_, accelerations_;
  std::vector<double> right_, efforts_, multipliers_;
  double position_violation_ = 0, velocity_violation_ = 0;
};

}  // namespace polyform::hierarchy
