#include "framework/simulation/run_statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/diagnostics.hpp"

namespace polyform::host {

void RunStatistics::row(double time, const Observation& now) {
  const double total = now.kinetic_energy + now.potential_energy;
  if (!std::isfinite(total))
    throw Failure(Exit::simulation_failed, fmt::format("the energy is no finite number any more at t = {:.6g} s", time),
                  "Use a smaller step or tighter tolerances; check stiffnesses, inertias and efforts in the model.");
  if (!started_) {
    first_total_ = total;
    first_potential_ = now.potential_energy;
    started_ = true;
  }
  ++rows_;
  drift_ = std::max(drift_, std::abs(total - first_total_));
  kinetic_ = std::max(kinetic_, now.kinetic_energy);
  potential_ = std::max(potential_, std::abs(now.potential_energy));
  exchange_ = std::max(exchange_, std::abs(now.potential_energy - first_potential_));
  violation_ = std::max(violation_, now.position_violation);
  correction_.add(now.correction);
  conservative_ = conservative_ && now.power == 0;
}

void RunStatistics::store(RunRecord& record) const {
  const double moving = std::max(kinetic_, exchange_);
  const double scale = moving > 1e-9 * potential_ ? moving : potential_;
  record.rows = rows_;
  record.energy_drift = scale > 0 ? drift_ / scale : 0;
  record.conservative = conservative_;
  record.constraint_violation = violation_;
  record.correction = correction_;
}

}  // namespace polyform::host
