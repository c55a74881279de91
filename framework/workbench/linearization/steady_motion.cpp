#include "framework/workbench/linearization/steady_motion.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "framework/dense_equations.hpp"
#include "framework/workbench/linearization/field_rows.hpp"
#include "framework/workbench/linearization/known_digits.hpp"

namespace polyform::host::inline linearization {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Deviations of the states that are compared along a motion, in scales: small enough for A to speak, large compared
/// with rounding (1e-13 of accelerations makes 1e-10 of A).
constexpr double close_by = 1e-3;
/// Velocities and accelerations that a field may leave, relative to the large ones: above the residual of a search for
/// an equilibrium (1e-8), below what would change a motion noticeably within a turn.
constexpr double left = 1e-7;
/// The residual of least squares if nothing is left to do, relative to the right-hand side.
constexpr double done = 1e-9;
/// Relative changes of A that may be errors: differences of solvers in badly scaled systems are so large.
constexpr double constant = 1e-6;

/// Least squares; combinations of columns below the tolerance stay zero.
VectorXd solve(const MatrixXd& M, const VectorXd& right, double tolerance) {
  if (M.cols() == 0) return VectorXd();
  return least_squares(M, right, tolerance);
}

/// Velocities and accelerations of all coordinates, in units in which those of the motion are about 1.
class MotionRows {
 public:
  explicit MotionRows(const PointModel& model) : model_(model), weights_(2 * count() + model.view().states) {
    for (std::size_t c = 0; c < count(); ++c) weights_[static_cast<Index>(c)] = 1 / model.velocity_size(c);
    for (std::size_t k = 0; k < count() + model.view().states; ++k)
      weights_[static_cast<Index>(count() + k)] = 1 / model.acceleration_size(k);
  }
  std::size_t count() const { return model_.coordinates(); }
  VectorXd of_motion(const CanonicalState& state, const Accelerations& a) const {
    VectorXd out(weights_.size());
    for (std::size_t c = 0; c < count(); ++c) {
      out[static_cast<Index>(c)] = model_.velocity(state, c);
      out[static_cast<Index>(count() + c)] = a.vdot[c];
    }
    for (std::size_t k = 0; k < a.xdot.size(); ++k) out[static_cast<Index>(2 * count() + k)] = a.xdot[k];
    return weights_.cwiseProduct(out);
  }
  VectorXd of_field(const FieldRates& field) const {
    VectorXd out(weights_.size());
    out << Eigen::Map<const VectorXd>(field.w.data(), static_cast<Index>(count())),
        Eigen::Map<const VectorXd>(field.vdot.data(), static_cast<Index>(count())),
        Eigen::Map<const VectorXd>(field.xdot.data(), static_cast<Index>(field.xdot.size()));
    return weights_.cwiseProduct(out);
  }

 private:
  const PointModel& model_;
  VectorXd weights_;
};

}  // namespace

std::optional<SteadyMotion> find_steady_motion(PointModel& model, const MotionFields& fields,
                                               const Symmetries* symmetries) {
  const Index m = static_cast<Index>(fields.size());
  CanonicalState state;
  Accelerations a;
  if (!model.evaluate(model.time(), model.nominal(), state, a)) return std::nullopt;
  const MotionRows rows(model);
  const VectorXd wanted = rows.of_motion(state, a);
  MatrixXd all(wanted.size(), m);
  for (Index k = 0; k < m; ++k) {
    FieldRates field(model.view());
    fields.add(static_cast<std::size_t>(k), 1, state, field);
    all.col(k) = rows.of_field(field);
  }
  const Symmetries given = symmetries != nullptr ? *symmetries : all_sums(fields);
  const MatrixXd& B = given.basis;
  VectorXd c = VectorXd::Zero(m);
  if (B.cols() > 0) {
    constexpr double independent = 1e-9;
    const MatrixXd plain = all * B.leftCols(given.plain), others = all * B.rightCols(B.cols() - given.plain);
    // The part that the plain fields cannot meet is left to the others.
    const auto without_plain = [&](const MatrixXd& M) -> MatrixXd {
      if (plain.cols() == 0) return M;
      MatrixXd out = M;
      for (Index k = 0; k < M.cols(); ++k) out.col(k) -= plain * solve(plain, M.col(k), independent);
      return out;
    };
    VectorXd weights = VectorXd::Zero(B.cols());
    MatrixXd more = without_plain(others);
    for (Index k = 0; k < more.cols(); ++k)
      if (more.col(k).norm() <= left * others.col(k).norm()) more.col(k).setZero();
    const VectorXd rest = without_plain(wanted);
    if (more.cols() > 0 && rest.norm() > done * wanted.norm()) weights.tail(others.cols()) = solve(more, rest, left);
    weights.head(given.plain) = solve(plain, wanted - others * weights.tail(others.cols()), independent);
    c = B * weights;
    // Parts that are only rounding are dropped, and the others make up for them.
    std::vector<Index> kept;
    for (Index k = 0; k < m; ++k)
      if (std::abs(c[k]) * all.col(k).norm() > left * wanted.norm()) kept.push_back(k);
    MatrixXd part(all.rows(), static_cast<Index>(kept.size()));
    VectorXd before = c;
    c.setZero();
    for (std::size_t i = 0; i < kept.size(); ++i) {
      part.col(static_cast<Index>(i)) = all.col(kept[i]);
      c[kept[i]] = before[kept[i]];
    }
    const VectorXd correction = solve(part, wanted - all * c, independent);
    for (std::size_t i = 0; i < kept.size(); ++i) c[kept[i]] += correction[static_cast<Index>(i)];
  }
  SteadyMotion out;
  out.rates.assign(c.data(), c.data() + m);
  out.residual = (wanted - all * c).lpNorm<Eigen::Infinity>();
  if (!(out.residual <= left)) return std::nullopt;
  return out;
}

Linearization::Matrix carried_part(const PointModel& model, const MotionFields& fields,
                                   const std::vector<double>& rates) {
  const std::size_t n = model.states();
  Linearization::Matrix out{MatrixXd::Zero(static_cast<Index>(n), static_cast<Index>(n)),
                            MatrixXd::Zero(static_cast<Index>(n), static_cast<Index>(n))};
  const ChartRates chart(model.view(), model.nominal());
  ClosedStates closed(model.view(), model.time(), model.choice(), model.nominal());
  FieldRows rows(model, fields);
  CanonicalState state;
  std::vector<double> deviation(n);
  const std::vector<std::size_t>& independent = model.choice().position.independent;
  for (std::size_t k = 0; k < n; ++k) {
    const Derivative d = differentiate(n, 0.125 * model.scales()[k], [&](double h, std::span<double> row) {
      deviation[k] = h;
      const bool there = closed.place(deviation, state);
      deviation[k] = 0;
      if (!there) return false;
      rows.evaluate(fields.sum(rates, state), state, chart, row.data());
      // linearize() measures from the moving state already, so that part does not belong to the field.
      for (const ChartRates::Entry& e : chart.transport())
        for (std::size_t i = 0; i < independent.size(); ++i)
          if (independent[i] == e.row) row[i] -= e.value * closed.delta()[e.column];
      return true;
    });
    if (!d.found) continue;
    for (std::size_t i = 0; i < n; ++i) {
      out.value(static_cast<Index>(i), static_cast<Index>(k)) = d.value[i];
      out.error(static_cast<Index>(i), static_cast<Index>(k)) = d.error[i];
    }
  }
  return out;
}

AlongMotion look_along(PointModel& model, const MotionFields& fields, const std::vector<double>& rates,
                       const std::vector<double>& times, const AlongLook& look) {
  AlongMotion out;
  const MotionRows rows(model);
  struct Companion {
    CanonicalState state;
    Accelerations rates;
  };
  std::vector<Companion> all(1);
  const auto fail = [&](double time, std::string why) {
    out.time = time;
    out.why = std::move(why);
    return out;
  };
  if (!model.evaluate(model.time(), model.nominal(), all[0].state, all[0].rates))
    return fail(model.time(), model.failure());
  for (unsigned i = 0; i < look.companions; ++i) {
    Companion next;
    CanonicalState near;
    if (place_near(model, close_by, 101u + i, near) && model.evaluate(model.time(), near, next.state, next.rates))
      all.push_back(std::move(next));
  }
  const VectorXd here = rows.of_motion(all[0].state, all[0].rates);
  double size = 0;  // of A, by its effect on the deviations
  for (std::size_t i = 1; i < all.size(); ++i)
    size = std::max(size, (rows.of_motion(all[i].state, all[i].rates) - here).lpNorm<Eigen::Infinity>());
  out.steady = out.constant = true;
  for (const double t : times) {
    VectorXd apart;  // of the motion itself, which all companions have in common
    for (std::size_t i = 0; i < all.size(); ++i) {
      const CanonicalState there = fields.carry(all[i].state, rates, t);
      Accelerations expected = all[i].rates, found;
      fields.carry_accelerations(all[i].state, rates, t, expected.vdot);
      CanonicalState closed;
      if (!model.evaluate(look.held ? model.time() : model.time() + t, there, closed, found)) {
        out.steady = out.constant = false;
        return fail(t, model.failure());
      }
      const VectorXd difference = rows.of_motion(closed, found) - rows.of_motion(there, expected);
      if (i == 0) {
        apart = difference;
        if (const double off = apart.lpNorm<Eigen::Infinity>(); off > left) {
          out.steady = out.constant = false;
          return fail(t, fmt::format("accelerations differ by {:.1e} of large ones", off));
        }
        continue;
      }
      const double change = (difference - apart).lpNorm<Eigen::Infinity>() / std::max(size, least_divisor);
      if (change > out.change) {
        out.change = change;
        out.time = t;
      }
    }
  }
  out.constant = out.change <= constant;
  return out;
}

}  // namespace polyform::host::linearization
