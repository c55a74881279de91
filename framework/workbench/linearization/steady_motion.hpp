// Steady motions: those that run along symmetries of the system (relative equilibria), and their constant matrices.
//
// If ẋ = f(x) and the field ξ is a symmetry, [f, ξ] = f′ξ − ξ′f = 0, a motion with f = ξ at one state has f = ξ for
// ever: x(t) = exp(t ξ) x(0). Deviations η that are carried along, δx = D exp(t ξ) η, obey η̇ = (f′ − ξ′) η with a
// constant matrix. f′ − ξ′ does not depend on the coordinates, as f − ξ vanishes there. In a coordinated turn the
// carried axes turn with the body about the vertical.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "framework/workbench/linearization/motion_fields.hpp"
#include "framework/workbench/linearization/point_model.hpp"
#include "framework/workbench/linearization/symmetries.hpp"

namespace polyform::host::inline linearization {

/// A motion that goes on along a field.
struct SteadyMotion {
  std::vector<double> rates;  ///< coefficients of the fields
  double residual = 0;        ///< largest acceleration that the field leaves, relative to acceleration_size
};

/// The field along which the state moves: one of the symmetries or, with nullptr, a sum of any fields. Nothing if no
/// field has the velocities and accelerations of the state.
std::optional<SteadyMotion> find_steady_motion(PointModel&, const MotionFields&, const Symmetries*);

/// The difference between A by linearize() and A of the deviations that are carried along a field.
Linearization::Matrix carried_part(const PointModel&, const MotionFields&, const std::vector<double>& rates);

/// A at later times of a motion, compared with the matrix that is carried there.
struct AlongMotion {
  bool steady = false;    ///< the carried states are those of the motion
  bool constant = false;  ///< steady, and A did not change
  double change = 0;      ///< largest change of A, relative to its size
  double time = 0;        ///< at which the reason was found
  std::string why;        ///< why it is not steady
};

struct AlongLook {
  bool held = false;        ///< with the functions of time held at their values at the point
  unsigned companions = 3;  ///< states near the carried one; without them nothing is known of A
};

/// Evaluates the carried states, and some near them, at later times.
AlongMotion look_along(PointModel&, const MotionFields&, const std::vector<double>& rates,
                       const std::vector<double>& times, const AlongLook& = {});

}  // namespace polyform::host::linearization
