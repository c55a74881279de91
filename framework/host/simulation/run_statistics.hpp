// Largest energy drift and constraint violation over the rows of a run, and what was corrected.
#pragma once

#include <string>

#include "framework/host/simulation/run_record.hpp"
#include "framework/host/watches/energy_watch.hpp"
#include "polyform/mechanics/scale.hpp"

namespace polyform::host::inline simulation {

/// What the rows so far have shown, energies in J.
/// Each member is one sum or one largest value over the rows; the drift of the energy is judged by all of them.
struct RowSums {
  bool conservative = true;
  std::size_t rows = 0;
  double first_balance = 0, first_potential = 0;
  double terms = 0;           ///< the sum of the magnitudes of the energy's terms
  double possible = 0;        ///< energy that what acts at the start could exchange
  double lent = 0;            ///< kinetic energy of bodies without inertia, had they the mass of the system
  double passed = 0;          ///< work that joints and constraint elements have passed on, each counted by its size
  double passed_at_once = 0;  ///< the same within the time in which a body moves by its size or turns by a radian
  double first_time = 0;
  double nearest = 0;                      ///< at the start, the distance of the nearest body from the ground origin, m
  double last_time = 0, last_passing = 0;  ///< of the last row: s, W
  double drift = 0, kinetic = 0, exchange = 0, work = 0, violation = 0;
  EnergyJump jump;        ///< the largest one where bodies touch or part, which no impact took
  std::size_t steps = 0;  ///< since the last row
  Correction correction;
};

/// Energy drift is the largest change of the balance B = E − ∫ P dt over the rows, P being the power of all that is
/// applied without potential. It is relative to the energy that takes part in the motion: the largest kinetic energy,
/// change of potential energy or work, between rows too. If all of these are lost in the rounding of the energy (a
/// system at rest), it is relative to what the forces could do along the size of the bodies (Scale::energy), and to the
/// springs' energy. Where nothing moves that has inertia, the work counts that joints and constraint elements pass on.
/// A system that moves by less than a millionth of its size within the rows stands still.
class RunStatistics {
 public:
  /// The view outlives the object.
  explicit RunStatistics(const SystemView&);
  /// work: ∫ P dt until then. Throws Failure (simulation_failed) when the energy is no finite number.
  void row(double time, const Observation&, double work);
  /// To be called at the end of each step, with the work until then. Whether the energies there are wanted: motion may
  /// lie between rows alone. A look may cost as much as a row, so that they are wanted after 8, 16, 32 ... steps
  /// without one.
  bool wants_energies(double work);
  void see_energies(double kinetic, double potential);
  /// To be called where bodies touch, part, slide or stick.
  void see_jump(const EnergyJump&);
  void store(RunRecord&) const;
  const RowSums& sums() const { return sums_; }
  /// Goes on with what the rows of another run of the same model have shown.
  void begin_from(const RowSums& sums) { sums_ = sums; }
  /// The energy to which the drift of the record is relative, J.
  double scale() const;
  /// Empty unless the balance drifts by a large part of what moves. chooses_steps: the integrator does.
  std::string warning(bool chooses_steps = false) const;
  /// Whether the balance drifts by no more than a transient at the start may pass on, J, so that a warning of it says
  /// nothing of the states: and what to say instead.
  std::string warning_of_transient(double energy) const;
  /// Of a run whose integrator controls its errors: also if the balance drifts by more than the errors of its steps
  /// come to.
  std::string warning(std::size_t steps, double relative_tolerance, double absolute_tolerance) const;
  /// Of a jump of the balance where bodies touch or part, if it is larger than the error of a step may be; or "".
  std::string warning_of_jump(double relative_tolerance, double absolute_tolerance) const;
  /// Where the balance drifts by a large part of what moves: that bodies are so far from the ground origin that the
  /// rounding of their places may be the cause. Else empty.
  std::string warning_of_distance() const;
  /// Whether there is kinetic energy that nothing can have given: the motion is that of the steps alone.
  bool explodes() const;

 private:
  void start(const Observation&, double balance);
  double step_error(double relative_tolerance, double absolute_tolerance) const;  ///< of the energy in a step, J
  double rounding() const;                                                        ///< of the energy, J
  double moving() const;       ///< energy that takes part in the motion, J
  double moved() const;        ///< the same, or what counts as such at rest, J
  double mass_or_one() const;  ///< of the system, or 1 kg where nothing has mass
  double lent_energy() const;
  double standing() const;                   ///< energy of a system that stands still, J
  double passing(const Observation&) const;  ///< power through joints and constraint elements, W

  const SystemView& view_;
  SystemScales system_scales_;
  std::vector<BodyMotion> motions_;
  RowSums sums_;
};

}  // namespace polyform::host::simulation
