#include "framework/host/assembly/nearest_rates.hpp"

#include <algorithm>
#include <cmath>

#include "framework/host/assembly/rate_equations.hpp"
#include "polyform/mechanics/judgement.hpp"

namespace polyform::host::inline assembly {
namespace {

/// Share of the fastest rate, found or wanted, that counts as the least speed of a loop when its rows are judged: `met`
/// times this is rounding. A locked loop takes away all of a wanted rate and leaves the rounding of it.
constexpr double slowest_motion = 1e-6;
/// A row whose independent part is smaller than this depends on others, up to rounding.
constexpr double rounding = 1e-12;
/// A position that was closed to rounding ε may be √ε from a singular one that it stands for: rates that are given do
/// not rest on rows whose independent part is smaller than this, if they need not.
constexpr double near_singular = 1e-7;
/// Rows that count as dependent ask for so many times their independent part of the rates at most: these are the levers
/// between them.
constexpr double levers = 10;

}  // namespace

NearestRates::NearestRates(const SystemView& view, const ConstraintJacobian& jacobian, double dependence)
    : view_(view), jacobian_(jacobian), scales_(jacobian, view.nv_tree + view.modes), dependence_(dependence) {}

std::vector<double> NearestRates::left(std::span<const double> w) const {
  std::vector<double> out;
  out.reserve(jacobian_.rows().size());
  for (const ConstraintJacobian::Row& row : jacobian_.rows()) out.push_back(row.velocity_right);
  for (const ConstraintJacobian::Entry& e : jacobian_.entries()) out[e.row] -= e.value * w[e.column];
  return out;
}

double NearestRates::fastest(std::span<const double> w) const {
  double most = 0;
  for (const ConstraintJacobian::Entry& e : jacobian_.entries())
    most = std::max(most, std::abs(w[e.column]) / scales_.column[e.column]);
  return most;
}

NearestRates::Missed NearestRates::missed(std::span<const double> w) const {
  const std::vector<double> off = left(w);
  std::vector<double> scale;
  for (const ConstraintJacobian::Row& row : jacobian_.rows()) scale.push_back(std::abs(row.velocity_right));
  for (const ConstraintJacobian::Entry& e : jacobian_.entries())
    scale[e.row] = std::max(scale[e.row], e.reach * std::abs(w[e.column]));
  const double fastest = std::max(fastest_wanted_, this->fastest(w));
  Missed worst;
  for (std::size_t r = 0; r < off.size(); ++r) {
    const double size = std::abs(off[r]), least = slowest_motion * fastest / scales_.row[r],
                 compared = std::max(scale[r], least);
    const double relative = compared > 0 ? size / compared : size;
    if (relative > worst.relative || std::isnan(relative)) worst = {r, size, relative};
  }
  return worst;
}

/// Adds the least change that meets the independent rows, repeatedly, until rounding is left. Returns what is left.
NearestRates::Missed NearestRates::meet(std::span<double> w) const {
  constexpr double no_rounding = 1e-15;  // less than the rounding of a sum of ten terms
  std::vector<double> d(w.size());
  for (int round = 0; round < 3 && !(missed(w).relative <= no_rounding); ++round) {
    factors_->least_change(left(w), d);
    for (std::size_t k = 0; k < w.size(); ++k) w[k] += d[k];
  }
  return missed(w);
}

double NearestRates::met_part() const { return std::max({met, 16 * jacobian_.place_rounding(), levers * dependence_}); }

bool NearestRates::can_meet(std::span<const double> w, const std::vector<char>& kept, Margin margin) {
  const double least = margin == Margin::wide        ? near_singular
                       : margin == Margin::dependent ? least_independent
                                                     : rounding;
  factors_ = std::make_unique<RowFactors>(jacobian_, scales_, kept);
  factors_->factorize(std::max(least, 16 * jacobian_.place_rounding()));
  fastest_wanted_ = std::max(fastest_wanted_, fastest(w));
  trial_.assign(w.begin(), w.end());
  worst_ = meet(trial_);
  return worst_.relative <= (margin == Margin::dependent ? met_part() : std::max(met, 16 * jacobian_.place_rounding()));
}

std::vector<char> NearestRates::settled(const std::vector<char>& kept) const {
  RowFactors factors(jacobian_, scales_, kept);
  factors.factorize(least_independent);
  return factors.settled();
}

void NearestRates::take(std::span<double> w, const std::vector<char>& kept, InertiaMetric& metric,
                        std::span<const Spatial> excess) {
  const std::vector<double> off = left(w);
  fastest_wanted_ = std::max(fastest_wanted_, fastest(w));
  if (excess.empty() && missed(w).relative <= rounding) return;
  const RateEquations equations(view_, jacobian_, metric, kept, factors_->independent());
  std::vector<double> change(w.size());
  // If the equations are singular in spite of the added inertia, the least change of rates is taken.
  if (equations.solve(off, excess, change))
    for (std::size_t k = 0; k < w.size(); ++k) w[k] += change[k];
  meet(w);
}

}  // namespace polyform::host::assembly
