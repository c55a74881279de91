// Degrees of freedom, redundant constraints and what these leave open, from the null space of their Jacobian in tree
// coordinates and modes.
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <Eigen/SparseQR>
#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/assembly/constraint_jacobian.hpp"
#include "framework/assembly/parts.hpp"
#include "framework/assembly/row_factors.hpp"
#include "framework/assembly/singular_position.hpp"
#include "polyform/mechanics/scale.hpp"

namespace polyform::host {
namespace {

/// Multipliers that the equations of motion do not determine.
class OpenMultipliers {
 public:
  explicit OpenMultipliers(const ConstraintJacobian& jacobian)
      : rows_(jacobian.rows().size()), scales_(jacobian, jacobian.columns()), place_(rows_, -1) {
    // Rows without entries are redundant; the factorization is faster without them.
    for (const auto& entry : jacobian.entries()) place_[entry.row] = 0;
    for (int& at : place_)
      if (at == 0) at = filled_++;
    if (filled_ == 0) return;
    std::vector<Eigen::Triplet<double>> entries;
    for (const auto& e : jacobian.entries())
      if (e.size > 0)
        entries.emplace_back(place_[e.row], static_cast<int>(e.column),
                             scales_.row[e.row] * e.value * scales_.column[e.column]);
    Eigen::SparseMatrix<double> J(filled_, static_cast<Eigen::Index>(std::max<std::size_t>(jacobian.columns(), 1)));
    J.setFromTriplets(entries.begin(), entries.end());
    J.makeCompressed();
    qr_.setPivotThreshold(std::max(1e-9, 16 * jacobian.place_rounding()));
    qr_.compute(J);
    rank_ = qr_.rank();
  }

  std::size_t rank() const { return static_cast<std::size_t>(rank_); }
  std::size_t redundant() const { return rows_ - rank(); }
  /// The smallest of the pivots that count, relative to the largest; 1 where there is none.
  double least_pivot() const {
    double least = std::numeric_limits<double>::infinity(), most = 0;
    for (Eigen::Index c = 0; c < rank_; ++c)
      for (Eigen::SparseMatrix<double>::InnerIterator e(qr_.matrixR(), c); e; ++e)
        if (e.row() == c) {
          least = std::min(least, std::abs(e.value()));
          most = std::max(most, std::abs(e.value()));
        }
    return most > 0 ? least / most : 1;
  }
  /// So many random compositions of the null space, one after the other. What none of them changes is determined, with
  /// probability one.
  std::vector<std::vector<double>> sample(std::size_t count) {
    std::vector<std::vector<double>> result;
    for (std::size_t k = 0; k < count; ++k) {
      Eigen::VectorXd z = Eigen::VectorXd::Zero(filled_);
      for (Eigen::Index i = rank_; i < filled_; ++i) z[i] = random();
      if (filled_ > 0) z = qr_.matrixQ() * z;
      std::vector<double>& mu = result.emplace_back(rows_);
      for (std::size_t r = 0; r < rows_; ++r)
        mu[r] = place_[r] < 0 ? random() : scales_.row[r] * z[place_[r]];
    }
    return result;
  }

 private:
  /// Between -1 and 1.
  double random() {
    seed_ = seed_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(seed_ >> 11) * 0x1p-52 - 1;
  }

  std::size_t rows_;
  RowScales scales_;
  std::vector<int> place_;
  int filled_ = 0;
  Eigen::Index rank_ = 0;
  Eigen::SparseQR<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> qr_;
  std::uint64_t seed_ = 1;
};

/// Through all joints that they load.
std::vector<OpenDirections> open_directions(const SystemView& view, const ConstraintJacobian& jacobian,
                                            std::span<const std::vector<double>> multipliers) {
  const std::size_t joints = view.joints.size(), samples = multipliers.size();
  std::vector<Spatial> through(joints), all(joints * samples);
  std::vector<ConstraintJacobian::WrenchSize> sizes(joints);
  std::vector<double> lengths(joints), largest(joints);
  const Yardstick yardstick(view);
  for (std::size_t j = 0; j < joints; ++j) {
    for (const BodyIndex b : {view.joints[j].base, view.joints[j].moving})
      if (!is_ground(b)) lengths[j] = std::max(lengths[j], yardstick.reach(at(b)));
    if (lengths[j] == 0) lengths[j] = yardstick.largest_reach() > 0 ? yardstick.largest_reach() : 1;
  }
  for (std::size_t k = 0; k < samples; ++k) {
    jacobian.transmit(multipliers[k], through, sizes);
    for (std::size_t j = 0; j < joints; ++j) {
      all[j * samples + k] = through[j];
      largest[j] = std::max(largest[j], sizes[j].moment / lengths[j] + sizes[j].force);
    }
  }
  std::vector<OpenDirections> result;
  for (std::size_t j = 0; j < joints; ++j) {
    if (largest[j] == 0 || jacobian.is_absent(j)) continue;
    const OpenDirections open(joint_index(j), lengths[j], std::span(all).subspan(j * samples, samples), largest[j]);
    if (open.count() > 0) result.push_back(open);
  }
  return result;
}

}  // namespace

bool is_next_to_singular(const SystemView& view, const ConstStateView& at_state) {
  // The pivots of a mechanism far from singular positions stay above a hundredth. Near a limit position the pivot goes
  // with the square root of the remaining way, and an integrator ends within 1e-9 of the limit.
  constexpr double next_to_zero = 1e-3;
  if (view.cut_joints().empty() && view.constraints.empty()) return false;
  const auto copy = [](std::span<const double> x) { return std::vector<double>(x.begin(), x.end()); };
  std::vector<double> q = copy(at_state.q), v = copy(at_state.v), eta = copy(at_state.eta),
                      etadot = copy(at_state.etadot), x = copy(at_state.x);
  ConstraintJacobian jacobian(view);
  jacobian.evaluate(0, {.q = q, .v = v, .eta = eta, .etadot = etadot, .x = x});
  return !jacobian.rows().empty() && OpenMultipliers(jacobian).least_pivot() < next_to_zero;
}

ConstraintCount System::count_constraints() const { return count_constraints(initial_state(), {}); }

ConstraintCount System::count_constraints(const ConstStateView& at_state, const std::vector<bool>& absent) const {
  const SystemView& view = parts_->view;
  ConstraintCount count;
  count.degrees_of_freedom = view.nv_tree + view.modes;
  if (view.cut_joints().empty() && view.constraints.empty() && view.modules.empty() && absent.empty()) return count;
  const auto copy = [](std::span<const double> x) { return std::vector<double>(x.begin(), x.end()); };
  std::vector<double> q = copy(at_state.q), v = copy(at_state.v), eta = copy(at_state.eta),
                      etadot = copy(at_state.etadot), x = copy(at_state.x);
  ConstraintJacobian jacobian(view, ConstraintJacobian::Of::all, absent);
  count.degrees_of_freedom = jacobian.columns();
  for (std::size_t i = 0; i < view.bodies.size(); ++i)
    if (jacobian.is_absent(i)) count.degrees_of_freedom -= view.joints[i].nv;
  const StateView state{.q = q, .v = v, .eta = eta, .etadot = etadot, .x = x};
  jacobian.evaluate(0, state);
  if (jacobian.rows().empty()) return count;
  OpenMultipliers multipliers(jacobian);
  count.degrees_of_freedom -= multipliers.rank();
  count.redundant = multipliers.redundant();
  if (count.redundant == 0) return count;
  // Six wrenches span all that a joint can transmit; two more make sure.
  const auto samples = multipliers.sample(std::min<std::size_t>(count.redundant, 8));
  std::vector<std::size_t> place(view.joints.size(), Parts::none);
  std::vector<OpenDirections> open = open_directions(view, jacobian, samples);
  for (std::size_t i = 0; i < open.size(); ++i) place[at(open[i].joint())] = i;
  for (const JointIndex j : parts_->joint_of)
    if (place[at(j)] != Parts::none) {
      count.redundant_joints.emplace_back(view.joints[at(j)].name);
      count.open.push_back(open[place[at(j)]]);
    }
  return count;
}

}  // namespace polyform::host
