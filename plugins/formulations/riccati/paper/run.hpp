// A run of bodies and hinges passed in one Riccati step: one body and its hinge, or the plain product U_n … U_1 of the
// transfer matrices of many.
#pragma once

#include "links.hpp"
#include "riccati_step.hpp"

namespace polyform::riccati::paper {

using Matrix6X = Eigen::Matrix<double, 6, Eigen::Dynamic>;
using VectorRef = Eigen::Ref<const Vector>;

/// z_a = S z_b + F y with y = [1 …]: z_a = (m, q) and z_b = (r̈, Ω̇) at one point. Column 0 of F is the paper's e.
struct Relation {
  Matrix6 S = Matrix6::Zero();
  Matrix6X F;
};

class Run {
 public:
  /// From body `first` through its ancestors to body `last`, the hinge of `last` included. columns: of F.
  Run(const Links&, std::size_t first, std::size_t last, Index columns);

  std::size_t first() const { return first_; }
  std::size_t last() const { return last_; }
  Index columns() const { return start_.F.cols(); }
  /// At the output end of the first body; set before condense().
  Relation& start() { return start_; }

  /// Goes from start() to end(), the parent's side of the last hinge. False if a hinge moves no inertia or the product
  /// does not determine the states; failed() tells at which body.
  bool condense(const Links&) noexcept;
  const Relation& end() const { return end_; }
  std::size_t failed() const { return failed_; }
  /// About the part of the accelerations that the product has left to rounding; 0 for a single body.
  double lost() const { return lost_; }
  /// z_b at the output end of the first body is P z_b + p y, z_b on the parent's side of the last hinge.
  const Matrix6& P() const { return P_; }
  const Matrix6X& p() const { return p_; }

  /// Does Eq 33 for all bodies of the run: finds z_b and z_a at their output ends and v̇ of their hinges.
  void back(const Links&, const Vector6& z_end, const VectorRef& y, std::span<Vector6> z_b, std::span<Vector6> z_a,
            double* vdot) const noexcept;

 private:
  /// A hinge inside the run and the body after it.
  struct Stage {
    std::size_t body;
    GeneralHinge hinge;
    Matrix13 U = Matrix13::Identity();
  };
  bool pass_hinge(const HingeMotion&) noexcept;
  bool multiply(const Links&) noexcept;

  std::size_t first_, last_, failed_ = 0;
  double lost_ = 0;
  Relation start_, end_;
  Matrix6 P_ = Matrix6::Identity();
  Matrix6X p_;
  Rows6 gain_;                 ///< v̇ of the last hinge = gain z_end + free y
  Matrix free_;                ///< nv × columns
  std::vector<Stage> stages_;  ///< empty for a single body
  Matrix Z_first_, Z_last_;    ///< 13 × …: states that remain possible at the first and last output end
  Matrix6X rest_;
};

/// How well the hinge at the other end of the following body feels the motion of a hinge: the cosine of the largest
/// angle between their motion subspaces in that body's inertia metric, 0 … 1. If it is 0, or the numbers of directions
/// differ, the hinge has no transfer matrix (GeneralHinge).
double alignment(const Links&, std::size_t child) noexcept;

}  // namespace polyform::riccati::paper
