#include <fmt/format.h>

#include "newton_check.hpp"

using namespace polyform::test;

namespace {

constexpr std::complex<double> complex_gamma{0.01, 0.007};

/// Bodies with every kind of joint in a branched tree, in no special axes.
std::string tree(const std::string& velocities, const std::string& forces) {
  std::string text = "polyform: 1\nname: tree\ngravity: [1, -9.81, 2]\nbodies:\n";
  for (int i = 0; i < 7; ++i)
    text += fmt::format(
        "  - {{name: b{0}, position: [{1}, {2}, {3}], orientation: {{rpy: [0.{0}, 0.2, -0.3]}}, mass: 1.{0}, "
        "center_of_mass: [0.3, 0.1, -0.05], inertia: {{xx: 0.1, yy: 0.2, zz: 0.15, xy: 0.01, xz: -0.02, yz: 0.03}}}}\n",
        i, 0.5 * i, i % 3 * 0.2, i % 2 * 0.4);
  text += "joints:\n";
  const auto joint = [&](int moving, const std::string& base, const std::string& rest, int nv) {
    std::string v;
    for (int k = 0; k < nv; ++k) v += fmt::format("{}{}", k ? ", " : "", 0.3 * (k + 1) - 0.1 * moving);
    if (nv == 1)
      text += fmt::format(
          "  - {{name: j{}, base: {}, moving: b{}, position: [{}, 0.1, 0.2], {}, initial: {{velocity: {}}}}}\n", moving,
          base, moving, 0.5 * moving - 0.2, rest, velocities == "yes" ? v : "0");
    else
      text += fmt::format("  - {{name: j{}, base: {}, moving: b{}, position: [{}, 0.1, 0.2], {}{}}}\n", moving, base,
                          moving, 0.5 * moving - 0.2, rest,
                          velocities == "yes" ? fmt::format(", initial: {{velocity: [{}]}}", v) : "");
  };
  joint(0, "ground", "type: revolute, axis: [0.6, 0, 0.8]", 1);
  joint(1, "b0", "type: spherical", 3);
  joint(2, "b1", "type: prismatic, axis: [0, 0.6, 0.8]", 1);
  joint(3, "b1", "type: universal, axis: [0, 0, 1], axis2: [0, 1, 0]", 2);
  joint(4, "b3", "type: cylindrical, axis: [1, 0, 0]", 2);
  joint(6, "b4", "type: revolute, axis: [0, 1, 0]", 1);
  text += "  - {name: j5, type: spherical, base: b5, moving: b3, position: [1.4, 0.3, 0.1]}\n";
  return text + forces;
}

const std::string stiff_forces = R"(forces:
  - {name: a, type: joint-spring-damper, joint: j0, stiffness: 1e5, damping: 100}
  - {name: c, type: joint-spring-damper, joint: j2, stiffness: 1e6, damping: 100}
  - {name: d, type: joint-spring-damper, joint: j6, stiffness: 1e3}
  - {name: e, type: spring-damper, a: {body: b1, point: [0.1, 0.5, 0]}, b: {body: b3, point: [0, 0.1, 0.7]}, stiffness: 1e5, damping: 20}
  - {name: f, type: spring-damper, a: {body: ground, point: [0.1, 3, 0]}, b: {body: b4, point: [0, 0.1, 0.7]}, stiffness: 1e5, damping: 50}
  - {name: g, type: rotational-spring-damper, a: {body: b3, point: [0, 0, 0]}, b: {body: b5, point: [0, 0, 0]}, axes: [[1, 0, 0], [0, 1, 0]], stiffness: 1e4, damping: 3}
  - {name: h, type: point-force, body: b2, point: [0.1, 0.2, 0.3], force: [10, 0, 0], moment: [0, 2, 0], axes: body}
)";

}  // namespace

TEST_CASE("Newton's matrix of a tree at rest is that of differences") {
  NewtonCheck free(tree("no", ""));
  CHECK(free.residual(0.01) < 1e-2);
  CHECK(free.residual(0.1) < 0.1);
  CHECK(free.residual(complex_gamma) < 1e-2);
  NewtonCheck stiff(tree("no", stiff_forces));
  CHECK(stiff.residual(1e-4) < 1e-2);
  CHECK(stiff.residual(0.01) < 1e-2);
  CHECK(stiff.residual(complex_gamma) < 1e-2);
}

TEST_CASE("Newton's matrix of a moving tree lacks no more than what turning joints add") {
  NewtonCheck stiff(tree("yes", stiff_forces));
  CHECK(stiff.residual(1e-4) < 0.02);
  CHECK(stiff.residual(0.01) < 0.1);
  CHECK(stiff.residual(complex_gamma) < 0.1);
}
