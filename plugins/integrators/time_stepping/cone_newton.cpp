#include "cone_newton.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::time_stepping {

ConeNewton::Rows ConeNewton::rows_of(std::size_t p, const double* lambda, const double* r) const {
  const ImpulseProblem::Point& point = problem_.points[p];
  const double own = std::max({problem_.own(3 * p), problem_.own(3 * p + 1), problem_.own(3 * p + 2)});
  const double rho = own > 0 ? 1 / own : 0;
  Rows rows{};
  double radius = point.friction;
  const double n = lambda[0] - rho * r[0];
  if (point.has_normal && n > 0) {
    rows.F[0] = rho * r[0];
    rows.of_rates[0] = rho;
  } else {
    rows.F[0] = lambda[0];
    rows.of_lambda[0] = 1;
  }
  if (point.has_normal) radius = point.friction * std::max(n, 0.0);
  double t[2] = {0, 0};
  for (std::size_t i = 0; i < point.tangents; ++i) t[i] = lambda[i + 1] - rho * r[i + 1];
  const double length = std::hypot(t[0], t[1]);
  for (std::size_t i = 0; i < 2; ++i) {
    double* const of_lambda = rows.of_lambda + 3 * (i + 1);
    double* const of_rates = rows.of_rates + 3 * (i + 1);
    if (i >= point.tangents || !(rho > 0) || !(radius > 0)) {
      rows.F[i + 1] = lambda[i + 1];
      of_lambda[i + 1] = 1;
    } else if (length <= radius) {
      rows.F[i + 1] = rho * r[i + 1];
      of_rates[i + 1] = rho;
    } else {
      rows.F[i + 1] = lambda[i + 1] - radius * t[i] / length;
      of_lambda[i + 1] = 1;
      if (point.has_normal) {
        of_lambda[0] = -point.friction * t[i] / length;
        of_rates[0] = point.friction * rho * t[i] / length;
      }
      for (std::size_t j = 0; j < point.tangents; ++j) {
        const double across = radius / length * ((i == j ? 1 : 0) - t[i] * t[j] / (length * length));
        of_lambda[j + 1] -= across;
        of_rates[j + 1] += rho * across;
      }
    }
  }
  return rows;
}

bool ConeNewton::step(const ImpulseProblem::Matrix& W, double softening, std::span<double> lambda) {
  const std::size_t points = problem_.points.size();
  const auto size = static_cast<Eigen::Index>(3 * points);
  rates_.resize(3 * points);
  problem_.find_rates(lambda, rates_);
  entries_.clear();
  F_.resize(size);
  for (std::size_t p = 0; p < points; ++p) {
    const Rows rows = rows_of(p, lambda.data() + 3 * p, rates_.data() + 3 * p);
    const auto add = [&](std::size_t i, std::size_t row, double value) {
      if (value != 0) entries_.emplace_back(static_cast<int>(3 * p + i), static_cast<int>(row), value);
    };
    for (std::size_t i = 0; i < 3; ++i) {
      F_[static_cast<Eigen::Index>(3 * p + i)] = rows.F[i];
      for (std::size_t j = 0; j < 3; ++j)
        add(i, 3 * p + j, rows.of_lambda[3 * i + j] + softening * rows.of_rates[3 * i + j] * problem_.own(3 * p + j));
      for (std::size_t e = W.starts[p]; e < W.starts[p + 1]; ++e)
        for (std::size_t c = 0; c < 3; ++c) {
          double sum = 0;
          for (std::size_t j = 0; j < 3; ++j) sum += rows.of_rates[3 * i + j] * W.blocks[9 * e + 3 * j + c];
          add(i, 3 * W.columns[e] + c, sum);
        }
    }
  }
  J_.resize(size, size);
  J_.setFromTriplets(entries_.begin(), entries_.end());
  factors_.compute(J_);
  if (factors_.info() != Eigen::Success) return false;
  change_ = factors_.solve(F_);
  if (!change_.allFinite()) return false;
  for (Eigen::Index r = 0; r < size; ++r) lambda[static_cast<std::size_t>(r)] -= change_[r];
  return true;
}

}  // namespace polyform::time_stepping
