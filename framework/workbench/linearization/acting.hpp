// What acts at an operating point: the sizes of accelerations and a rate, in whatever units the model has.
#pragma once

#include <vector>

#include "framework/workbench/linearization/minimal_coordinates.hpp"
#include "polyform/contract/system_view.hpp"

namespace polyform::host::inline linearization {

/// Accelerations of less than this part of their sizes count as none.
inline constexpr double balance_tolerance = 1e-8;

/// Sizes by weights, loads, efforts and inertia forces of turning at a state. An even speed counts for nothing, because
/// a frame that moves along does not see it.
struct Acting {
  std::vector<double> accelerations;  ///< per coordinate of the tree joints and the modes, in its unit over s²
  double linear = 0;                  ///< of the whole by weights, loads and turning, m/s²
  double rate = 0;                    ///< 1/s, of the motion or of what these accelerations begin; 0 if nothing acts
};

/// The size of an acceleration whose terms are known: by what acts on it, and by what large deviations make of it
/// (`felt`). The smaller one counts, because forces that only constraints feel say nothing of a motion. What is left of
/// a sum that cancels has the rounding of the larger one. Zero if both are.
double acceleration_size(double acting, double felt);

Acting acting_at(const SystemView&, double time, const CanonicalState&);

/// Large deviations of the independent states at a state. rates: of the independent velocities, 1/s: their share of the
/// scales of their positions; what is given as 0 has the rate of what acts.
std::vector<double> state_scales(const SystemView&, const MinimalCoordinates&, const CanonicalState&, const Acting&,
                                 const std::vector<double>& rates = {});

}  // namespace polyform::host::linearization
