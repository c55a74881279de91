// Models with joints that depend on time.
#pragma once

#include <string>

namespace polyform::test {

/// A rod of which the mass centre lies l below a hinge about y.
inline constexpr double mass = 1.3, l = 0.4, Jx = 0.07, Jy = 0.08, Jz = 0.01;
inline const std::string rod = "mass: 1.3, center_of_mass: [0, 0, -0.4], inertia: {xx: 0.07, yy: 0.08, zz: 0.01}";

inline std::string whirling(const std::string& turn, const std::string& shift, const std::string& more = "") {
  return R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: rod, )" +
         rod + R"(}
joints:
  - {name: hinge, type: moving-hinge, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 1, 0],
     drive_axis: [0, 0, 1], turn: )" +
         turn + ", shift: " + shift + ", initial: {position: 0.5, velocity: 0.3}}\n" + more;
}

inline constexpr const char* sine_shift = "{sine: {amplitude: 0.03, frequency: 2, phase: 0.4}}";

/// Four bars about y: a crank, a coupler and a rocker. `bodies` and `joints` add what carries the rocker.
inline std::string four_bar(const std::string& bodies, const std::string& joints) {
  return R"(
polyform: 1
gravity: [0, 0, -9.81]
bodies:
  - {name: crank, mass: 0.5, center_of_mass: [0, 0, 0.1], inertia: {xx: 0.002, yy: 0.002, zz: 0.001}}
  - {name: coupler, position: [0, 0, 0.2], mass: 0.8, center_of_mass: [0.3, 0, 0.1],
     inertia: {xx: 0.01, yy: 0.03, zz: 0.03}}
  - {name: rocker, position: [0.6, 0, -0.2], mass: 0.7, center_of_mass: [0, 0, 0.3],
     inertia: {xx: 0.02, yy: 0.02, zz: 0.001}}
)" + bodies +
         R"(joints:
  - {name: a, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 1, 0], initial: {velocity: 2}}
  - {name: b, type: universal, base: crank, moving: coupler, position: [0, 0, 0.2], axis: [0, 1, 0], axis2: [1, 0, 0]}
  - {name: c, type: spherical, base: coupler, moving: rocker, position: [0.6, 0, 0.4]}
)" + joints;
}

inline constexpr const char* moved =
    "type: moving-hinge, position: [0.6, 0, -0.2], axis: [0, 1, 0], drive_axis: [0, 0, 1], "
    "turn: {polynomial: [0, 0.4, 0.3]}, shift: {sine: {amplitude: 0.02, frequency: 1.5, "
    "phase: 0.7}}";

inline std::string spatial_loop(const std::string& d) { return four_bar("", "  - {name: d, " + d + "}\n"); }

}  // namespace polyform::test
