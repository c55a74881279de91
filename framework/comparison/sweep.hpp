// Work against precision: every solver at several steps or tolerances, against one reference.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/comparison/consensus.hpp"
#include "framework/comparison/heat.hpp"

namespace polyform::host {

/// What a sweep varies: the step, or the relative tolerance with the absolute one in its ratio to it.
enum class SweepOf { step, tolerance };
RunSettings at_value(RunSettings, SweepOf, double value);

/// One solver at one value.
struct SweepPoint : HeatEnd {
  std::string solver;
  double value = 0;
  std::optional<Departure> position, angle;  ///< the largest distances from the reference; none where there is no run
};

struct Sweep {
  double reference_value = 0;                  ///< finer than all values
  std::vector<std::string> reference_solvers;  ///< whose consensus at that value the reference is
  std::vector<SweepPoint> points;              ///< by solver, then value; skipped solvers once
};

/// The value for the reference: a quarter of the smallest step, or a hundredth of the smallest tolerance, but no
/// tolerance below 1e-14.
double reference_value(SweepOf, std::span<const double> values);

/// Heats are counted over the whole sweep, those for the reference first: contenders × (values + 1). After an
/// interruption the points so far are kept; without any reference they have no distances.
Sweep sweep(const System&, std::span<const Contender>, const RunSettings&, SweepOf, std::span<const double> values,
            const HeatControl&);

}  // namespace polyform::host
