// Runs of worlds of one structure in lanes: each has its own times, steps, rows and checks, and all share evaluations.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "framework/host/simulation/lane_system.hpp"
#include "framework/host/simulation/simulate.hpp"

namespace polyform::host::inline simulation {

/// The results of a run depend neither on the others nor on its lane: they are those of simulate(), to rounding.
class LaneRuns {
 public:
  /// batch: of a solver that outlives the object, with worlds like those of the view. Without a method for lanes (see
  /// has_method) nothing can begin.
  LaneRuns(BatchEvaluation& batch, const SystemView& view, const IntegratorChoice&);
  static bool has_method(const IntegratorChoice&);

  std::size_t lanes() const { return runs_.size(); }
  bool is_free(std::size_t lane) const { return runs_[lane] == nullptr; }
  /// Begins a run in a free lane, as simulate() does. False if the system or its settings do not fit into the lanes:
  /// why() tells the reason. Arguments that outlive a run of simulate() outlive it here too.
  bool begin(std::size_t lane, const System&, Solver&, const RunSettings&, std::span<RowSink* const>,
             const RunControl&);
  std::string_view why() const { return why_; }
  /// Makes a step, or tries one, in each lane that is in use. Afterwards some runs may have ended.
  void step();
  /// The record of a run that has ended, whose lane is then free; none if the run goes on.
  std::optional<RunRecord> take(std::size_t lane);

 private:
  bool refuse(std::string_view why) {
    why_ = why;
    return false;
  }
  void prepare(std::size_t lane);

  LaneSystem system_;
  const SystemView& view_;
  IntegratorChoice choice_;
  std::string_view why_;
  std::vector<std::unique_ptr<StepwiseRun>> runs_;
  std::vector<std::uint8_t> ended_;
  std::vector<double> limits_;
  std::vector<LaneStep> results_;
};

}  // namespace polyform::host::simulation
