#include "impulse_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cone_newton.hpp"

namespace polyform::time_stepping {

namespace {

/// The length of a vector of impulses or rates, whose squares neither overflow nor vanish.
double length_of(double x, double y) { return std::sqrt(x * x + y * y); }

/// Takes a vector into the disk of this radius.
void shorten(double& x, double& y, double radius) {
  const double length = length_of(x, y);
  if (!(length > radius)) return;
  x *= radius / length;
  y *= radius / length;
}

/// The friction of what no force moves: all that there is, against the sliding.
void oppose(double x, double y, double bound, double (&friction)[2]) {
  const double speed = length_of(x, y);
  friction[0] = speed > 0 ? -bound * x / speed : 0;
  friction[1] = speed > 0 ? -bound * y / speed : 0;
}

}  // namespace

ImpulseProblem::ImpulseProblem() : newton_(std::make_unique<ConeNewton>(*this)) {}
ImpulseProblem::~ImpulseProblem() = default;

void ImpulseProblem::take(const Matrix& W) {
  W_ = W;
  diagonals_.assign(9 * points.size(), 0.0);
  for (std::size_t p = 0; p < points.size(); ++p)
    for (std::size_t e = W.starts[p]; e < W.starts[p + 1]; ++e)
      if (W.columns[e] == p) std::copy_n(W.blocks.data() + 9 * e, 9, diagonals_.data() + 9 * p);
  own_.resize(3 * points.size());
  for (std::size_t r = 0; r < own_.size(); ++r) own_[r] = own(r);
  has_normals_ = false;
}

void ImpulseProblem::rates_of(std::size_t point, std::span<const double> lambda, double (&rates)[3]) const {
  double sum[3] = {b[3 * point], b[3 * point + 1], b[3 * point + 2]};
  for (std::size_t e = W_.starts[point]; e < W_.starts[point + 1]; ++e) {
    const double* const block = W_.blocks.data() + 9 * e;
    const double* const other = lambda.data() + 3 * W_.columns[e];
    for (std::size_t i = 0; i < 3; ++i)
      sum[i] += block[3 * i] * other[0] + block[3 * i + 1] * other[1] + block[3 * i + 2] * other[2];
  }
  std::copy_n(sum, 3, rates);
}

void ImpulseProblem::find_rates(std::span<const double> lambda, std::span<double> rates) const {
  for (std::size_t p = 0; p < points.size(); ++p) {
    double own_rates[3];
    rates_of(p, lambda, own_rates);
    std::copy_n(own_rates, 3, rates.data() + 3 * p);
  }
}

/// The impulse that ends all motion of a point; false if there is none, or friction cannot have it.
static bool stick(const ImpulseProblem::Point& point, const double* D, const double (&free)[3], double* lambda) {
  const double *const n = D, *const s = D + 3, *const t = D + 6;
  double found[3] = {0, 0, 0};
  if (!point.has_normal || point.tangents == 1) {
    // Two rows: the tangents, or the normal and one tangent; or one tangent alone.
    const std::size_t i = point.has_normal ? 0 : 1, j = point.has_normal ? 1 : 2;
    const double a = D[4 * i], c = D[4 * j], off = D[3 * i + j], back = D[3 * j + i], det = a * c - off * back;
    constexpr double singular = 1e-12;
    if (point.tangents == 1 && !point.has_normal) {
      if (!(a > 0)) return false;
      found[1] = -free[1] / a;
    } else {
      if (!(det > singular * a * c)) return false;
      found[i] = (-free[i] * c + free[j] * off) / det;
      found[j] = (-free[j] * a + free[i] * back) / det;
    }
  } else {
    const double c0 = s[1] * t[2] - s[2] * t[1], c1 = s[2] * t[0] - s[0] * t[2], c2 = s[0] * t[1] - s[1] * t[0];
    const double det = n[0] * c0 + n[1] * c1 + n[2] * c2;
    constexpr double singular = 1e-12;
    if (!(det > singular * n[0] * s[1] * t[2])) return false;
    const double x = -free[0], y = -free[1], z = -free[2];
    found[0] = (x * c0 + y * (n[2] * t[1] - n[1] * t[2]) + z * (n[1] * s[2] - n[2] * s[1])) / det;
    found[1] = (x * c1 + y * (n[0] * t[2] - n[2] * t[0]) + z * (n[2] * s[0] - n[0] * s[2])) / det;
    found[2] = (x * c2 + y * (n[1] * t[0] - n[0] * t[1]) + z * (n[0] * s[1] - n[1] * s[0])) / det;
  }
  const double bound = point.has_normal ? point.friction * found[0] : point.friction;
  if ((point.has_normal && !(found[0] >= 0)) || !(length_of(found[1], found[2]) <= bound)) return false;
  std::copy_n(found, 3, lambda);
  return true;
}

/// The impulse of a point that slides, by steps of projection; where both tangents answer alike and apart from the
/// normal, as on a ball, the first step has it.
void ImpulseProblem::slide(const Point& point, const double* D, const double (&free)[3], double* lambda) const {
  constexpr int most = 50;
  constexpr double small = 1e-15;
  const double answer = std::max(D[4], D[8]);
  for (int round = 0; round < most; ++round) {
    double change = 0;
    if (point.has_normal) {
      const double next = D[0] > 0 ? std::max(0.0, -(free[0] + D[1] * lambda[1] + D[2] * lambda[2]) / D[0]) : 0;
      change = std::abs(next - lambda[0]);
      lambda[0] = next;
    }
    const double bound = point.has_normal ? point.friction * lambda[0] : point.friction;
    double wanted[2] = {lambda[1], lambda[2]};
    if (!(answer > 0)) oppose(free[1], point.tangents > 1 ? free[2] : 0, bound, wanted);
    for (std::size_t i = 0; i < point.tangents && answer > 0; ++i) {
      const double* const row = D + 3 * (i + 1);
      wanted[i] -= (free[i + 1] + row[0] * lambda[0] + row[1] * lambda[1] + row[2] * lambda[2]) / answer;
    }
    shorten(wanted[0], wanted[1], bound);
    for (std::size_t i = 0; i < 2; ++i) {
      change = std::max(change, std::abs(wanted[i] - lambda[i + 1]));
      lambda[i + 1] = wanted[i];
    }
    if (!(change > small * (std::abs(lambda[0]) + bound))) return;
  }
}

/// free: the rates without the impulse of the point.
void ImpulseProblem::solve_point(std::size_t p, const double (&free)[3], double* lambda) const {
  const Point& point = points[p];
  const double* const D = diagonals_.data() + 9 * p;
  if (point.has_normal && (point.tangents == 0 || !(point.friction > 0))) {
    lambda[0] = D[0] > 0 ? std::max(0.0, -free[0] / D[0]) : 0;
    lambda[1] = lambda[2] = 0;
    return;
  }
  if (point.has_normal && free[0] >= 0) {
    lambda[0] = lambda[1] = lambda[2] = 0;
    return;
  }
  if (!stick(point, D, free, lambda)) slide(point, D, free, lambda);
}

void ImpulseProblem::sweep(std::span<double> lambda) const {
  for (std::size_t p = 0; p < points.size(); ++p) {
    double rates[3];
    rates_of(p, lambda, rates);
    const double* const D = diagonals_.data() + 9 * p;
    double* const own = lambda.data() + 3 * p;
    for (std::size_t i = 0; i < 3; ++i) rates[i] -= D[3 * i] * own[0] + D[3 * i + 1] * own[1] + D[3 * i + 2] * own[2];
    solve_point(p, rates, own);
  }
}

double ImpulseProblem::residual_of(std::size_t p, std::span<const double> lambda) const {
  const Point& point = points[p];
  double rates[3];
  rates_of(p, lambda, rates);
  const double* const own = lambda.data() + 3 * p;
  const double* const D = diagonals_.data() + 9 * p;
  const double answer = std::max({D[0], D[4], D[8]});
  if (!(answer > 0)) return 0;
  const double share = point.tangents > 0 ? point.friction : 0;
  double t[2] = {own[1] - (point.tangents > 0 ? rates[1] / answer : 0),
                 own[2] - (point.tangents > 1 ? rates[2] / answer : 0)};
  double n = 0;
  if (!point.has_normal) {
    shorten(t[0], t[1], share);
  } else if (!(share > 0)) {
    n = std::max(0.0, own[0] - rates[0] / answer);
    t[0] = own[1], t[1] = own[2];
  } else {
    const double sliding = point.tangents > 1 ? length_of(rates[1], rates[2]) : std::abs(rates[1]);
    n = own[0] - (rates[0] + share * sliding) / answer;
    const double length = length_of(t[0], t[1]);
    if (share * length <= -n) {
      n = t[0] = t[1] = 0;
    } else if (length > share * n) {
      n = (n + share * length) / (1 + share * share);
      shorten(t[0], t[1], share * n);
    }
  }
  const double change[3] = {n - own[0], t[0] - own[1], t[1] - own[2]};
  return answer * std::sqrt(change[0] * change[0] + change[1] * change[1] + change[2] * change[2]);
}

double ImpulseProblem::largest_residual(std::span<const double> lambda) const {
  double largest = 0;
  for (std::size_t p = 0; p < points.size(); ++p) largest = std::max(largest, residual_of(p, lambda));
  return largest;
}

/// Whether λ is within the tolerance, after the residual was found.
bool ImpulseProblem::is_solved(std::span<const double> lambda, double target) {
  constexpr double rounding = 1e-15;
  double size = 0;
  for (std::size_t r = 0; r < lambda.size(); ++r) size = std::max(size, own(r) * std::abs(lambda[r]));
  residual_ = largest_residual(lambda);
  return residual_ <= target + rounding * size;
}

/// As the methods of sweeps.hpp see it.
struct ImpulseProblem::Target {
  ImpulseProblem& of;
  double target;

  void sweep(std::span<double> lambda) const { of.sweep(lambda); }
  bool is_solved(std::span<const double> lambda) const { return of.is_solved(lambda, target); }
  bool step(double softening, std::span<double> lambda) const { return of.newton_->step(of.W_, softening, lambda); }
};

/// Sweeps, each from the combination of the last ones whose steps cancel best (Anderson 1965; Walker, Ni, SIAM J.
/// Numer. Anal. 49 (2011) 1715-1735). Friction makes the problem one without a symmetric matrix, where conjugate
/// directions creep.
bool ImpulseProblem::accelerate(std::span<double> lambda, double target, std::size_t sweeps) {
  // Squares of steps: a combination that leads so far off is begun anew.
  constexpr double astray = 100;
  history_.clear(lambda.size());
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 1; k <= sweeps; ++k) {
    room_.before.assign(lambda.begin(), lambda.end());
    sweep(lambda);
    const double square = room_.square_of_step(own_, lambda);
    if (!std::isfinite(square)) {
      residual_ = square;
      return false;
    }
    if (is_look(k, sweeps, square) && is_solved(lambda, target)) return true;
    if (k == sweeps) break;
    if (square > astray * least) {
      history_.clear(lambda.size());
      least = std::numeric_limits<double>::infinity();
      continue;
    }
    least = std::min(least, square);
    history_.combine(room_.before, own_, lambda);
  }
  return false;
}

bool ImpulseProblem::has_friction() const {
  return std::ranges::any_of(points, [](const Point& p) { return p.tangents > 0 && p.friction > 0; });
}

/// The rows of the normals alone, as flat arrays.
void ImpulseProblem::take_normals() {
  has_normals_ = true;
  normals_.clear();
  for (std::size_t p = 0; p < points.size(); ++p) {
    if (points[p].has_normal)
      for (std::size_t e = W_.starts[p]; e < W_.starts[p + 1]; ++e)
        if (const std::size_t q = W_.columns[e]; q != p && points[q].has_normal) normals_.add(q, W_.blocks[9 * e]);
    normals_.end_row(points[p].has_normal ? diagonals_[9 * p] : 0);
  }
}

bool ImpulseProblem::solve_normals(std::span<double> lambda, double target, std::size_t iterations) {
  if (!has_normals_) take_normals();
  for (auto* part : {&normal_b_, &normal_lambda_}) part->resize(points.size());
  for (std::size_t p = 0; p < points.size(); ++p) {
    normal_b_[p] = b[3 * p];
    normal_lambda_[p] = lambda[3 * p];
  }
  const bool solved = normals_.solve(normal_b_, normal_lambda_, target, iterations);
  residual_ = normals_.residual();
  for (std::size_t p = 0; p < points.size(); ++p) {
    lambda[3 * p] = normal_lambda_[p];
    lambda[3 * p + 1] = lambda[3 * p + 2] = 0;
  }
  return solved;
}

bool ImpulseProblem::solve(std::span<double> lambda, double tolerance, std::size_t iterations) {
  // Easy problems end within the first sweeps. A try of Newton's method takes as long as a thousand sweeps and more.
  constexpr std::size_t first_sweeps = 50, sweeps_before_newton = 500;
  double scale = 0;
  for (const double rate : b) scale = std::max(scale, std::abs(rate));
  if (!has_friction()) return solve_normals(lambda, tolerance * scale, iterations);
  const double target = tolerance * scale;
  const Target problem{*this, target};
  for (std::size_t done = 0; done < iterations;) {
    const std::size_t sweeps = std::min(std::max(first_sweeps, done), iterations - done);
    if (relax(problem, room_, own_, lambda, sweeps, residual_)) return true;
    done += sweeps;
    const std::size_t more = std::min(std::max(sweeps_before_newton, done), iterations - done);
    if (std::isfinite(residual_) && accelerate(lambda, target, more)) return true;
    if (!std::isfinite(residual_)) return false;
    done += more;
    if (sharpen(problem, room_, lambda, residual_)) return true;
  }
  return false;
}

}  // namespace polyform::time_stepping
