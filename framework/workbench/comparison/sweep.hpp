// Work against precision: every solver at several steps or tolerances, against one reference.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/workbench/comparison/consensus.hpp"
#include "framework/workbench/comparison/heat.hpp"

namespace polyform::host::inline comparison {

/// What a sweep varies: the step, or the relative tolerance with the absolute one in its ratio to it.
enum class SweepOf { step, tolerance };
RunSettings at_value(RunSettings, SweepOf, double value);

/// One solver at one value.
struct SweepPoint : HeatEnd {
  std::string solver;
  double value = 0;
  /// The largest distances from the reference; none if there is no run, and of the reference itself.
  std::optional<Departure> position, angle;
  bool is_reference = false;  ///< one of the runs that the reference is made of
};

/// A solver that supports the model but did not finish the reference run.
struct Dropout : HeatEnd {
  std::string solver;
};

struct Sweep {
  double reference_value = 0;                  ///< finer than all values
  std::vector<std::string> reference_solvers;  ///< whose consensus at that value the reference is
  Votes votes;                                 ///< of these
  std::vector<Dropout> dropouts;               ///< who is not among them
  /// How far the runs of the reference are from each other at most; none if there are less than two.
  std::optional<Departure> apart_position, apart_angle;
  std::vector<SweepPoint> points;  ///< by solver, then value; skipped solvers once
};

/// The value for the reference: a quarter of the smallest step, or a hundredth of the smallest tolerance, but no
/// tolerance below 1e-14: where the smallest is no larger, that itself.
double reference_value(SweepOf, std::span<const double> values);

/// Heats are counted over the whole sweep, those for the reference first: contenders × (values + 1). After an
/// interruption the points so far are kept; without any reference they have no distances.
Sweep sweep(const System&, std::span<const Contender>, const RunSettings&, SweepOf, std::span<const double> values,
            const HeatControl&);

}  // namespace polyform::host::comparison
