// Runs whose rows a test looks at one by one.
#pragma once

#include <catch2/catch.hpp>
#include <utility>

#include "framework/host/simulation/simulate.hpp"
#include "tests/support/integrators.hpp"

namespace polyform::test {

/// Calls a function with every row of a run.
template <class F>
class EachRow final : public host::RowSink {
 public:
  explicit EachRow(F f) : f_(std::move(f)) {}
  void row(double t, const Observation& o) override { f_(t, o); }

 private:
  F f_;
};

/// Requires that the solver runs to the end, far below the usual tolerance, and calls each_row(t, observation) with
/// `rows` rows after the first.
template <class F>
void run_rows(const host::System& system, Solver& solver, double duration, F each_row, int rows = 20) {
  EachRow<F> sink(std::move(each_row));
  host::RowSink* sinks[] = {&sink};
  host::RunSettings settings = test::run_settings();
  settings.duration = duration;
  settings.output_interval = duration / rows;
  settings.relative_tolerance = 1e-11;
  settings.absolute_tolerance = 1e-12;
  const host::RunRecord record = host::simulate(system, solver, settings, sinks, {});
  INFO(record.failure);
  REQUIRE(record.end == host::End::done);
}

}  // namespace polyform::test
