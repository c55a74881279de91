#include "framework/workbench/linearization/slow_modes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "framework/dense_equations.hpp"
#include "framework/host/evaluation/state_encoding.hpp"
#include "framework/workbench/linearization/closed_states.hpp"
#include "framework/workbench/linearization/known_digits.hpp"
#include "polyform/contract/newton_matrix.hpp"

namespace polyform::host::inline linearization {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double rounding = std::numeric_limits<double>::epsilon();

/// (I − γ A)⁻¹ by Newton's matrix of a solver.
class Resolvent {
 public:
  Resolvent(const System& system, const SolverMaker& make, const OperatingPoint& point, const Linearization& linear)
      : varied_(system.view(), point.trimmed), linear_(linear) {
    varied_.set(point.offsets);
    solver_ = make(varied_.view());
    matrix_ = ask<NewtonMatrix>(*solver_);
    if (matrix_ != nullptr && !(find_places(point.time) && matrix_->linearize(point.time, y_) == Status::ok))
      matrix_ = nullptr;
  }

  bool exists() const { return matrix_ != nullptr; }

  /// Nothing where it is singular.
  std::optional<MatrixXd> at(double gamma) {
    if (matrix_->prepare(gamma) != Status::ok) return std::nullopt;
    const Index n = static_cast<Index>(places_.size());
    MatrixXd X(n, n);
    std::vector<double> column(y_.size());
    for (Index j = 0; j < n; ++j) {
      std::ranges::fill(column, 0.0);
      column[places_[static_cast<std::size_t>(j)]] = 1;
      matrix_->solve(column);
      for (Index i = 0; i < n; ++i) X(i, j) = column[places_[static_cast<std::size_t>(i)]];
    }
    if (!X.allFinite()) return std::nullopt;
    return X;
  }

  /// The slowest rate above zero by some solutions with one γ (W. E. Arnoldi, Quart. Appl. Math. 9 (1951) 17-29): of
  /// (I − γ A)⁻¹ the eigenvalues 1/(1 − γ λ) are the larger the slower the motion, where γ is longer than all. rad/s; 0
  /// where none is found.
  double slowest_rate(double gamma) {
    constexpr Index most_vectors = 40;
    constexpr double is_zero = 1e-4, known = 0.1;
    if (matrix_->prepare(gamma) != Status::ok) return 0;
    const Index n = static_cast<Index>(places_.size()), m = std::min(n, most_vectors);
    const Eigen::Map<const VectorXd> scales(linear_.scales.data(), n);
    MatrixXd V = MatrixXd::Zero(n, m + 1), H = MatrixXd::Zero(m + 1, m);
    for (Index i = 0; i < n; ++i) V(i, 0) = std::cos(static_cast<double>(i * i));  // in no symmetry of the model
    V.col(0).normalize();
    Index size = 0;
    std::vector<double> column(y_.size());
    while (size < m) {
      std::ranges::fill(column, 0.0);
      for (Index i = 0; i < n; ++i) column[places_[static_cast<std::size_t>(i)]] = scales[i] * V(i, size);
      matrix_->solve(column);
      VectorXd next(n);
      for (Index i = 0; i < n; ++i) next[i] = column[places_[static_cast<std::size_t>(i)]] / scales[i];
      if (!next.allFinite()) return 0;
      const double before = next.norm();
      for (int twice = 0; twice < 2; ++twice) {
        const VectorXd along = V.leftCols(size + 1).transpose() * next;
        H.col(size).head(size + 1) += along;
        next -= V.leftCols(size + 1) * along;
      }
      const double left = next.norm();
      ++size;
      if (!(left > static_cast<double>(n) * rounding * before)) break;
      H(size, size - 1) = left;
      V.col(size) = next / left;
    }
    const Eigensystem found = eigensystem_of(H.topLeftCorner(size, size));
    double slowest = 0;
    for (Index k = 0; k < found.values.size(); ++k) {
      const std::complex<double> mu = found.values[k];
      const double from_zero = std::abs(1.0 - mu), left = H(size, size - 1) * std::abs(found.right(size - 1, k));
      if (from_zero <= is_zero || left > known * from_zero * std::abs(mu)) continue;
      const double rate = from_zero / (std::abs(mu) * gamma);
      if (slowest == 0 || rate < slowest) slowest = rate;
    }
    return slowest;
  }

  /// Whether (I − γ A) X = I but for errors of A and the rounding of the terms. Both are many times larger where
  /// inertias of a chain differ by many orders; a term that the matrix lacks is no rounding at all.
  bool is_inverse(double gamma, const MatrixXd& X) const {
    constexpr double many_times = 1e3;
    const double roundings = rounding * static_cast<double>(4 + X.rows());  // of sums along all bodies
    const MatrixXd& A = linear_.A.value;
    const MatrixXd size = X.cwiseAbs();
    MatrixXd left = X - gamma * product_of(A, X),
             error = gamma * product_of(linear_.A.error + roundings * A.cwiseAbs(), size);
    left.diagonal().array() -= 1;
    error += roundings * size;
    error.diagonal().array() += roundings;
    return (left.cwiseAbs().array() <= many_times * error.array()).all();
  }

 private:
  /// Finds which number of y each independent state is. False if they are not just these.
  bool find_places(double t) {
    const CanonicalState& nominal = linear_.nominal;
    ClosedStates closed(varied_.view(), t, linear_.choice, nominal);
    const std::size_t n = closed.size();
    y_.resize(solver_->state_size());
    if (y_.size() != n || encode_at(t, *solver_, nominal.constant(), y_) != Status::ok) return false;
    std::vector<double> deviation(n), moved(n);
    CanonicalState there;
    for (std::size_t k = 0; k < n; ++k) {
      deviation[k] = 0x1p-10 * linear_.scales[k];
      if (!closed.place(deviation, there) || encode_at(t, *solver_, there.constant(), moved) != Status::ok)
        return false;
      std::size_t place = n;
      for (std::size_t i = 0; i < n; ++i) {
        if (moved[i] == y_[i]) continue;
        if (place < n || std::abs(moved[i] - y_[i] - deviation[k]) > 1e-9 * std::abs(deviation[k])) return false;
        place = i;
      }
      if (place == n) return false;
      places_.push_back(place);
      deviation[k] = 0;
    }
    return true;
  }

  VariedView varied_;
  const Linearization& linear_;
  SolverPointer solver_;
  NewtonMatrix* matrix_ = nullptr;
  std::vector<double> y_;
  std::vector<std::size_t> places_;
};

double size_of(const Mode& mode) { return std::abs(mode.eigenvalue); }

/// Modes that move, from the slowest on.
std::vector<const Mode*> moving(const Modes& modes) {
  std::vector<const Mode*> out;
  for (const Mode& mode : modes.all)
    if (mode.kind != Mode::Kind::rigid) out.push_back(&mode);
  return out;
}

/// Of the modes that move the slowest one, rad/s; 0 if there is none.
double slowest_of(const Modes& modes) {
  const std::vector<const Mode*> found = moving(modes);
  return found.empty() ? 0 : size_of(*found.front());
}

/// Whether a mode has few digits, or few in its growth. To find more costs as much as all modes did. clear_part: part
/// of the size below which an error leaves many digits, where it does not leave the growth in doubt.
bool has_few_digits(const Modes& modes, double clear_part = few_digits_part) {
  const double slowest = slowest_of(modes);
  if (slowest > 0 && modes.rigid_within > few_digits_part * slowest) return true;
  return std::ranges::any_of(modes.all, [&](const Mode& m) {
    const bool is_doubtful = std::abs(m.eigenvalue.real()) < factor_of_error * m.error;
    return m.kind != Mode::Kind::rigid && m.error > (is_doubtful ? known_part : clear_part) * size_of(m);
  });
}

/// Whether the solver's matrix is asked if it has all terms of A.
enum class Terms { are_known, are_asked };

/// The modes of A by (X − I)/γ, those of about 1/γ and slower ones with more digits than A gives them. The identity of
/// resolvents, X₂ (2 − X) = X with X₂ at 2γ, tells the errors of X.
std::optional<Modes> modes_of(Resolvent& resolvent, double gamma, const std::vector<double>& scales,
                              Terms terms = Terms::are_asked, SlowModes of = SlowModes::by_own_matrix) {
  const std::optional<MatrixXd> X = resolvent.at(gamma), X2 = resolvent.at(2 * gamma);
  if (!X || !X2 || (terms == Terms::are_asked && !resolvent.is_inverse(gamma, *X))) return std::nullopt;
  const MatrixXd one = MatrixXd::Identity(X->rows(), X->cols());
  const MatrixXd doubt = (product_of(*X2, 2 * one - *X) - *X).cwiseAbs() + 4 * rounding * X->cwiseAbs();
  Modes modes = find_modes((*X - one) / gamma, doubt / gamma, scales, of);
  for (Mode& mode : modes.all) {
    if (mode.kind == Mode::Kind::rigid) continue;
    const std::complex<double> by = 1.0 / (1.0 + gamma * mode.eigenvalue);
    mode.eigenvalue *= by;
    mode.error = mode.error * std::norm(by) + rounding * size_of(mode);
    mode.trend = trend_of(mode);
  }
  std::ranges::stable_sort(modes.all, {}, size_of);
  return modes;
}

/// Slow modes of one list with the fast ones of the other, parted where both tell most: below and above there are as
/// many eigenvalues in both. Nothing where there is no such place.
std::optional<Modes> joined(const Modes& slow, const Modes& fast) {
  const std::vector<const Mode*> s = moving(slow), f = moving(fast);
  const auto relative = [](const Mode& mode) { return mode.error / size_of(mode); };
  std::vector<double> rest(f.size() + 1);  // the worst of the fast ones from here on
  for (std::size_t k = f.size(); k-- > 0;) rest[k] = std::max(rest[k + 1], relative(*f[k]));
  std::size_t below_s = slow.zero_eigenvalues, below_f = fast.zero_eigenvalues, j = 0, best_s = 0, best_f = 0;
  double worst = 0, best = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < s.size(); ++i) {
    worst = std::max(worst, relative(*s[i]));
    below_s += s[i]->eigenvalues();
    while (j < f.size() && below_f < below_s) below_f += f[j++]->eigenvalues();
    if (below_f != below_s) continue;
    // No mode may be counted twice or not at all: the place is a gap in both lists, wider than their errors.
    const bool is_gap = j == f.size() || size_of(*f[j]) - f[j]->error > size_of(*s[i]) + s[i]->error;
    // The next slow one may be known badly where it is a fast one that the other list knows well.
    const auto error_of_next = [&] {
      const Mode& next = *s[i + 1];
      if (j == f.size()) return next.error;
      return std::min(next.error, std::abs(size_of(next) - size_of(*f[j])) + f[j]->error);
    };
    const bool is_same_gap = i + 1 == s.size() || size_of(*s[i + 1]) - error_of_next() > size_of(*s[i]) + s[i]->error;
    if (!is_gap || !is_same_gap || std::max(worst, rest[j]) >= best) continue;
    best = std::max(worst, rest[j]);
    best_s = i + 1;
    best_f = j;
  }
  if (best_s == 0 || !(best < rest[0])) return std::nullopt;
  Modes out;
  out.zero_eigenvalues = slow.zero_eigenvalues;
  out.rigid_within = slow.rigid_within;
  for (const Mode& mode : slow.all)
    if (mode.kind == Mode::Kind::rigid) out.all.push_back(mode);
  for (std::size_t i = 0; i < best_s; ++i) out.all.push_back(*s[i]);
  for (std::size_t k = best_f; k < f.size(); ++k) out.all.push_back(*f[k]);
  return out;
}

/// A rate near the slowest one, from the first guess on, without a matrix: each full one costs an eigenproblem.
double near_slowest(Resolvent& resolvent, double guess) {
  constexpr int most_times = 4;
  constexpr double longer = 100, near = 4;
  double rate = guess, gamma = longer / guess;
  for (int time = 0; time < most_times; ++time) {
    const double found = resolvent.slowest_rate(gamma);
    if (!(found > 0)) break;
    const bool is_settled = time > 0 && found < near * rate && found > rate / near;
    rate = found;
    gamma = 1 / rate;
    if (is_settled) break;
  }
  return rate;
}

/// The modes by a matrix with a γ of about the slowest motion; a first guess of its rate. Nothing if the solver's
/// matrix does not give them.
std::optional<Modes> slow_modes_of(Resolvent& resolvent, const std::vector<double>& scales, double guess) {
  constexpr int most_times = 4;
  constexpr double near = 4;
  double rate = near_slowest(resolvent, guess);
  for (int time = 0; time < most_times; ++time) {
    std::optional<Modes> slow = modes_of(resolvent, 1 / rate, scales);
    if (!slow) return std::nullopt;
    const double found = slowest_of(*slow);
    if (!(found > near * rate || (found > 0 && found < rate / near))) return slow;
    rate = found;
  }
  return std::nullopt;
}

/// The rate of the fastest motion, as far as some products with A tell, rad/s.
double near_fastest(const Linearization& linear) {
  constexpr int times = 16, last = 4;
  const Index n = linear.A.value.rows();
  const Eigen::Map<const VectorXd> scales(linear.scales.data(), n);
  VectorXd x(n);
  for (Index i = 0; i < n; ++i) x[i] = std::cos(static_cast<double>(i * i));  // in no symmetry of the model
  double growth = 0;                                                          // of the last products
  for (int time = 0; time < times; ++time) {
    x /= x.norm();
    x = (linear.A.value * scales.cwiseProduct(x)).cwiseQuotient(scales).eval();
    const double size = x.norm();
    if (!(size > 0) || !std::isfinite(size)) return 0;
    if (time >= times - last) growth += std::log(size) / last;
  }
  return std::exp(growth);
}

/// All modes by two matrices of the solver, one for slow ones, which are given too, and one with a shorter γ for fast
/// ones, where rounding of A spoils slow ones. Nothing where A itself has their digits, or some would have few.
std::optional<Modes> modes_by_two(Resolvent& resolvent, const Linearization& linear, std::optional<Modes>& slow) {
  constexpr double first_guess = 1;  // rad/s
  // Of a rod of a thousand hinges hundreds of decays crowd at one rate: no other way knows each of them better.
  constexpr double clear_of_many = 1e-4;
  // Of the logarithm of all rates: the first list loses digits in proportion to the rate, the second one of slow
  // motions with nearly its third power, and with this γ both have as many where they meet as the fastest motion has.
  constexpr double place = 0.55;
  const double slowest = near_slowest(resolvent, first_guess), fastest = near_fastest(linear);
  const double lost = rounding * static_cast<double>(linear.A.value.rows()) * fastest;
  if (!(slowest > 0 && lost > few_digits_part * slowest)) return std::nullopt;
  slow = slow_modes_of(resolvent, linear.scales, slowest);
  if (!slow) return std::nullopt;
  const std::optional<Modes> fast = modes_of(resolvent, 1 / (slowest * std::pow(fastest / slowest, place)),
                                             linear.scales, Terms::are_known, SlowModes::by_whole_matrix);
  std::optional<Modes> all = fast ? joined(*slow, *fast) : std::nullopt;
  if (all && has_few_digits(*all, clear_of_many)) all.reset();
  return all;
}

}  // namespace

Modes find_modes_at(const System& system, const SolverMaker& make, const OperatingPoint& point,
                    const Linearization& linear) {
  constexpr std::size_t many_states = 256;
  const auto find = [&](SlowModes slow) { return find_modes(linear.A.value, linear.A.error, linear.scales, slow); };
  std::optional<Resolvent> resolvent;
  const auto has_resolvent = [&] {
    if (!resolvent) resolvent.emplace(system, make, point, linear);
    return resolvent->exists();
  };
  const auto may_refine = [&](const Modes& modes) {
    return slowest_of(modes) > 0 && has_few_digits(modes) && has_resolvent();
  };
  const auto refine = [](const std::optional<Modes>& slow, Modes& modes) {
    std::optional<Modes> all = slow ? joined(*slow, modes) : std::nullopt;
    if (all) modes = *std::move(all);
  };
  std::optional<Modes> slow;
  if (linear.states.size() >= many_states) {
    if (has_resolvent())
      if (std::optional<Modes> all = modes_by_two(*resolvent, linear, slow)) return *std::move(all);
    Modes modes = find(SlowModes::by_whole_matrix);
    if (!modes.has_doubts) return modes;
    if (may_refine(modes)) {
      if (!slow) slow = slow_modes_of(*resolvent, linear.scales, slowest_of(modes));
      refine(slow, modes);
      if (!has_few_digits(modes)) return modes;
    }
  }
  Modes modes = find(SlowModes::by_own_matrix);
  if (may_refine(modes)) {
    if (!slow) slow = slow_modes_of(*resolvent, linear.scales, slowest_of(modes));
    refine(slow, modes);
  }
  return modes;
}

}  // namespace polyform::host::linearization
