// Multi-blade (Coleman) coordinates: a rotor's blades as seen from the frame that does not turn.
#pragma once

#include <string>
#include <vector>

#include "framework/workbench/linearization/linearize.hpp"

namespace polyform::host::inline linearization {

/// One coordinate of each of n ≥ 3 equally spaced blades, in the order of the hub's positive rotation.
struct Rotor {
  std::string hub;                  ///< the joint that turns the rotor
  std::vector<std::string> blades;  ///< joints with one coordinate, or names of position states
};

/// Replaces the coordinates q_b of the blades, b = 0 … n−1 at the azimuths ψ_b = ψ + 2π b/n with ψ the hub's angle, by
///
///   q_b = a₀ + Σ_k (a_k cos k ψ_b + b_k sin k ψ_b) + (−1)^b a_d,   k = 1 … (n−1)/2, a_d for even n
///
/// (Bir 2008, Eqs. 1 to 3), and their velocities by the rates of these. With q = T(ψ) p and x = P x_f, P = [T 0; Ω T′
/// T], the matrices become P⁻¹(A P − Ṗ), P⁻¹ B, C P, and values and rates of the states P⁻¹ x and P⁻¹(ẋ − Ṗ x_f). For
/// an isotropic rotor the matrices no longer depend on ψ.
/// Deviations of the hub's angle do not enter: T is taken at the nominal motion. Failure (bad_input) if the names
/// are wrong, or the blades do not stand as their order says.
void use_multi_blade_coordinates(const System&, const OperatingPoint&, const std::vector<Rotor>&, Linearization&);

}  // namespace polyform::host::linearization
