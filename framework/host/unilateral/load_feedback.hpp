// Friction that changes the loads by which it grows. Nothing here knows mechanics.
#pragma once

#include <Eigen/Core>
#include <functional>

namespace polyform::host::inline unilateral {

/// Solves s = f(s), with the frictions s ≥ 0 and f, the friction by the loads that these make. Loads are affine in s,
/// and friction is a convex function of loads: pieces with kinks, so each fᵢ ≥ 0 is convex.
///
/// Of several solutions it takes the one that grows out of s = 0 as friction is raised from none, s = λ f(s): there the
/// motion goes on as it would with less friction. With one s it is the least: s − f(s) is concave, so that Newton's
/// method from 0 comes up to it from below, and where it finds no rise there is none.
class LoadFeedback {
 public:
  using Function = std::function<void(const Eigen::VectorXd& s, Eigen::VectorXd& f)>;
  enum class Answer { found, none, not_found };

  /// f outlives the object and counts as long.
  explicit LoadFeedback(const Function& f, Eigen::Index size);

  /// Finds s. With several it begins with the given ones, and goes on from them if they are near such a solution. none:
  /// there is no solution; not_found: there may be one.
  Answer solve(Eigen::VectorXd& s);
  /// Looks for a solution besides s, which solve() has found. False if it sees none.
  bool find_other(const Eigen::VectorXd& s, Eigen::VectorXd& other);
  /// By how much f answers to s at most: the largest sum of a row of |f′|, where f′ was evaluated last.
  double answer() const;

 private:
  void evaluate(const Eigen::VectorXd& s);
  double unit_of(const Eigen::VectorXd& s) const;
  void differentiate(const Eigen::VectorXd& s, const Eigen::VectorXd* along = nullptr);
  Answer rise(Eigen::VectorXd& s);
  bool approach(Eigen::VectorXd& s);
  bool is_first() const;
  bool follow(Eigen::VectorXd& s);
  bool come_back(const Eigen::VectorXd& tangent, Eigen::VectorXd& x);
  bool find_tangent(const Eigen::VectorXd& x, Eigen::VectorXd& tangent);

  const Function& f_;
  Eigen::Index n_;
  Eigen::VectorXd value_, moved_, there_;
  Eigen::MatrixXd slope_;  ///< f′
  double least_ = 0;       ///< friction where there is none of what the loads make
};

}  // namespace polyform::host::inline unilateral
