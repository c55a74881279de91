// Largest energy drift and constraint violation over the rows of a run, and what was corrected.
#pragma once

#include "framework/simulation/row_sink.hpp"

namespace polyform::host {

/// Energy drift is the largest |E(t) − E(0)| over the rows, relative to the energy that takes part in the motion: the
/// largest kinetic energy or change of potential energy seen. Where both are lost in rounding (a system at rest), it is
/// relative to the potential energy itself. Where forces without potential do work, the drift holds that work as well
/// and measures no error; RunRecord::conservative tells.
class RunStatistics final : public RowSink {
 public:
  /// Throws Failure (simulation_failed) when the energy is no finite number.
  void row(double time, const Observation&) override;
  void store(RunRecord&) const;

 private:
  bool started_ = false, conservative_ = true;
  std::size_t rows_ = 0;
  double first_total_ = 0, first_potential_ = 0;
  double drift_ = 0, kinetic_ = 0, potential_ = 0, exchange_ = 0, violation_ = 0;
  Correction correction_;
};

}  // namespace polyform::host
