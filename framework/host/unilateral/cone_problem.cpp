#include "framework/host/unilateral/cone_problem.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::host::inline unilateral {

using Eigen::Index;

namespace {

/// The numbers of a matrix that are not zero, row after row: of a heap most are.
class SparseRows {
 public:
  explicit SparseRows(const Eigen::MatrixXd& W) : starts_(static_cast<std::size_t>(W.rows()) + 1) {
    for (Index c = 0; c < W.cols(); ++c)
      for (Index r = 0; r < W.rows(); ++r)
        if (W(r, c) != 0) ++starts_[static_cast<std::size_t>(r) + 1];
    for (std::size_t r = 1; r < starts_.size(); ++r) starts_[r] += starts_[r - 1];
    entries_.resize(starts_.back());
    std::vector<std::size_t> next(starts_);
    for (Index c = 0; c < W.cols(); ++c)
      for (Index r = 0; r < W.rows(); ++r)
        if (W(r, c) != 0) entries_[next[static_cast<std::size_t>(r)]++] = {c, W(r, c)};
  }
  double times(Index row, const Eigen::VectorXd& x) const {
    const auto r = static_cast<std::size_t>(row);
    double sum = 0;
    for (std::size_t e = starts_[r]; e < starts_[r + 1]; ++e) sum += entries_[e].value * x[entries_[e].column];
    return sum;
  }

 private:
  struct Entry {
    Index column;
    double value;
  };
  std::vector<std::size_t> starts_;
  std::vector<Entry> entries_;
};

}  // namespace

bool ConeProblem::solve(Eigen::VectorXd& lambda) const {
  const SparseRows rows(W);
  // Rows differ in unit: each change counts as the change of rate that it makes by itself.
  constexpr int most_sweeps = 20000;
  constexpr double rounding = 1e-15;
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    double change = 0, size = 0;
    for (std::size_t p = 0; p < points.size(); ++p) {
      const Point& point = points[p];
      const Index n = static_cast<Index>(3 * p);
      const auto rate = [&](Index row) { return b[row] + rows.times(row, lambda); };
      const auto take = [&](Index row, double value) {
        change = std::max(change, std::abs(value - lambda[row]) * W(row, row));
        size = std::max(size, std::max(std::abs(b[row]), std::abs(value) * W(row, row)));
        lambda[row] = value;
      };
      if (point.has_normal && W(n, n) > 0) take(n, std::max(point.least, lambda[n] - rate(n) / W(n, n)));
      if (point.tangents == 0) continue;
      const double bound = point.bound(lambda[n]);
      double wanted[2] = {0, 0};
      // One step length for both tangents: the force goes against the rate.
      double stiffest = 0;
      for (std::size_t i = 0; i < point.tangents; ++i)
        stiffest = std::max(stiffest, W(n + 1 + static_cast<Index>(i), n + 1 + static_cast<Index>(i)));
      for (std::size_t i = 0; i < point.tangents; ++i) {
        const Index row = n + 1 + static_cast<Index>(i);
        if (point.slides)
          wanted[i] = -bound * point.direction[i];
        else if (stiffest > 0)
          wanted[i] = lambda[row] - rate(row) / stiffest;
      }
      const double length = std::hypot(wanted[0], wanted[1]);
      const double share = !point.slides && length > bound ? (length > 0 ? bound / length : 0) : 1;
      for (std::size_t i = 0; i < point.tangents; ++i) take(n + 1 + static_cast<Index>(i), share * wanted[i]);
    }
    if (!(change > rounding * size)) return true;
    if (!std::isfinite(change)) return false;
  }
  return false;
}

}  // namespace polyform::host::inline unilateral
