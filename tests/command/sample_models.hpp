// Small models for the tests of the command.
#pragma once

#include <string>

namespace polyform::test {

/// A rod on a pin. The pieces replace the rod's mass and inertia, and the joint; `more` is appended.
struct Rod {
  std::string mass = "mass: 1";
  std::string inertia = "inertia: {xx: 0.001, yy: 0.0833, zz: 0.0833}";
  std::string joint = "{name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1]}";
  std::string more{};

  std::string text() const {
    return "polyform: 1\nname: rod\ngravity: [0, -9.81, 0]\nbodies:\n  - name: rod\n    " + mass +
           "\n    center_of_mass: [0.5, 0, 0]\n    " + inertia + "\njoints:\n  - " + joint + "\n" + more;
  }
};

/// A rod that swings for so long that a test can interrupt it.
inline std::string endless_rod() {
  Rod rod;
  rod.more = "simulation: {duration: 1.0e+6, integrator: rk4, step: 0.001, output_interval: 0.1}\n";
  return rod.text();
}

}  // namespace polyform::test
