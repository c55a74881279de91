// Runs whose steps were made elsewhere.
#pragma once

#include <span>
#include <vector>

#include "framework/host/simulation/simulate.hpp"

namespace polyform::host::inline devices {

/// The times of the rows of a run after the first, s.
std::vector<double> row_times(const RunSettings&);

/// How many numbers a row of states has after the solver's: one, the work, where anything may do some.
std::size_t integrals_of(const System&);

/// Fills in the start of a run: the solver's state, and after it how large each integral counts at least
/// (IntegralSizes).
void begin_world(const System&, Solver&, std::span<double> start);

/// Whether steps of a fixed length may be too long in a run with these rows, as of follow(): from some of the rows a
/// step is repeated as two of half the size. These are fewer than those that simulate() looks at, and beside a start at
/// rest they stand for the run badly, so what they tell is no verdict: the host has to make such a run itself.
bool doubts_steps(const System&, Solver&, const RunSettings&, std::span<const double> times,
                  std::span<const double> states);

/// A run of the system with these states at row_times(), one after the other, each as the solver's y and the
/// integrals after it. Its rows are observed, looked over and handed on as those of simulate(). What
/// simulate() finds by looking at each step is not found. A run in which an event function changes its sign from row to
/// row ends as failed, with no row handed on: nothing has located the event.
RunRecord follow(const System&, Solver&, const RunSettings&, std::span<RowSink* const>, std::span<const double> times,
                 std::span<const double> states);

}  // namespace polyform::host::inline devices
