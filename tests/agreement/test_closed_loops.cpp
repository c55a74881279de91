// Loops of every arrangement: local and long, nested, side by side, sharing hinges, redundant, on floating bodies.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <random>

#include "tests/agreement/agreement.hpp"

using namespace polyform::test;

namespace {

/// Model text piece by piece: rods between points, pins at points.
class Frame {
 public:
  explicit Frame(const std::string& axis = "[0, 0, 1]") : axis_(axis) {}

  std::string rod(double x0, double y0, double x1, double y1) {
    const double length = std::hypot(x1 - x0, y1 - y0);
    std::string name = fmt::format("rod{}", rods_++);
    bodies_ += fmt::format(
        "  - {{name: {}, position: [{}, {}, 0], orientation: {{axis: [0, 0, 1], angle: {}}}, mass: {}, "
        "center_of_mass: [{}, 0.01, 0.02], inertia: {{xx: 0.01, yy: {}, zz: {}, xy: 0.001}}}}\n",
        name, x0, y0, std::atan2(y1 - y0, x1 - x0), length, length / 2, 0.1 * length, 0.1 * length + 0.005);
    return name;
  }
  void pin(const std::string& base, const std::string& moving, double x, double y, const std::string& more = "") {
    joint("revolute", base, moving, x, y, fmt::format(", axis: {}{}", axis_, more));
  }
  void joint(const std::string& type, const std::string& base, const std::string& moving, double x, double y,
             const std::string& more = "") {
    joints_ += fmt::format("  - {{name: j{}, type: {}, base: {}, moving: {}, position: [{}, {}, 0]{}}}\n", pins_++, type,
                           base, moving, x, y, more);
  }
  std::string text(const std::string& forces = "") const {
    return "polyform: 1\nname: loops\ngravity: [1, -9.81, 0.5]\nbodies:\n" + bodies_ + "joints:\n" + joints_ + forces;
  }

 private:
  std::string axis_, bodies_, joints_;
  int rods_ = 0, pins_ = 0;
};

/// Cells one upon the other: each four-bar stands on the coupler of the one before.
std::string tower(int cells, bool floating) {
  Frame f;
  std::string base = "ground";
  if (floating) {
    base = f.rod(0, 0, 1, 0);
    f.joint("free", "ground", base, 0, 0);
  }
  for (int k = 0; k < cells; ++k) {
    const double lean = 0.1 * (k % 3), y = k;
    const std::string left = f.rod(lean, y, lean + 0.1, y + 1), right = f.rod(lean + 1, y, lean + 1.2, y + 1);
    const std::string top = f.rod(lean + 0.1, y + 1, lean + 1.2, y + 1);
    f.pin(base, left, lean, y, k % 2 == 0 ? ", initial: {velocity: 0.5}" : "");
    f.pin(base, right, lean + 1, y);
    f.pin(left, top, lean + 0.1, y + 1);
    f.pin(top, right, lean + 1.2, y + 1);
    base = top;
  }
  return f.text();
}

/// Two rails that hang from ground, with rungs: the loops share the hinges of the rails.
std::string rope_ladder(int rungs) {
  Frame f;
  std::string left = "ground", right = "ground";
  for (int k = 0; k < rungs; ++k) {
    const double y = -k;
    const std::string l = f.rod(0, y, 0.05, y - 1), r = f.rod(1, y, 1.05, y - 1), rung = f.rod(0.05, y - 1, 1.05, y - 1);
    f.joint("spherical", left, l, 0, y, k == 1 ? ", initial: {velocity: [0.1, 0.2, 0.3]}" : "");
    f.joint("spherical", right, r, 1, y);
    f.joint("spherical", l, rung, 0.05, y - 1);
    f.joint("universal", rung, r, 1.05, y - 1, ", axis: [0, 1, 0], axis2: [0, 0, 1]");
    left = l;
    right = r;
  }
  return f.text();
}

/// Four-bars side by side that share their verticals.
std::string ladder(int cells, const std::string& axis = "[0, 0, 1]") {
  Frame f(axis);
  std::string before = f.rod(0, 0, 0, 1);
  f.pin("ground", before, 0, 0, ", initial: {velocity: -0.7}");
  for (int k = 0; k < cells; ++k) {
    const std::string vertical = f.rod(k + 1, 0, k + 1, 1), top = f.rod(k, 1, k + 1, 1);
    f.pin("ground", vertical, k + 1, 0);
    f.pin(before, top, k, 1);
    f.pin(top, vertical, k + 1, 1);
    before = vertical;
  }
  return f.text();
}

/// One loop of rods around a polygon, one of them fixed to ground by its first pin.
std::string ring(int rods, const std::string& joint) {
  Frame f;
  const auto at = [&](int k) {
    const double angle = 2 * std::numbers::pi * k / rods, r = 0.3 * rods;
    return std::pair{r * std::cos(angle), r * std::sin(angle)};
  };
  std::string first, before;
  for (int k = 0; k < rods; ++k) {
    const auto [x, y] = at(k);
    const auto [x1, y1] = at(k + 1);
    const std::string rod = f.rod(x, y, x1, y1);
    if (k == 0) {
      first = rod;
      f.pin("ground", rod, x, y);
    } else if (joint == "revolute") {
      f.pin(before, rod, x, y, k % 3 == 1 ? ", initial: {velocity: 0.2}" : "");
    } else {
      f.joint(joint, before, rod, x, y);
    }
    before = rod;
  }
  const auto [x, y] = at(0);
  if (joint == "revolute")
    f.pin(before, first, x, y);
  else
    f.joint(joint, before, first, x, y);
  return f.text();
}

}  // namespace

TEST_CASE("formulations agree on loops that stand on loops") {
  CHECK(require_agreement(tower(1, false)) >= 2);
  CHECK(require_agreement(tower(5, false)) >= 2);
  CHECK(require_agreement(tower(4, true)) >= 2);
  CHECK(require_agreement(tower(60, false)) >= 2);
}

TEST_CASE("formulations agree on loops that share hinges") {
  CHECK(require_agreement(rope_ladder(1)) >= 2);
  CHECK(require_agreement(rope_ladder(2)) >= 2);
  CHECK(require_agreement(rope_ladder(7)) >= 2);
}

TEST_CASE("formulations agree on ladders, also where no axis is aligned with the axes of ground") {
  CHECK(require_agreement(ladder(1)) >= 2);
  CHECK(require_agreement(ladder(30)) >= 2);
}

TEST_CASE("formulations agree on one long loop") {
  CHECK(require_agreement(ring(100, "revolute")) >= 2);
  CHECK(require_agreement(ring(30, "spherical")) >= 2);
}

TEST_CASE("springs, dampers and efforts on cut joints act as on the others") {
  Frame f;
  const std::string a = f.rod(0, 0, 0.2, 1), b = f.rod(0.2, 1, 1.3, 1.2), c = f.rod(1, 0, 1.3, 1.2);
  f.pin("ground", a, 0, 0);
  f.pin(a, b, 0.2, 1);
  f.pin(b, c, 1.3, 1.2, ", cut: true");
  f.pin("ground", c, 1, 0, ", initial: {velocity: 0.4}");
  CHECK(require_agreement(f.text(R"(forces:
  - {name: motor, type: joint-force, joint: j2, effort: 2.5}
  - {name: stop, type: joint-spring-damper, joint: j2, stiffness: 10, damping: 0.3, rest: 0.4}
  - {name: other, type: joint-spring-damper, joint: j1, stiffness: 3, damping: 0.1, rest: 0}
)")) >= 2);
}
