// Co-simulation: the run of the command, with rows at the points of communication.
#pragma once

#include "apps/fmi/instance.hpp"

namespace polyform::fmi {

class Stepping final : public Motion {
 public:
  /// stop: the end of the simulation, where it is known.
  Stepping(const FmuModel&, std::optional<double> stop, std::optional<double> tolerance);
  ~Stepping() override;

  /// On to t + step. Failure (simulation_failed) if the run fails, (bad_input) where t is not the present time.
  void step(double t, double step);
  double time() const override;
  std::span<const double> row() override { return row_; }
  void inputs_changed() override { changed_ = true; }
  void save(InstanceState&) override;
  void restore(const InstanceState&) override;

 private:
  class Sink;
  void begin(const host::RunState* from);
  double settled(double t) const;
  [[noreturn]] void fail();

  const FmuModel& model_;
  host::SolverPointer solver_;
  host::RunSettings settings_;
  std::unique_ptr<Sink> sink_;
  std::unique_ptr<host::RunOnDemand> run_;
  std::vector<double> row_;
  bool changed_ = false;  ///< inputs, since the last step
  bool exact_ = false;    ///< steps end at points of communication, as inputs have changed at one
  bool ended_ = false;    ///< the last step was made in this run and ended at the point
  bool fixed_stop_;
};

}  // namespace polyform::fmi
