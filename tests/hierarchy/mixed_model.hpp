// A model with blocks of all kinds: rigid bodies, a flexible one, motors with their circuits.
#pragma once

namespace polyform::test {

/// A crank and a beam make one named subsystem, a rod hangs on it; one motor within the subsystem, one on the rod.
inline constexpr const char* mixed_model = R"(
polyform: 1
gravity: [0, -9.81, 0.5]
bodies:
  - {name: crank, position: [0, 0, 0], mass: 1, center_of_mass: [0.2, 0, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.02}}
  - {name: beam, type: flexible-beam, position: [0.4, 0, 0], length: 1, linear_density: 0.5, bending_stiffness: 30,
     modes: 2, boundary: clamped-free, mass: 0.2, center_of_mass: [0, 0, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
  - {name: rod, position: [1.4, 0, 0], mass: 0.3, center_of_mass: [0.1, 0, 0], inertia: {xx: 0.001, yy: 0.003, zz: 0.003}}
joints:
  - {name: A, type: revolute, base: ground, moving: crank, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: 1}}
  - {name: B, type: revolute, base: crank, moving: beam, position: [0.4, 0, 0], axis: [0, 1, 1], initial: {velocity: -2}}
  - {name: C, type: revolute, base: beam, moving: rod, position: [1.4, 0, 0], axis: [0, 0, 1], initial: {velocity: 3}}
subsystems:
  - {name: arm, bodies: [crank, beam]}
modules:
  - {name: inner, type: dc-motor, joint: B, voltage: 12, resistance: 1, inductance: 0.01, torque_constant: 0.1,
     gear_ratio: 5, rotor_inertia: 0.001, current: 2}
  - {name: outer, type: dc-motor, joint: C, voltage: -5, resistance: 2, inductance: 0.02, torque_constant: 0.05,
     gear_ratio: 10, rotor_inertia: 0.0001}
)";

}  // namespace polyform::test
