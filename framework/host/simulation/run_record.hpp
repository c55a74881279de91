// What a run was asked to do, and what became of it.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "framework/host/integration/integration.hpp"
#include "framework/host/unilateral/contact_told.hpp"
#include "polyform/contract/formulation.hpp"

namespace polyform::host::inline simulation {

struct RunSettings {
  double start_time = 0;  ///< what the clock shows at the start, s
  double duration = 10;   ///< from there on, s
  double step = 1e-3;     ///< s: fixed, or the first of an adaptive integrator
  double relative_tolerance = 1e-8, absolute_tolerance = 1e-10;
  double output_interval = 0.1;  ///< s
  IntegratorChoice integrator{};
  double max_step = std::numeric_limits<double>::infinity();  ///< no step is longer, s

  double end_time() const { return start_time + duration; }
};

enum class End { done, failed, interrupted };
constexpr std::string_view name_of(End end) {
  return end == End::done ? "done" : end == End::failed ? "failed" : "interrupted";
}

/// What is known of a run that has ended. Each member is an entry of the record that results and reports tell.
struct RunRecord {
  End end = End::done;
  std::string failure;                      ///< what failed, and at which time
  std::string remedy;                       ///< what to do about it; may be empty
  std::vector<std::string> later_failures;  ///< of parts of the run after that; at its end they are part of `failure`
  double time = 0;                          ///< that the run reached, s
  std::size_t rows = 0;
  std::size_t state_size = 0, steps = 0, rejected_steps = 0, evaluations = 0;
  double wall_seconds = 0;            ///< of the whole run, output included
  double seconds_per_evaluation = 0;  ///< time spent in steps, per evaluation of the derivative in them
  double energy_drift = 0;            ///< see RunStatistics
  /// Whether in no row anything without potential had power or had done work, and no prescribed motion jumped.
  bool conservative = true;
  double constraint_violation = 0;  ///< largest position violation in any row
  Correction correction;            ///< of all steps
  double longest_step = 0;          ///< of all steps, s
  /// The shortest time in which a body moves by its radius of gyration or turns by a radian, in any row, s; infinite
  /// where nothing moves (PassingTime).
  double passing_time = std::numeric_limits<double>::infinity();
  std::size_t stops = 0;                   ///< at knots of functions of time and schedules of elements
  std::size_t events = 0;                  ///< of elements, after each of which the integration began anew
  double imbalance = 0;                    ///< largest imbalance of the rows that were checked, see BalanceCheck
  std::string imbalance_of;                ///< where, such as "body `rod`"; empty if nothing was out of balance
  std::string choices;                     ///< the methods that an integrator chose, and why; or empty
  std::vector<std::string> kernels;        ///< on which the solver says that it stands (kernels_of)
  std::vector<std::string> open_contacts;  ///< rigid contacts and stops whose forces are not unique
  std::string ended_by;               ///< the element that ended the run before its end, "`name` (event)"; or empty
  std::vector<std::string> notes;     ///< what happened: impacts, what stuck; a sentence each
  std::vector<ContactTold> contacts;  ///< the same in numbers
  std::vector<std::string> warnings;  ///< what may be wrong with the run, and why: a sentence each
};

}  // namespace polyform::host::simulation
