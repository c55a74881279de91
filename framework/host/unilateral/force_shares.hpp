// How rows that hold share what they carry where more of them hold than it takes. Nothing here knows mechanics.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>
#include <array>
#include <cstddef>
#include <vector>

#include "framework/host/unilateral/least_solution.hpp"

namespace polyform::host::inline unilateral {

/// Solves G x = r for the forces x of rows that hold. If more rows hold than it takes, the solutions differ by the null
/// space of G. Of these it takes the one that is least and lies within the limits of all points, clear of them where it
/// can: so no force is found beyond its limit while another share would hold. Where no share holds, the largest excess
/// is as small as it can be. The result depends smoothly on r.
class ForceShares {
 public:
  static constexpr Eigen::Index none = -1;
  /// The limits of a point: a normal force that pushes, and friction at rest that is no larger than a share of it, or,
  /// without a normal force, than a number.
  struct Limits {
    Eigen::Index normal = none;                        ///< the place of the force in x
    std::array<Eigen::Index, 2> tangents{none, none};  ///< of sticking rows
    double friction = 0;                               ///< the share, or the number
  };

  /// x times `scale` are the forces. False if they are no numbers.
  bool solve(const Eigen::MatrixXd& G, const Eigen::VectorXd& r, const Eigen::VectorXd& scale,
             const std::vector<Limits>&, Eigen::VectorXd& x);
  /// The least solution, whatever the limits are.
  bool solve_least(const Eigen::MatrixXd& G, const Eigen::VectorXd& r, Eigen::VectorXd& x);
  /// Goes on from the least solution x to the one that solve() takes. False if it is no number.
  bool share(const Eigen::VectorXd& scale, const std::vector<Limits>&, Eigen::VectorXd& x);
  /// Whether the last G had no null space.
  bool is_unique() const { return is_unique_; }
  /// The null space of the last G: orthonormal columns; none if there is none, or x is zero.
  const Eigen::MatrixXd& null_space() const { return null_; }

 private:
  bool solve_many(const Eigen::MatrixXd& G, const Eigen::VectorXd& r, Eigen::VectorXd& x);
  void list_rooms(const Eigen::VectorXd& x, const Eigen::VectorXd& scale, const std::vector<Limits>&, double size);
  double least_room() const;
  double value(const Eigen::VectorXd& z, double weight);
  void differentiate(const Eigen::VectorXd& z, double weight);
  bool descend(double weight, double least_gain);

  LeastSolution factors_;
  Eigen::PartialPivLU<Eigen::MatrixXd> elimination_;
  bool is_unique_ = true;
  Eigen::MatrixXd null_;
  /// Three columns for each room, which is what lies between a limit and what it limits: the limit, and two parts of a
  /// friction, at z = 0 and by the unknowns z. These are parts of the null space, and what all rooms are larger than.
  Eigen::MatrixXd of_;
  Eigen::VectorXd at_, z_, trial_, here_, change_, gradient_;
  Eigen::MatrixXd hessian_;
  Eigen::LDLT<Eigen::MatrixXd> hessian_factors_;
  Eigen::Index rooms_ = 0;
};

}  // namespace polyform::host::inline unilateral
