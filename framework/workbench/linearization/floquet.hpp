// Periodic motions: how deviations change over a period, and whether they grow (Floquet 1883).
//
// If A(t + T) = A(t), deviations obey x(T) = Φ x(0) with Φ' = A(t) Φ, Φ(0) = 1, and after k periods x = Φᵏ x(0): the
// eigenvalues μ of Φ, Floquet's multipliers, decide. ln |μ| / T is the growth per second.
#pragma once

#include <complex>
#include <functional>
#include <string>
#include <vector>

#include "framework/workbench/linearization/modes.hpp"
#include "framework/workbench/linearization/motion_path.hpp"

namespace polyform::host::inline linearization {

struct Multiplier {
  std::complex<double> value;  ///< of a conjugate pair the one with positive imaginary part
  double error = 0;
  Mode::Trend trend = Mode::Trend::neutral;
  bool one = false;  ///< exactly 1: a motion that comes back as it was, or (defective) farther with each period
  bool repeated = false, defective = false;
  Eigen::VectorXcd shape;  ///< of the deviation at the operating point

  double growth(double period) const { return std::log(std::abs(value)) / period; }     ///< 1/s
  double frequency(double period) const { return std::abs(std::arg(value)) / period; }  ///< rad/s, less whole turns
};

struct Floquet {
  double period = 0;                    ///< s
  std::string told_by;                  ///< "joint `shaft`"
  std::vector<Multiplier> multipliers;  ///< the largest first
  std::size_t ones = 0;                 ///< multiplicity of 1
};

/// How far the velocities and accelerations after a period are from those before, relative to large ones: a first look.
/// Failure (simulation_failed) if the motion cannot be followed.
double misfit_of_motion(PointModel&, MotionPath&, double period);
/// The same, of A and all rates: the larger difference of two instants.
double misfit_of_period(const PointModel&, const Linearization&, const PathMaker&, double period);

/// Is called with the number of steps along a period that are done, and with their total. The steps are halved until
/// the result stays, so this begins again and again.
using FloquetProgress = std::function<void(std::size_t done, std::size_t steps)>;

/// The multipliers, by collocation in Gauss points on A along the path, with steps that are halved until Φ stays.
/// misfit: of the period; progress may be empty. Failure (simulation_failed) if Φ does not settle.
Floquet find_multipliers(const PointModel&, const Linearization&, const PathMaker&, double period, double misfit,
                         const FloquetProgress& progress = {});

/// Above this number of states the products along a period take too long.
inline constexpr std::size_t most_floquet_states = 300;

}  // namespace polyform::host::linearization
