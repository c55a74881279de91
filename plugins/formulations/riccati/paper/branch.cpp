#include "branch.hpp"

#include <algorithm>
#include <utility>

namespace polyform::riccati::paper {
namespace {

/// States of a layout that are not known at the output end, without the artificial 1.
std::vector<Index> unknown_states(const Layout& s, Boundary output) {
  const std::vector<Index> known = known_states(s, output);
  std::vector<Index> unknown;
  for (Index k = 0; k < s.one(); ++k)
    if (std::find(known.begin(), known.end(), k) == known.end()) unknown.push_back(k);
  return unknown;
}

}  // namespace

OverallEquation::OverallEquation(const Layout& s, std::vector<Chain> chains, const MultiHinge& hinge,
                                 const Matrix& body)
    : layout_(s), chains_(std::move(chains)) {
  const Index inputs = hinge.inputs(), width = s.half() + 1;
  U_all_ = Matrix::Zero(s.size() + (inputs - 1) * s.half(), s.size() + inputs * width);
  U_all_.topLeftCorner(s.size(), s.size()) = -Matrix::Identity(s.size(), s.size());
  for (Index k = 0; k < inputs; ++k) {
    const Matrix tip = chains_[static_cast<std::size_t>(k)].tip_matrix();
    const Index column = s.size() + k * width;
    U_all_.block(0, column, s.size(), width) = body * hinge.main(k) * tip;  // Eq 53
    for (Index j = 1; j < inputs; ++j) {                                    // Eq 54
      auto block = U_all_.block(s.size() + (j - 1) * s.half(), column, s.half(), width);
      block = hinge.geometry(j) * hinge.main(k) * tip;
      if (j == k) block -= hinge.taken() * tip;
    }
  }
}

void OverallEquation::reduced(Boundary output, Matrix& U, Vector& b) const {
  const Layout& s = layout_;
  std::vector<Index> rows, columns = unknown_states(s, output);
  for (Index r = 0; r < U_all_.rows(); ++r)
    if (r != s.one()) rows.push_back(r);
  b = -U_all_(rows, s.one());
  const Index width = s.half() + 1;
  for (Index k = 0; k < static_cast<Index>(chains_.size()); ++k) {
    const Index first = s.size() + k * width;
    for (Index c = 0; c < s.half(); ++c) columns.push_back(first + c);
    b -= U_all_(rows, first + s.half());
  }
  U = U_all_(rows, columns);
}

std::optional<OverallEquation::Solution> OverallEquation::solve(Boundary output) const {
  for (const Chain& chain : chains_)
    if (!chain.regular()) return std::nullopt;
  const Layout& s = layout_;
  Matrix U;
  Vector b;
  reduced(output, U, b);
  const Index rows = U.rows(), count = static_cast<Index>(chains_.size());
  const std::vector<Index> unknown = unknown_states(s, output);
  const Index outputs = static_cast<Index>(unknown.size());
  Matrix K = Matrix::Zero(rows + count * s.angular, U.cols());
  Vector k(K.rows());
  K.topRows(rows) = U;
  k.head(rows) = b;
  for (Index c = 0; c < count; ++c) {
    const Condition condition = chains_[static_cast<std::size_t>(c)].condition();
    K.block(rows + c * s.angular, outputs + c * s.half(), s.angular, s.half()) = condition.G;
    k.segment(rows + c * s.angular, s.angular) = condition.g;
  }
  const Eigen::ColPivHouseholderQR<Matrix> qr(K);
  if (qr.rank() < K.cols()) return std::nullopt;
  const Vector z = qr.solve(k);
  Solution solution;
  solution.z_O = Vector::Zero(s.size());
  solution.z_O(unknown) = z.head(outputs);
  solution.z_O[s.one()] = 1;
  for (Index c = 0; c < count; ++c)
    solution.chains.push_back(chains_[static_cast<std::size_t>(c)].states(z.segment(outputs + c * s.half(), s.half())));
  return solution;
}

}  // namespace polyform::riccati::paper
