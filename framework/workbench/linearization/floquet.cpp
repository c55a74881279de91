#include "framework/workbench/linearization/floquet.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>

#include "framework/dense_equations.hpp"
#include "framework/diagnostics.hpp"
#include "framework/workbench/linearization/known_digits.hpp"

namespace polyform::host::inline linearization {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index stages = 4;           ///< Gauss points of a step: order 8
constexpr double settled_map = 1e-9;  ///< change of Φ, relative, with which halving ends
constexpr double unsettled = 1e-5;    ///< with which there is no answer
/// Part of what differs after a period that Φ feels, and rounding of the product of its steps.
constexpr double part_of_misfit = 0.1, rounding_of_product = 1e-15;
constexpr std::size_t least_steps = 6, first_steps = 48, most_steps = 400;

/// The points c of Gauss's formula on 0 … 1, its weights b and the weights a of the collocation polynomial.
struct Gauss {
  VectorXd c{stages}, b{stages};
  MatrixXd a{stages, stages};

  Gauss() {
    const double inner = std::sqrt(3.0 / 7 - 2.0 / 7 * std::sqrt(1.2)),
                 outer = std::sqrt(3.0 / 7 + 2.0 / 7 * std::sqrt(1.2));
    c << (1 - outer) / 2, (1 - inner) / 2, (1 + inner) / 2, (1 + outer) / 2;
    MatrixXd powers(stages, stages), integrals(stages, stages);
    VectorXd whole(stages);
    for (Index k = 0; k < stages; ++k) {
      const double degree = static_cast<double>(k);
      powers.row(k) = c.array().pow(degree).matrix().transpose();
      integrals.row(k) = c.array().pow(degree + 1).matrix().transpose() / (degree + 1);
      whole[k] = 1 / (degree + 1);
    }
    b = solve_regular(powers, whole);
    a = solve_regular(powers, integrals).transpose();
  }
};

MatrixXd scaled(const MatrixXd& A, const std::vector<double>& scales) {
  const Eigen::Map<const VectorXd> s(scales.data(), A.rows());
  return s.cwiseInverse().asDiagonal() * A * s.asDiagonal();
}

Linearization later(const PointModel& model, const MinimalCoordinates& choice, MotionPath& path, double t) {
  OperatingPoint there = model.point();
  there.time += t;
  there.state = path.at(t);
  return linearize_in(choice, model.system(), model.maker(), there);
}

bool is_same(const MinimalCoordinates& a, const MinimalCoordinates& b) {
  return a.position.independent == b.position.independent && a.velocity.independent == b.velocity.independent &&
         a.state.independent == b.state.independent;
}

/// Deviations in other coordinates of the same state: ∂(to)/∂(from).
MatrixXd change_of(const PointModel& model, const MinimalCoordinates& from, const MinimalCoordinates& to, double t,
                   const CanonicalState& state) {
  const SystemView& view = model.view();
  ClosedStates closed(view, model.time() + t, from, state);
  const std::size_t n = closed.size();
  if (to.positions() + to.velocities() + to.states() != n)
    throw Failure(Exit::simulation_failed, "the number of independent coordinates changes along the motion");
  MatrixXd out(static_cast<Index>(n), static_cast<Index>(n));
  const std::vector<double> scales = state_scales(view, from, state, model.acting());
  std::vector<double> deviation(n);
  CanonicalState there;
  for (std::size_t k = 0; k < n; ++k) {
    const Derivative d = differentiate(n, 0.01 * scales[k], [&](double h, std::span<double> row) {
      deviation[k] = h;
      const bool done = closed.place(deviation, there);
      deviation[k] = 0;
      if (!done) return false;
      double* next = row.data();
      for (const std::size_t c : to.position.independent) *next++ = closed.delta()[c];
      for (const std::size_t c : to.velocity.independent) *next++ = model.velocity(there, c);
      for (const std::size_t c : to.state.independent) *next++ = there.x[c];
      return true;
    });
    if (!d.found) throw Failure(Exit::simulation_failed, closed.failure());
    for (std::size_t i = 0; i < n; ++i) out(static_cast<Index>(i), static_cast<Index>(k)) = d.value[i];
  }
  return out;
}

struct Propagation {
  MatrixXd value, error;  ///< Φ and its error by the errors of A
};

/// Φ over the period in equal steps, in the scales of the point. Each step has coordinates that are chosen in its
/// middle: those of the point may be singular on the way.
Propagation propagate(const PointModel& model, const std::vector<double>& scales, MotionPath& path, double period,
                      std::size_t steps, const FloquetProgress& progress) {
  static const Gauss gauss;
  const Index n = static_cast<Index>(scales.size());
  const Eigen::Map<const VectorXd> s(scales.data(), n);
  const double h = period / static_cast<double>(steps);
  Propagation out{s.asDiagonal(), MatrixXd::Zero(n, n)};
  MatrixXd M(stages * n, stages * n), right(stages * n, n), E = MatrixXd::Zero(n, n);
  MinimalCoordinates choice = model.choice();
  for (std::size_t k = 0; k < steps; ++k) {
    if (progress) progress(k, steps);
    const double start = h * static_cast<double>(k);
    const CanonicalState here = path.at(start);
    if (const MinimalCoordinates now = choose_coordinates(model.view(), model.time() + start, here);
        !is_same(now, choice)) {
      out.value = (change_of(model, choice, now, start, here) * out.value).eval();
      choice = now;
    }
    for (Index i = 0; i < stages; ++i) {
      const Linearization now = later(model, choice, path, start + h * gauss.c[i]);
      const MatrixXd A = now.A.value;
      E += h * gauss.b[i] * now.A.error;
      for (Index j = 0; j < stages; ++j) M.block(i * n, j * n, n, n) = -h * gauss.a(i, j) * A;
      right.middleRows(i * n, n) = A * out.value;
    }
    M.diagonal().array() += 1;
    const MatrixXd slopes = solve_regular(M, right);
    for (Index i = 0; i < stages; ++i) out.value += h * gauss.b[i] * slopes.middleRows(i * n, n);
  }
  if (!is_same(choice, model.choice()))
    out.value = (change_of(model, choice, model.choice(), period, path.at(period)) * out.value).eval();
  out.value = (s.cwiseInverse().asDiagonal() * out.value).eval();
  out.error = scaled(E, scales) * out.value.cwiseAbs();
  return out;
}

/// Steps in which the fastest motion of the frozen matrix turns by no more than 2 rad.
std::size_t steps_for(const MatrixXd& A, double period) {
  double fastest = 0;
  for (const std::complex<double> value : eigenvalues_of(A)) fastest = std::max(fastest, std::abs(value));
  const double wanted = std::ceil(fastest * period / 2);
  return std::clamp(wanted < static_cast<double>(first_steps) ? static_cast<std::size_t>(wanted) : first_steps,
                    least_steps, first_steps);
}

Mode::Trend trend_of(const Multiplier& m) {
  const double growth = std::abs(m.value) - 1;
  return growth > m.error ? Mode::Trend::growing : growth < -m.error ? Mode::Trend::decaying : Mode::Trend::neutral;
}

}  // namespace

double misfit_of_period(const PointModel& model, const Linearization& linear, const PathMaker& make, double period) {
  const auto differ = [&](const Linearization& a, const Linearization& b) {
    const MatrixXd A = scaled(a.A.value, a.scales), B = scaled(b.A.value, a.scales);
    double rates = 0, largest = model.acting().rate;
    for (std::size_t i = 0; i < a.rates.size(); ++i) {
      rates = std::max(rates, std::abs(a.rates[i] - b.rates[i]) / a.scales[i]);
      largest = std::max(largest, std::abs(a.rates[i]) / a.scales[i]);
    }
    largest = std::max(largest, least_divisor);
    return std::max((A - B).norm() / std::max(A.norm(), least_divisor), rates / largest);
  };
  constexpr double between = 0.3819660112501051;  // irrational: no half of a period that is not in `period`
  std::unique_ptr<MotionPath> path = make(fine);
  OperatingPoint first = model.point(), last = first;
  first.time += between * period;
  first.state = path->at(between * period);
  const double ends = differ(linear, later(model, linear.choice, *path, period));
  if (ends > may_repeat) return ends;
  last.time += (1 + between) * period;
  last.state = path->at((1 + between) * period);
  const MinimalCoordinates choice = choose_coordinates(model.view(), first.time, first.state);
  const auto at = [&](const OperatingPoint& p) { return linearize_in(choice, model.system(), model.maker(), p); };
  const Linearization early = at(first);
  return std::max(ends, differ(early, at(last)));
}

double misfit_of_motion(PointModel& model, MotionPath& path, double period) {
  CanonicalState start, end;
  Accelerations before, after;
  if (!model.evaluate(model.time(), model.nominal(), start, before) ||
      !model.evaluate(model.time() + period, path.at(period), end, after))
    throw Failure(Exit::simulation_failed, model.failure());
  double apart = 0;
  for (std::size_t c = 0; c < model.coordinates(); ++c) {
    const double v = model.velocity(start, c), a = before.vdot[c];
    apart = std::max({apart, std::abs(model.velocity(end, c) - v) / model.velocity_size(c),
                      std::abs(after.vdot[c] - a) / std::max(model.acceleration_size(c), std::abs(a))});
  }
  return apart;
}

Floquet find_multipliers(const PointModel& model, const Linearization& linear, const PathMaker& make, double period,
                         double misfit, const FloquetProgress& progress) {
  const std::vector<double>& scales = linear.scales;
  const Index n = static_cast<Index>(scales.size());
  const MatrixXd A = scaled(linear.A.value, scales);
  std::size_t steps = steps_for(A, period);
  Propagation before = propagate(model, scales, *make(fine), period, steps, progress), now;
  double change = 1;
  for (;;) {
    steps *= 2;
    now = propagate(model, scales, *make(fine), period, steps, progress);
    const double last = std::exchange(change, (now.value - before.value).norm() / std::max(now.value.norm(), 1.0));
    if (change < settled_map || 2 * steps > most_steps || (steps > first_steps && change > 0.5 * last)) break;
    before = std::move(now);
  }
  if (!(change < unsettled))
    throw Failure(Exit::simulation_failed,
                  fmt::format("the motion over the period of {:.6g} s is too stiff or not smooth: with {} steps its "
                              "matrix still changes by {:.1e}",
                              period, steps, change));
  // What halving left, of which the finer result has a small part; what differs after a period; rounding.
  now.error += 0.1 * (now.value - before.value).cwiseAbs();
  now.error.array() +=
      misfit * std::min(1.0, A.norm() * period) * part_of_misfit + rounding_of_product * now.value.norm();
  Floquet out;
  out.period = period;
  const Modes modes =
      find_modes(now.value - MatrixXd::Identity(n, n), now.error, std::vector<double>(scales.size(), 1.0));
  out.ones = modes.zero_eigenvalues;
  for (const Mode& mode : modes.all) {
    Multiplier m;
    m.one = mode.kind == Mode::Kind::rigid;
    m.value = 1.0 + mode.eigenvalue;
    m.error = mode.error;
    m.repeated = mode.repeated;
    m.defective = mode.defective;
    m.trend = m.one ? Mode::Trend::neutral : trend_of(m);
    m.shape = mode.shape;
    for (Index i = 0; i < n; ++i) m.shape[i] *= scales[static_cast<std::size_t>(i)];
    out.multipliers.push_back(std::move(m));
  }
  std::stable_sort(out.multipliers.begin(), out.multipliers.end(),
                   [](const Multiplier& a, const Multiplier& b) { return std::abs(a.value) > std::abs(b.value); });
  return out;
}

}  // namespace polyform::host::linearization
