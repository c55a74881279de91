#include "framework/workbench/linearization/symmetries.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <memory>

#include "framework/dense_equations.hpp"
#include "framework/workbench/linearization/field_rows.hpp"

namespace polyform::host::inline linearization {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Deviations of the states at which symmetries are looked for, in scales: large enough that what a symmetry lacks is
/// seen, small enough that constraints still close.
constexpr double near_by = 0.1;
constexpr int neighbours = 2;
/// A commutator, relative to the two terms whose difference it is, counts as zero up to this, which is its own error.
constexpr double commutes = 1e-8;

/// The commutators of all fields with the rates, at one state: a column each, in scales.
class Commutators {
 public:
  Commutators(const PointModel& model, const MotionFields& fields, const CanonicalState& at)
      : model_(model), fields_(fields), rows_(model, fields), probe_(model.probe(model.time(), at)) {}

  /// False if the solver fails at the state or near it. sizes: of the terms; noise: of their errors.
  bool find(MatrixXd& K, VectorXd& sizes, VectorXd& noise) {
    const std::size_t n = model_.states(), m = fields_.size();
    std::vector<double> row(probe_->size()), still(n);
    if (!probe_->evaluate(still, row)) return false;
    VectorXd f = Eigen::Map<const VectorXd>(row.data(), static_cast<Index>(n));
    MatrixXd fields(static_cast<Index>(n), static_cast<Index>(m));
    for (std::size_t k = 0; k < m; ++k)
      rows_.evaluate(k, probe_->state(), probe_->chart(), fields.col(static_cast<Index>(k)).data());
    K.resize(static_cast<Index>(n), static_cast<Index>(m));
    sizes.resize(static_cast<Index>(m));
    noise.resize(static_cast<Index>(m));
    const Derivative all = along(f, n * m, [&](double* out) {
      for (std::size_t k = 0; k < m; ++k) rows_.evaluate(k, probe_->state(), probe_->chart(), out + k * n);
    });
    if (!all.found) return false;
    for (std::size_t k = 0; k < m; ++k) {
      const Index c = static_cast<Index>(k);
      const Derivative own = along(fields.col(c), n, [&](double* out) { std::copy_n(row_.begin(), n, out); });
      if (!own.found) return false;
      double size = 0, error = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const double s = model_.scales()[i], a = own.value[i] / s, b = all.value[k * n + i] / s;
        K(static_cast<Index>(i), c) = a - b;
        size += a * a + b * b;
        error += std::pow((own.error[i] + all.error[k * n + i]) / s, 2);
      }
      sizes[c] = std::sqrt(size);
      noise[c] = std::sqrt(error);
    }
    return true;
  }

 private:
  /// The derivative along a direction of what `read` takes from the probe.
  template <class Read>
  Derivative along(const VectorXd& direction, std::size_t size, const Read& read) {
    double largest = 0;
    for (Index i = 0; i < direction.size(); ++i)
      largest = std::max(largest, std::abs(direction[i]) / model_.scales()[static_cast<std::size_t>(i)]);
    if (largest == 0) return {std::vector<double>(size), std::vector<double>(size), true};
    row_.resize(probe_->size());
    std::vector<double> deviation(model_.states());
    return differentiate(size, 0.125 / largest, [&](double h, std::span<double> out) {
      for (std::size_t i = 0; i < deviation.size(); ++i) deviation[i] = h * direction[static_cast<Index>(i)];
      if (!probe_->evaluate(deviation, row_)) return false;
      read(out.data());
      return true;
    });
  }

  const PointModel& model_;
  const MotionFields& fields_;
  FieldRows rows_;
  std::unique_ptr<Probe> probe_;
  std::vector<double> row_;
};

/// Vectors that a matrix turns to nothing, by its singular values.
MatrixXd null_space(const MatrixXd& K, double tolerance, MatrixXd* rest = nullptr) {
  const SingularVectors span = right_singular_vectors(K);
  Index rank = 0;
  while (rank < span.values.size() && span.values[rank] > tolerance) ++rank;
  if (rest != nullptr) *rest = span.vectors.leftCols(rank);
  return span.vectors.rightCols(K.cols() - rank);
}

bool is_plain(MotionField::Kind kind) {
  return kind != MotionField::Kind::turn_in_base && kind != MotionField::Kind::carry;
}

/// Parts of a field below this count as zero: the field has size 1 and comes from differences.
constexpr double plain_part = 1e-6;
/// Differences that are rougher than this tell no symmetry.
constexpr double most_noise = 1e-4;

/// The combinations of a basis without parts that turn the base or carry a body come first.
Symmetries plain_first(const MatrixXd& basis, const MotionFields& fields) {
  std::vector<Index> special;
  for (std::size_t k = 0; k < fields.size(); ++k)
    if (!is_plain(fields[k].kind)) special.push_back(static_cast<Index>(k));
  if (special.empty() || basis.cols() == 0) return {basis, basis.cols()};
  MatrixXd others, parts(static_cast<Index>(special.size()), basis.cols());
  for (std::size_t i = 0; i < special.size(); ++i) parts.row(static_cast<Index>(i)) = basis.row(special[i]);
  const MatrixXd plain = null_space(parts, plain_part, &others);
  Symmetries out{MatrixXd(basis.rows(), basis.cols()), plain.cols()};
  out.basis << basis * plain, basis * others;
  return out;
}

}  // namespace

Symmetries all_sums(const MotionFields& fields) {
  const Index m = static_cast<Index>(fields.size());
  return plain_first(MatrixXd::Identity(m, m), fields);
}

Symmetries find_symmetries(const PointModel& model, const MotionFields& fields) {
  const Index n = static_cast<Index>(model.states()), m = static_cast<Index>(fields.size());
  MatrixXd K = MatrixXd::Zero(neighbours * n, m);
  VectorXd sizes = VectorXd::Zero(m), noise = VectorXd::Zero(m);
  for (int i = 0; i < neighbours; ++i) {
    CanonicalState near;
    MatrixXd part;
    VectorXd size, error;
    double distance = near_by;
    for (int tries = 0;; ++tries, distance /= 5) {
      if (tries == 3) return {MatrixXd(m, 0), 0};
      if (place_near(model, distance, 11u + static_cast<unsigned>(i), near) &&
          Commutators(model, fields, near).find(part, size, error))
        break;
    }
    K.middleRows(i * n, n) = part;
    sizes += size;
    noise += error;
  }
  double tolerance = commutes;
  VectorXd units = VectorXd::Ones(m);
  for (Index k = 0; k < m; ++k) {
    if (sizes[k] <= 100 * noise[k] || K.col(k).norm() <= 10 * noise[k]) {
      K.col(k).setZero();
      continue;
    }
    units[k] = sizes[k];
    K.col(k) /= sizes[k];
    tolerance = std::max(tolerance, std::min(10 * noise[k] / sizes[k], most_noise));
  }
  return plain_first(units.cwiseInverse().asDiagonal() * null_space(K, tolerance), fields);
}

}  // namespace polyform::host::linearization
