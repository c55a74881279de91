// Warnings of given initial rates that could not be kept, joint by joint and body by body.
#pragma once

#include <span>
#include <vector>

#include "framework/host/assembly/constraint_jacobian.hpp"
#include "framework/host/assembly/drawn_rates.hpp"

namespace polyform::host::inline assembly {

class RateChanges {
 public:
  RateChanges(Start& start, const BodyVelocities& bodies) : start_(start), bodies_(bodies) {}
  /// now: evaluated at the rates found. kept: whether given rates were to be kept. wanted: the rates that were asked
  /// for; those found are the nearest to them. settled: per column, whether constraints and given values decide it.
  void tell(const ConstraintJacobian& now, bool kept, std::span<const double> wanted, const std::vector<char>& settled);

 private:
  void tell_rates();
  void tell_bodies(std::span<const BodyMotion> now);
  void tell_open(std::span<const double> wanted, const std::vector<char>& settled);

  Start& start_;
  const BodyVelocities& bodies_;
};

}  // namespace polyform::host::inline assembly
