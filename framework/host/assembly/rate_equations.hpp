// The sparse equations of the nearest rates in the metric of inertia (see nearest_rates.hpp).
#pragma once

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <span>
#include <vector>

#include "framework/host/assembly/constraint_jacobian.hpp"
#include "framework/host/assembly/inertia_metric.hpp"

namespace polyform::host::inline assembly {

/// For changes d of the rates and D of the twists, with multipliers μ of the tree joints and λ of the rows:
///
///   M D + Xᵀμ + Wᵀλ = M e     −Sᵀμ = 0     X D − S d = 0     W D = r
///
/// X: twist of the outboard frame of a joint less that of its inboard frame, at the origin of the outboard one; S: its
/// motion subspace there; W: the wrenches of the rows.
class RateEquations {
 public:
  /// independent: numbers of rows that do not depend on each other.
  RateEquations(const SystemView&, const ConstraintJacobian&, const InertiaMetric&, const std::vector<char>& kept,
                const std::vector<std::size_t>& independent);
  /// left: r of all rows; excess: e per body, or empty. False if the equations are singular.
  bool solve(std::span<const double> left, std::span<const Spatial> excess, std::span<double> change) const;

 private:
  using Index = Eigen::Index;

  void number(const std::vector<char>& kept);
  void enter(Index row, Index column, double value);
  void enter_symmetric(Index row, Index column, double value);
  void enter_body(std::size_t body);
  void enter_joint(std::size_t joint);
  void enter_twist(Index equation, FrameIndex, const Vec3& point, double sign);
  void enter_row(std::size_t r);
  void scale();
  bool is_node(FrameIndex f) const { return at(f) >= view_.bodies.size(); }
  std::size_t modes(std::size_t body) const {
    return view_.bodies[body].flexible == rigid ? 0 : view_.flexible[view_.bodies[body].flexible].modes;
  }
  const BodyMotion& motion(FrameIndex f) const { return motion_of(f, jacobian_.tree().frames()); }

  const SystemView& view_;
  const ConstraintJacobian& jacobian_;
  const InertiaMetric& metric_;
  const std::vector<std::size_t>& independent_;
  std::vector<Index> rate_;        ///< unknown of each column, −1 if it is kept
  std::vector<Index> twist_;       ///< first of each body's twist; its multipliers follow its modes' columns
  std::vector<Index> multiplier_;  ///< first of each tree joint's
  Index size_ = 0;
  std::vector<Eigen::Triplet<double>> entries_;
  Eigen::VectorXd scale_;  ///< of unknowns and equations
  Eigen::SparseMatrix<double> matrix_;
  Eigen::SparseLU<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> factors_;
};

}  // namespace polyform::host::assembly
