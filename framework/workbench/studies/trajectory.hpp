// Trajectories: chosen columns of a run at its output interval.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "framework/host/columns/columns.hpp"
#include "framework/host/columns/row_maker.hpp"
#include "framework/host/results/channel.hpp"
#include "framework/host/simulation/row_sink.hpp"

namespace polyform::host::inline studies {

/// Keeps the rows of a run at multiples of its output interval, and that at its end. If there are several rows at one
/// time, before and after an event, it keeps the first. It leaves out rows at events between: all runs of one duration
/// and interval have the same times.
class TrajectorySink final : public RowSink {
 public:
  /// Failure (bad_input) if a pattern of the columns matches nothing. The system outlives the sink. interval,
  /// duration: s, greater than 0.
  TrajectorySink(const System&, const Columns&, double interval, double duration);

  void work(double work) override { work_ = work; }
  void row(double time, const Observation&) override;
  /// `time` is the first.
  std::span<const Channel> channels() const { return rows_.channels(); }
  /// Rows × channels, by rows.
  const std::vector<double>& values() const { return values_; }

 private:
  RowMaker rows_;
  double interval_, duration_, work_ = 0, next_ = 0;
  bool ended_ = false;
  std::vector<double> values_;
};

/// The largest distance of a column of two trajectories with the same channels; NaN if they differ in their times.
double largest_difference(const TrajectorySink& a, const TrajectorySink& b, std::size_t column);

}  // namespace polyform::host::inline studies
