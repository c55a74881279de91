#include "framework/host/simulation/run_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/diagnostics.hpp"
#include "polyform/mechanics/observation.hpp"

namespace polyform::host::inline simulation {
namespace {

/// Share of the energy that moves: a balance that drifts by more is told.
constexpr double lost_energy = 1e-2;
/// Part of the energy that forces could exchange: a system that moves with less, losses included, is at rest.
constexpr double at_rest = 1e-9;

}  // namespace

RunStatistics::RunStatistics(const SystemView& view)
    : view_(view), system_scales_(view), motions_(view.bodies.size()) {}

void RunStatistics::start(const Observation& now, double balance) {
  first_balance_ = balance;
  first_potential_ = now.potential_energy;
  observed_motions(now, motions_);
  for (std::size_t i = 0; i < motions_.size(); ++i)
    terms_ += system_scales_.mass(i) * norm(view_.gravity) * norm(motions_[i].p);
  const double sprung = now.potential_energy - gravity_potential(view_, motions_, now.eta.data());
  possible_ = system_scales_.of_system(motions_).energy + std::abs(sprung);
}

void RunStatistics::row(double time, const Observation& now, double work) {
  const double total = now.kinetic_energy + now.potential_energy, balance = total - work;
  if (!std::isfinite(total))
    throw Failure(Exit::simulation_failed, fmt::format("the energy is no finite number any more at t = {:.6g} s", time),
                  "Use a smaller step or tighter tolerances; check stiffnesses, inertias and efforts in the model.");
  if (rows_++ == 0) start(now, balance);
  drift_ = std::max(drift_, std::abs(balance - first_balance_));
  kinetic_ = std::max(kinetic_, now.kinetic_energy);
  terms_ = std::max(terms_, std::abs(now.potential_energy));
  exchange_ = std::max(exchange_, std::abs(now.potential_energy - first_potential_));
  work_ = std::max(work_, std::abs(work));
  violation_ = std::max(violation_, now.position_violation);
  correction_.add(*now.correction);
  conservative_ = conservative_ && now.power == 0 && work == 0;
}

// A sum of n weights carries some sqrt(n) roundings, of which a hundred cover what is run; energies beyond that are
// motion, however small compared with the potential energy of the whole.
double RunStatistics::rounding() const { return 100 * std::numeric_limits<double>::epsilon() * terms_; }

double RunStatistics::moving() const { return std::max({kinetic_, exchange_, work_}); }

std::string RunStatistics::warning() const {
  const double moved = std::max({moving(), rounding(), at_rest * possible_});
  if (!(moved > 0 && drift_ > lost_energy * moved)) return {};
  return fmt::format(
      "the energy balance drifts by {:.1e} of what moves: the results are not those of the model. Likely causes: steps "
      "or tolerances that are too coarse, constraints that rounded lengths make contradict each other a little, or an "
      "element that tells another energy than that of its forces. Compare with smaller steps or tolerances, and with "
      "other solvers",
      drift_ / moved);
}

void RunStatistics::store(RunRecord& record) const {
  const double scale = moving() > rounding() ? moving() : std::max(moving(), possible_);
  record.rows = rows_;
  record.energy_drift = scale > 0 ? drift_ / scale : 0;
  record.conservative = conservative_;
  record.constraint_violation = violation_;
  record.correction = correction_;
}

}  // namespace polyform::host::simulation
