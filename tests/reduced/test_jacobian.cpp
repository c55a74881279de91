// The constraint Jacobian by both methods, compared with each other and with differences of the residuals.
#include <fmt/format.h>

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "tests/reduced/jacobian_bench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  bool coin() { return uniform(0, 1) < 0.5; }
  std::string point() { return fmt::format("[{}, {}, {}]", uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)); }
  std::vector<double> step(std::size_t n, double size) {
    std::vector<double> values(n);
    for (double& x : values) x = uniform(-size, size);
    return values;
  }

 private:
  std::mt19937_64 engine_;
};

constexpr std::array<const char*, 9> kinds{"revolute", "prismatic", "spherical", "universal", "cylindrical",
                                           "planar",   "free",      "fixed",     "helical"};

std::string rigid(const std::string& name, Random& random) {
  return fmt::format(
      "  - {{name: {}, position: {}, orientation: {{rpy: {}}}, mass: 1, inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}\n",
      name, random.point(), random.point());
}

/// A joint between bodies in either direction, at a random place.
std::string joint(const std::string& name, const std::string& type, std::string base, std::string moving,
                  Random& random, bool cut = false) {
  if (random.coin()) std::swap(base, moving);
  std::string text = fmt::format("  - {{name: {}, type: {}, base: {}, moving: {}", name, type, base, moving);
  if (type != "free") text += ", position: " + random.point();
  if (type == "planar") {
    const double x = random.uniform(-1, 1), y = random.uniform(-1, 1);
    text += fmt::format(", axis: [{}, {}, 0.6], axis2: [{}, {}, 0]", x, y, y, -x);
  } else if (type != "free" && type != "spherical" && type != "fixed") {
    text += ", axis: " + random.point();
  }
  if (type == "universal") text += ", axis2: " + random.point();
  if (type == "helical") text += ", pitch: 0.3";
  return text + (cut ? ", cut: true}\n" : "}\n");
}

/// Two arms with every kind of joint, on a common carrier; their ends are tied by a joint of the given kind.
std::string two_arms(const std::string& cut, unsigned seed) {
  Random random(seed);
  std::string bodies = rigid("carrier", random), joints = joint("root", "spherical", "ground", "carrier", random);
  std::array<std::string, 2> ends{"carrier", "carrier"};
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    std::string& end = ends[k % 2];
    const std::string body = fmt::format("b{}", k);
    bodies += rigid(body, random);
    joints += joint(fmt::format("j{}", k), kinds[(k + seed) % kinds.size()], end, body, random);
    end = body;
  }
  joints += joint("cut", cut, ends[0], ends[1], random, true);
  return "polyform: 1\nbodies:\n" + bodies + "joints:\n" + joints;
}

/// Pins and slides in one plane, with a chord: two loops that share joints. They are redundant in space.
std::string planar_loops(unsigned seed) {
  Random random(seed);
  std::string bodies, joints, before = "ground";
  const auto plane = [&] { return fmt::format("[{}, {}, 0]", random.uniform(-1, 1), random.uniform(-1, 1)); };
  const auto planar_joint = [&](const std::string& name, std::string base, std::string moving, bool slides, bool cut) {
    if (random.coin()) std::swap(base, moving);
    joints += fmt::format("  - {{name: {}, type: {}, base: {}, moving: {}, position: {}, axis: {}{}}}\n", name,
                          slides ? "prismatic" : "revolute", base, moving, plane(), slides ? plane() : "[0, 0, 1]",
                          cut ? ", cut: true" : "");
  };
  for (int k = 0; k < 7; ++k) {
    const std::string body = fmt::format("b{}", k);
    bodies +=
        fmt::format("  - {{name: {}, position: {}, mass: 1, inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}\n", body, plane());
    planar_joint(fmt::format("j{}", k), before, body, k % 3 == 2, false);
    before = body;
  }
  planar_joint("cut", before, "ground", false, true);
  planar_joint("chord", "b1", "b4", false, true);
  return "polyform: 1\nbodies:\n" + bodies + "joints:\n" + joints;
}

/// A beam that ground holds in its middle, arms at both ends, one of them a beam too, and their ends tied. So flexible
/// bodies are in the moving path, in the base path and the common ancestor, entered at nodes and at the body frame.
std::string flexible_loop(const std::string& cut, bool swapped) {
  const std::string beam = "type: flexible-beam, length: 1, linear_density: 1, bending_stiffness: 10, modes: 3";
  return fmt::format(R"(
polyform: 1
bodies:
  - {{name: stem, position: [0, 0, 0], boundary: free-free, {0}}}
  - {{name: left, position: [0, 0, 0], orientation: {{axis: [0, 0, 1], angle: 1.2}}, boundary: pinned-pinned, {0}}}
  - {{name: right, position: [1, 0, 0], mass: 1, inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}
  - {{name: tip, position: [0.9, 0.5, 0.1], orientation: {{axis: [0, 0, 1], angle: 2}}, boundary: clamped-free, {0}}}
  - {{name: tail, position: [0.4, 0.8, 0], mass: 1, inertia: {{xx: 0.1, yy: 0.1, zz: 0.1}}}}
joints:
  - {{name: root, type: spherical, base: ground, moving: stem, position: [0.5, 0, 0]}}
  - {{name: hinge, type: universal, base: stem, moving: left, position: [0, 0, 0], axis: [0, 0, 1], axis2: [0, 1, 0.2]}}
  - {{name: ball, type: spherical, base: right, moving: stem, position: [1, 0, 0]}}
  - {{name: knee, type: revolute, base: right, moving: tip, position: [0.9, 0.5, 0.1], axis: [0.3, 0.1, 1]}}
  - {{name: slide, type: cylindrical, base: left, moving: tail, position: [0.3623577544766736, 0.9320390859672263, 0], axis: [1, 2, 0.4]}}
  - {{name: cut, type: {1}, base: {2}, moving: {3}, position: [0.4838531634528576, 1.4092974268256817, 0.1]{4}, cut: true}}
  - {{name: brace, type: cylindrical, base: {5}, moving: stem, position: [0.25, 0, 0], axis: [1, 0.2, 0], cut: true}}
)",
                     beam, cut, swapped ? "tip" : "tail", swapped ? "tail" : "tip",
                     cut == "spherical" ? "" : ", axis: [0.2, 0.1, 1]", swapped ? "tail" : "right");
}

void require_equal_jacobians(const std::string& text, unsigned seed, double size) {
  JacobianBench bench(text);
  Random random(seed);
  for (int count = 0; count < 3; ++count) {
    bench.move(random.step(bench.coordinates(), size));
    bench.close();
    const DenseJacobian semi_analytic = bench.semi_analytic();
    CHECK(semi_analytic.difference(bench.direct_differentiation()) < 1e-13);
    CHECK(semi_analytic.difference(bench.differences()) < 1e-9);
  }
}

}  // namespace

TEST_CASE("both Jacobians are those of the residuals, for every kind of tree joint and cut joint in either direction") {
  for (const char* cut : kinds)
    for (unsigned seed = 1; seed <= 6; ++seed) {
      INFO("cut joint " << cut << ", seed " << seed);
      require_equal_jacobians(two_arms(cut, seed), seed, 0.15);
    }
}

TEST_CASE("both Jacobians are those of the residuals in planar loops that share joints") {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    INFO("seed " << seed);
    require_equal_jacobians(planar_loops(seed), seed, 0.05);
  }
}

TEST_CASE("both Jacobians are those of the residuals with flexible bodies in either path and as common ancestor") {
  for (const char* cut : {"spherical", "revolute", "cylindrical"})
    for (const bool swapped : {false, true}) {
      INFO("cut joint " << cut << (swapped ? ", swapped" : ""));
      require_equal_jacobians(flexible_loop(cut, swapped), 3, 0.02);
    }
}
