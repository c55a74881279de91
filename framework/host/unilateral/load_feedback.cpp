#include "framework/host/unilateral/load_feedback.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace polyform::host::inline unilateral {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// Of the frictions: the step of differences, and a step of Newton's method after which the next one changes nothing.
constexpr double difference = 1e-6, solved = 1e-14, agreed = 1e-9;
// A rise of s − f(s) that is rounding of the differences.
constexpr double flat = 1e-8;
// Times the frictions of nothing: what is larger has no end.
constexpr double endless = 1e12;
constexpr int most_steps = 60;
// Parts of the length of a curve so far, or of its first step: steps along it.
constexpr double first_step = 0.02, longest_step = 0.2, shortest_step = 1e-9;
constexpr int most_points = 2000;

}  // namespace

LoadFeedback::LoadFeedback(const Function& f, Index size)
    : f_(f), n_(size), value_(size), moved_(size), there_(size), slope_(size, size) {
  f_(VectorXd::Zero(size), value_);
  least_ = value_.lpNorm<Eigen::Infinity>();
}

double LoadFeedback::unit_of(const VectorXd& s) const { return std::max(s.lpNorm<Eigen::Infinity>(), least_); }

double LoadFeedback::answer() const { return slope_.cwiseAbs().rowwise().sum().maxCoeff(); }

void LoadFeedback::evaluate(const VectorXd& s) { f_(s, value_); }

/// f and f′ by differences, a little way along a direction if it is given: at a kink that is its side.
void LoadFeedback::differentiate(const VectorXd& s, const VectorXd* along) {
  const double step = difference * unit_of(s);
  moved_ = s;
  if (along != nullptr) moved_ += step * along->head(n_);
  evaluate(moved_);
  for (Index j = 0; j < n_; ++j) {
    const double kept = moved_[j];
    moved_[j] = kept + step;
    f_(moved_, there_);
    slope_.col(j) = (there_ - value_) / (moved_[j] - kept);
    moved_[j] = kept;
  }
  evaluate(s);
}

LoadFeedback::Answer LoadFeedback::solve(VectorXd& s) {
  if (!value_.allFinite()) return Answer::not_found;
  if (n_ > 1 && least_ > 0 && approach(s) && is_first()) return Answer::found;
  s.setZero();
  if (!(least_ > 0)) return Answer::found;
  if (n_ == 1) return rise(s);
  if (approach(s) && is_first()) return Answer::found;
  s.setZero();
  return follow(s) ? Answer::found : Answer::not_found;
}

/// One friction: up to the least one.
LoadFeedback::Answer LoadFeedback::rise(VectorXd& s) {
  for (int i = 0; i < most_steps; ++i) {
    differentiate(s);
    const double rise = 1 - slope_(0, 0), missing = value_[0] - s[0];
    if (std::abs(missing) <= solved * unit_of(s)) return Answer::found;
    if (!(rise > flat)) return missing > 0 ? Answer::none : Answer::not_found;
    const double before = s[0];
    s[0] = std::max(0.0, before + missing / rise);
    if (!(s[0] < endless * least_)) return Answer::none;
    if (std::abs(s[0] - before) <= solved * unit_of(s)) return Answer::found;
  }
  return Answer::not_found;
}

/// Newton's method from where s is.
bool LoadFeedback::approach(VectorXd& s) {
  for (int i = 0; i < most_steps; ++i) {
    differentiate(s);
    const VectorXd step = (MatrixXd::Identity(n_, n_) - slope_).partialPivLu().solve(value_ - s);
    s += step;
    if (!s.allFinite() || !(s.lpNorm<Eigen::Infinity>() < endless * least_)) return false;
    if (step.lpNorm<Eigen::Infinity>() <= solved * unit_of(s)) break;
    if (i + 1 == most_steps && !(step.lpNorm<Eigen::Infinity>() <= agreed * unit_of(s))) return false;
  }
  return s.minCoeff() >= -agreed * unit_of(s);
}

/// Whether no turn of the curve lies between nothing and the last solution, as far as f′ there tells: 1 − λ f′ keeps
/// its sign.
bool LoadFeedback::is_first() const {
  const Eigen::EigenSolver<MatrixXd> of(slope_, false);
  for (Index i = 0; i < n_; ++i)
    if (of.eigenvalues()[i].imag() == 0 && !(of.eigenvalues()[i].real() < 1 - flat)) return false;
  return true;
}

/// Along the curve s = λ f(s), on round the turns of λ, to where it comes to λ = 1 first.
bool LoadFeedback::follow(VectorXd& s) {
  VectorXd x = VectorXd::Zero(n_ + 1), tangent = VectorXd::Zero(n_ + 1), next, turned(n_ + 1);
  tangent[n_] = 1;
  if (!find_tangent(x, tangent)) return false;
  double step = first_step;
  for (int i = 0; i < most_points; ++i) {
    next = x + step * tangent;
    turned = tangent;
    if (!come_back(tangent, next) || !find_tangent(next, turned) || (next - x).dot(tangent) < 0.5 * step) {
      step *= 0.5;
      // A kink that is sharper than any step goes round at once.
      if (step < shortest_step * (1 + x.norm()) && !find_tangent(x, tangent)) return false;
      if (step < 0.1 * shortest_step * (1 + x.norm())) return false;
      continue;
    }
    if (next[n_] >= 1) {
      // Newton's method from the two ends ends at λ = 1 on this piece of the curve.
      const double part = (1 - x[n_]) / (next[n_] - x[n_]);
      s = least_ * (x + part * (next - x)).head(n_);
      return approach(s);
    }
    if (next[n_] < 0 || !(next.norm() < endless)) return false;
    x = next;
    tangent = turned;
    step = std::min(1.5 * step, longest_step * (1 + x.norm()));
  }
  return false;
}

/// Back to the curve, across the direction in which x has left it. x: s in parts of least_, and λ.
bool LoadFeedback::come_back(const VectorXd& tangent, VectorXd& x) {
  constexpr int most_corrections = 12;
  const VectorXd begin = x;
  MatrixXd J(n_ + 1, n_ + 1);
  VectorXd left(n_ + 1);
  for (int i = 0; i < most_corrections; ++i) {
    differentiate(least_ * x.head(n_));
    J.topLeftCorner(n_, n_) = MatrixXd::Identity(n_, n_) - x[n_] * slope_;
    J.topRightCorner(n_, 1) = -value_ / least_;
    J.bottomRows(1) = tangent.transpose();
    left.head(n_) = x.head(n_) - x[n_] * value_ / least_;
    left[n_] = tangent.dot(x - begin);
    const VectorXd change = J.partialPivLu().solve(left);
    x -= change;
    if (!x.allFinite()) return false;
    if (change.norm() <= agreed * (1 + x.norm())) return true;
  }
  return false;
}

/// The direction of the curve at x, on as it came: the determinant of its equations and its direction keeps its sign.
bool LoadFeedback::find_tangent(const VectorXd& x, VectorXd& tangent) {
  differentiate(least_ * x.head(n_), &tangent);
  MatrixXd J(n_ + 1, n_ + 1);
  J.topLeftCorner(n_, n_) = MatrixXd::Identity(n_, n_) - x[n_] * slope_;
  J.topRightCorner(n_, 1) = -value_ / least_;
  J.bottomRows(1) = tangent.transpose();
  VectorXd right = VectorXd::Zero(n_ + 1);
  right[n_] = 1;
  VectorXd found = J.fullPivLu().solve(right);
  if (!found.allFinite() || !(found.norm() > 0)) return false;
  found.normalize();
  J.bottomRows(1) = found.transpose();
  tangent = J.determinant() > 0 ? found : VectorXd(-found);
  return true;
}

bool LoadFeedback::find_other(const VectorXd& s, VectorXd& other) {
  constexpr double far = 1e3, apart = 1e-6;
  const double unit = unit_of(s);
  if (!(unit > 0)) return false;
  for (Index j = 0; j <= (n_ > 1 ? n_ : 0); ++j) {
    other = s;
    if (j == n_ || n_ == 1)
      other.array() += far * unit;
    else
      other[j] += far * unit;
    if (approach(other) && (other - s).lpNorm<Eigen::Infinity>() > apart * unit_of(other)) return true;
  }
  return false;
}

}  // namespace polyform::host::inline unilateral
