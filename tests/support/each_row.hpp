// Runs to close tolerances whose rows are looked at one by one.
#pragma once

#include <catch2/catch.hpp>
#include <utility>

#include "framework/simulation/simulate.hpp"

namespace polyform::test {

/// Calls a function (double time, const Observation&) with every row of a run.
template <class F>
class EachRow final : public host::RowSink {
 public:
  explicit EachRow(F f) : f_(std::move(f)) {}
  void row(double t, const Observation& o) override { f_(t, o); }

 private:
  F f_;
};

/// A run of 20 intervals from the model's initial state; requires that it comes to its end.
template <class F>
void run_rows(const host::System& system, Solver& solver, double duration, F each_row) {
  EachRow<F> sink(std::move(each_row));
  host::RowSink* sinks[] = {&sink};
  host::RunSettings settings;
  settings.duration = duration;
  settings.output_interval = duration / 20;
  settings.relative_tolerance = 1e-11;
  settings.absolute_tolerance = 1e-12;
  const host::RunRecord record = host::simulate(system, solver, settings, sinks, {});
  INFO(record.failure);
  REQUIRE(record.end == host::End::done);
}

}  // namespace polyform::test
