#include "framework/host/assembly/strained_rows.hpp"

#include <fmt/format.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>

#include "framework/host/assembly/constraint_jacobian.hpp"
#include "framework/host/assembly/row_factors.hpp"

namespace polyform::host::inline assembly {
namespace {

/// Rows and columns up to which all combinations of rows are found.
constexpr std::size_t most_rows = 300, most_columns = 1000;
/// Singular values of scaled rows: below the first a combination is dependent everywhere, as in a planar loop in space;
/// below the second the position is next to a singular one (the pivots of a mechanism far from it stay above 0.01).
constexpr double dependent = 1e-13, next_to_zero = 1e-3;
/// A joint or element counts if it has this part of the squares of the combination.
constexpr double least_part = 0.05;
constexpr std::size_t most_names = 3;
/// A row is broken by a motion if it changes by this part of its terms: a motion that the row allows leaves rounding,
/// and one that pays no heed to it leaves about one.
constexpr double broken = 0.5;
/// Rows whose terms are a smaller part than this of what the motion could make of them do not take part in it.
constexpr double takes_part = 0.1;

std::string name_of(const ConstraintJacobian::Row& row) { return fmt::format("{} `{}`", row.kind, row.name); }

/// Joints and elements by their part of a combination of rows.
std::vector<std::string> names_of(const std::vector<ConstraintJacobian::Row>& rows,
                                  const Eigen::VectorXd& combination) {
  struct Part {
    double square;
    std::string name;
  };
  std::vector<Part> parts;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double x = combination[static_cast<Eigen::Index>(r)];
    const std::string name = name_of(rows[r]);
    const auto known = std::ranges::find(parts, name, &Part::name);
    if (known == parts.end())
      parts.push_back({x * x, name});
    else
      known->square += x * x;
  }
  std::ranges::stable_sort(parts, std::ranges::greater(), &Part::square);
  std::vector<std::string> names;
  for (const Part& part : parts)
    if (part.square > least_part && names.size() < most_names) names.push_back(part.name);
  return names;
}

}  // namespace

namespace {

/// The rows of a system at a state, scaled so that those of good mechanisms have pivots of about one. Without rows
/// where there are none, or too many.
Eigen::MatrixXd scaled_rows(ConstraintJacobian& jacobian, const MomentOfRun& moment) {
  const auto copy = [](std::span<const double> x) { return std::vector<double>(x.begin(), x.end()); };
  const ConstStateView& at = moment.state;
  std::vector<double> q = copy(at.q), v = copy(at.v), eta = copy(at.eta), etadot = copy(at.etadot), x = copy(at.x);
  std::vector<std::int32_t> discrete(at.discrete.begin(), at.discrete.end());
  jacobian.evaluate(moment.time, {.q = q, .v = v, .eta = eta, .etadot = etadot, .x = x, .discrete = discrete});
  const std::size_t rows = jacobian.rows().size(), columns = jacobian.columns();
  if (rows == 0 || rows > most_rows || columns > most_columns) return {};
  const RowScales scales(jacobian, columns);
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  for (const auto& e : jacobian.entries())
    J(static_cast<Eigen::Index>(e.row), static_cast<Eigen::Index>(e.column)) +=
        scales.row[e.row] * e.value * scales.column[e.column];
  return J;
}

}  // namespace

std::vector<std::string> nearly_dependent_rows(const SystemView& view, const MomentOfRun& start,
                                               const MomentOfRun& now) {
  ConstraintJacobian jacobian(view);
  const Eigen::MatrixXd at_start = scaled_rows(jacobian, start), J = scaled_rows(jacobian, now);
  if (J.rows() == 0) return {};
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(J, Eigen::ComputeThinU);
  const Eigen::VectorXd& values = svd.singularValues();  // descending
  const auto is_from_start = [&](Eigen::Index k) {
    return at_start.rows() == J.rows() &&
           (svd.matrixU().col(k).transpose() * at_start).norm() < next_to_zero * values[0];
  };
  for (Eigen::Index k = values.size() - 1; k >= 0 && values[k] < next_to_zero * values[0]; --k)
    if (!(values[k] < dependent * values[0]) && !is_from_start(k))
      return names_of({jacobian.rows().begin(), jacobian.rows().end()}, svd.matrixU().col(k));
  return {};
}

std::string broken_row(const SystemView& view, double t, const StateView& before, const StateView& between,
                       const StateView& after) {
  if (view.cut_joints().empty() && view.constraints.empty()) return {};
  ConstraintJacobian jacobian(view);
  if (!jacobian.good()) return {};
  const auto errors = [&](const StateView& state) {
    jacobian.evaluate(t, state);
    std::vector<double> all(jacobian.rows().size());
    for (std::size_t r = 0; r < all.size(); ++r) all[r] = jacobian.velocity_error(r);
    return all;
  };
  const std::vector<double> error_before = errors(before), error_after = errors(after);
  const std::size_t rows = errors(between).size();  // the entries are those between
  if (error_before.size() != rows || error_after.size() != rows) return {};
  // Of each row: the sum of its terms, and what the largest rate of the motion could make of it.
  std::vector<double> terms(rows), most(rows);
  double largest = 0;
  const auto change = [&](std::size_t k) {
    return std::abs(k < view.nv_tree ? after.v[k] - before.v[k]
                                     : after.etadot[k - view.nv_tree] - before.etadot[k - view.nv_tree]);
  };
  for (std::size_t k = 0; k < jacobian.columns(); ++k) largest = std::max(largest, change(k) / jacobian.unit(k));
  for (const auto& e : jacobian.entries()) {
    terms[e.row] += std::abs(e.value) * change(e.column);
    most[e.row] = std::max(most[e.row], std::abs(e.value) * jacobian.unit(e.column) * largest);
  }
  double worst = broken;
  std::string name;
  for (std::size_t r = 0; r < rows; ++r) {
    // What a row asks for may change more than its terms do.
    const double by = std::abs(error_after[r] - error_before[r]), size = std::max(terms[r], by);
    if (!(size > takes_part * most[r]) || !(by > worst * size)) continue;
    worst = by / size;
    name = name_of(jacobian.rows()[r]);
  }
  return name;
}

}  // namespace polyform::host::assembly
