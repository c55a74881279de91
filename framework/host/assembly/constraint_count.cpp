// Degrees of freedom, redundant constraints and what these leave open, from the null space of their Jacobian in tree
// coordinates and modes.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "framework/host/assembly/constraint_jacobian.hpp"
#include "framework/host/assembly/parts.hpp"
#include "framework/host/assembly/row_factors.hpp"
#include "framework/host/assembly/singular_position.hpp"
#include "framework/host/assembly/sparse_qr.hpp"
#include "polyform/mechanics/judgement.hpp"
#include "polyform/mechanics/scale.hpp"

namespace polyform::host::inline assembly {
namespace {

/// Part of the largest multiplier of a null vector, each relative to the size of those of its row, below which another
/// one is rounding: loops are closed to 1e-10, and the factorization keeps some digits less.
constexpr double negligible_multiplier = 1e-7;

/// Multipliers that the equations of motion do not determine.
class OpenMultipliers {
 public:
  /// Random combinations of the null space, and the size that a multiplier of each row has in them.
  struct Samples {
    std::vector<std::vector<double>> mu;
    std::vector<double> size;  ///< per row
  };

  explicit OpenMultipliers(const ConstraintJacobian& jacobian)
      : rows_(jacobian.rows().size()), scales_(jacobian, jacobian.columns()), place_(rows_, none) {
    // Rows without entries are redundant; the factorization is faster without them.
    for (const auto& entry : jacobian.entries()) place_[entry.row] = 0;
    for (std::size_t& at : place_)
      if (at == 0) at = filled_++;
    std::vector<SparseQr::Entry> entries;
    for (const auto& e : jacobian.entries())
      if (e.size > 0)
        entries.push_back({place_[e.row], e.column, scales_.row[e.row] * e.value * scales_.column[e.column]});
    scale_empty_rows(jacobian);
    double tolerance = std::max(least_independent, 16 * jacobian.place_rounding());
    RowFactors by_rows(jacobian, scales_, std::vector<char>(jacobian.columns()));
    by_rows.factorize(tolerance);
    left_out_part_ = by_rows.left_out_part();
    qr_.compute(filled_, jacobian.columns(), entries, tolerance);
    // The rank by rows decides: the rest of a dependent column has about the size of the rest of a row, but not the
    // same.
    for (; qr_.rank() > by_rows.rank(); tolerance *= 2)
      qr_.compute(filled_, jacobian.columns(), entries, 2 * tolerance);
  }

  std::size_t rank() const { return qr_.rank(); }
  std::size_t redundant() const { return rows_ - rank(); }
  double least_pivot() const { return qr_.least_pivot(); }
  double left_out_part() const { return left_out_part_; }
  /// Makes so many random combinations of the null space, one after the other. Multipliers that none of them changes
  /// are determined, with probability one.
  Samples sample(std::size_t count) {
    Samples result{.mu = {}, .size = scales_.row};
    std::vector<double> z(filled_);
    for (std::size_t k = 0; k < count; ++k) {
      for (double& x : z) x = random();
      qr_.take_out(z);
      std::vector<double>& mu = result.mu.emplace_back(rows_);
      for (std::size_t r = 0; r < rows_; ++r) mu[r] = scales_.row[r] * (place_[r] == none ? random() : z[place_[r]]);
    }
    return result;
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  /// A row without entries has no scale of its own. Its wrenches are made as large, a moment against a force by the
  /// length of the bodies, as those of the other rows are in the mean.
  void scale_empty_rows(const ConstraintJacobian& jacobian) {
    const auto size = [&](std::size_t r) {
      double most = 0;
      for (const auto& [frame, w] : jacobian.rows()[r].wrenches)
        most = std::max(most, norm(w.angular) + jacobian.length() * norm(w.linear));
      return most;
    };
    double logarithms = 0, count = 0;
    for (std::size_t r = 0; r < rows_; ++r)
      if (const double s = place_[r] == none ? 0 : scales_.row[r] * size(r); s > 0) logarithms += std::log(s), ++count;
    const double mean = count > 0 ? std::exp(logarithms / count) : 1;
    for (std::size_t r = 0; r < rows_; ++r)
      if (const double s = place_[r] == none ? size(r) : 0; s > 0) scales_.row[r] = mean / s;
  }

  /// A random number between -1 and 1.
  double random() {
    seed_ = seed_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(seed_ >> 11) * 0x1p-52 - 1;
  }

  std::size_t rows_;
  RowScales scales_;
  std::vector<std::size_t> place_;
  std::size_t filled_ = 0;
  double left_out_part_ = 0;
  SparseQr qr_;
  std::uint64_t seed_ = 1;
};

/// Finds the open directions of all joints that the multipliers load.
std::vector<OpenDirections> open_directions(const SystemView& view, const ConstraintJacobian& jacobian,
                                            std::span<const std::vector<double>> multipliers) {
  const std::size_t joints = view.joints.size(), samples = multipliers.size();
  std::vector<Spatial> through(joints), all(joints * samples);
  std::vector<ConstraintJacobian::WrenchSize> sizes(joints);
  std::vector<double> lengths(joints), largest(joints);
  const SystemScales scales(view);
  for (std::size_t j = 0; j < joints; ++j) {
    for (const BodyIndex b : {view.joints[j].base, view.joints[j].moving})
      if (!is_ground(b)) lengths[j] = std::max(lengths[j], scales.reach(at(b)));
    // A frame whose joints stand in its origin up to rounding has no length of its own.
    if (!(lengths[j] > rounding_of_rows * scales.largest_reach()))
      lengths[j] = scales.largest_reach() > 0 ? scales.largest_reach() : 1;
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

/// The largest multiplier of each sample, as a part of the size that multipliers of its row have.
std::vector<double> largest_shares(const OpenMultipliers::Samples& samples) {
  std::vector<double> largest(samples.mu.size());
  for (std::size_t k = 0; k < samples.mu.size(); ++k)
    for (std::size_t r = 0; r < samples.size.size(); ++r)
      largest[k] = std::max(largest[k], std::abs(samples.mu[k][r]) / samples.size[r]);
  return largest;
}

/// Finds the rows of modules whose multipliers some sample changes.
void find_open_module_rows(std::span<const ConstraintJacobian::Row> rows, std::size_t first_of_modules,
                           const OpenMultipliers::Samples& samples, ConstraintCount& count) {
  const std::vector<std::vector<double>>& multipliers = samples.mu;
  const std::vector<double> largest = largest_shares(samples);
  for (std::size_t r = 0; r < rows.size();) {
    // Combinations of the rows of one module stand one after the other.
    struct Sums {
      std::vector<double> of;  ///< per sample
      double size = 0;
    };
    std::map<std::size_t, Sums> of_row;
    const std::size_t first = r;
    for (; r < rows.size() && !rows[r].module_rows.empty() && (r == first || rows[r].name == rows[first].name); ++r)
      for (const auto& [row, factor] : rows[r].module_rows) {
        Sums& sums = of_row[row];
        sums.of.resize(multipliers.size());
        for (std::size_t k = 0; k < multipliers.size(); ++k) sums.of[k] += factor * multipliers[k][r];
        sums.size = std::max(sums.size, std::abs(factor) * samples.size[r]);
      }
    if (r == first) ++r;
    bool any = false;
    for (const auto& [row, sums] : of_row)
      for (std::size_t k = 0; k < multipliers.size(); ++k)
        if (std::abs(sums.of[k]) > negligible_multiplier * sums.size * largest[k]) {
          count.open_rows.push_back(first_of_modules + row);
          any = true;
          break;
        }
    if (any) count.redundant_constraints.push_back("module " + std::string(rows[first].name));
  }
}

/// Finds the rows of constraint elements whose multipliers some sample changes.
void find_open_rows(std::span<const ConstraintJacobian::Row> rows, const OpenMultipliers::Samples& samples,
                    ConstraintCount& count) {
  const std::vector<double> largest = largest_shares(samples);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].element_row == ConstraintJacobian::none) continue;
    for (std::size_t k = 0; k < largest.size(); ++k)
      if (std::abs(samples.mu[k][r]) > negligible_multiplier * samples.size[r] * largest[k]) {
        count.open_rows.push_back(rows[r].element_row);
        std::vector<std::string>& names = count.redundant_constraints;
        if (std::string name = "constraint " + std::string(rows[r].name); names.empty() || names.back() != name)
          names.push_back(std::move(name));
        break;
      }
  }
}

}  // namespace

bool is_next_to_singular(const SystemView& view, double t, const ConstStateView& at_state) {
  // The pivots of a mechanism far from singular positions stay above a hundredth. Near a limit position the pivot goes
  // with the square root of the remaining way, and an integrator ends within 1e-9 of the limit.
  constexpr double next_to_zero = 1e-3;
  if (view.cut_joints().empty() && view.constraints.empty()) return false;
  const auto copy = [](std::span<const double> x) { return std::vector<double>(x.begin(), x.end()); };
  std::vector<double> q = copy(at_state.q), v = copy(at_state.v), eta = copy(at_state.eta),
                      etadot = copy(at_state.etadot), x = copy(at_state.x);
  std::vector<std::int32_t> discrete(at_state.discrete.begin(), at_state.discrete.end());
  ConstraintJacobian jacobian(view);
  jacobian.evaluate(t, {.q = q, .v = v, .eta = eta, .etadot = etadot, .x = x, .discrete = discrete});
  if (jacobian.rows().empty()) return false;
  const OpenMultipliers multipliers(jacobian);
  return multipliers.least_pivot() < next_to_zero || multipliers.left_out_part() > rounding_of_rows;
}

ConstraintCount System::count_constraints() const { return count_constraints(start_time(), initial_state(), {}); }

ConstraintCount System::count_constraints(double t, const ConstStateView& at_state,
                                          const std::vector<bool>& absent) const {
  const SystemView& view = parts_->view;
  ConstraintCount count;
  count.degrees_of_freedom = view.nv_tree + view.modes;
  if (view.cut_joints().empty() && view.constraints.empty() && view.modules.empty() && absent.empty()) return count;
  const auto copy = [](std::span<const double> x) { return std::vector<double>(x.begin(), x.end()); };
  std::vector<double> q = copy(at_state.q), v = copy(at_state.v), eta = copy(at_state.eta),
                      etadot = copy(at_state.etadot), x = copy(at_state.x);
  std::vector<std::int32_t> discrete(at_state.discrete.begin(), at_state.discrete.end());
  ConstraintJacobian jacobian(view, ConstraintJacobian::Of::all, absent);
  count.degrees_of_freedom = jacobian.columns();
  for (std::size_t i = 0; i < view.bodies.size(); ++i)
    if (jacobian.is_absent(i)) count.degrees_of_freedom -= view.joints[i].nv;
  const StateView state{.q = q, .v = v, .eta = eta, .etadot = etadot, .x = x, .discrete = discrete};
  jacobian.evaluate(t, state);
  if (jacobian.rows().empty()) return count;
  OpenMultipliers multipliers(jacobian);
  count.degrees_of_freedom -= multipliers.rank();
  count.redundant = multipliers.redundant();
  if (count.redundant == 0) return count;
  // Six wrenches span all that a joint can transmit; two more make sure.
  const auto samples = multipliers.sample(std::min<std::size_t>(count.redundant, 8));
  std::vector<std::size_t> place(view.joints.size(), Parts::none);
  std::vector<OpenDirections> open = open_directions(view, jacobian, samples.mu);
  for (std::size_t i = 0; i < open.size(); ++i) place[at(open[i].joint())] = i;
  for (const JointIndex j : parts_->joint_of)
    if (place[at(j)] != Parts::none) {
      count.redundant_joints.emplace_back(view.joints[at(j)].name);
      count.open.push_back(open[place[at(j)]]);
    }
  find_open_rows(jacobian.rows(), samples, count);
  find_open_module_rows(jacobian.rows(), view.constraint_rows(), samples, count);
  return count;
}

}  // namespace polyform::host::assembly
