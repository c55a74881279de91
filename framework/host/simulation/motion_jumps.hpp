// Jumps at a knot in what constraints prescribe: a velocity that changes in no time takes an impulse.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "polyform/contract/formulation.hpp"

namespace polyform::host::inline simulation {

class MotionJumps {
 public:
  MotionJumps(const SystemView&, Solver&);
  ~MotionJumps();
  MotionJumps(const MotionJumps&) = delete;
  MotionJumps& operator=(const MotionJumps&) = delete;

  /// Compares the rows of all constraints and modules shortly before a knot with those at the knot, for one state.
  /// Returns whether any position or velocity for which they ask jumps.
  bool look(double before, double at, std::span<const double> y);
  /// Whether any has jumped so far.
  bool any() const;
  /// The energy of a state, after look(), J. What a jump changes it by is the work of the impulse: forces do none
  /// meanwhile. Failure (simulation_failed) when the solver cannot observe the state.
  double energy(double t, std::span<const double> y);
  /// A sentence for each element whose rows jumped.
  std::vector<std::string> warnings() const;

 private:
  struct Parts;
  Solver& solver_;
  std::unique_ptr<Parts> parts_;  ///< nullptr if no element has rows
};

}  // namespace polyform::host::simulation
