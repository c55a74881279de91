#include "tests/support/random_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace polyform::test {
namespace {

class Writer {
 public:
  explicit Writer(const RandomModelSettings& settings) : settings_(settings), random_(settings.seed) {}

  std::string write() {
    std::string text = "polyform: 1\nname: random model\ngravity: [0.3, -9.7, 1.1]\n";
    text += "bodies:\n";
    for (int i = 0; i < settings_.bodies; ++i) text += body(i);
    text += "joints:\n";
    for (int i = 0; i < settings_.bodies; ++i) text += tree_joint(i);
    for (int i = 0; i < settings_.loops; ++i) text += loop_joint(i);
    if (settings_.forces) text += forces();
    return text;
  }

 private:
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  std::string vector(double size) {
    return fmt::format("[{}, {}, {}]", uniform(-size, size), uniform(-size, size), uniform(-size, size));
  }

  std::string body(int i) {
    // The third principal moment lies between |a − b| and a + b, like that of a real body.
    const double a = uniform(0.05, 0.2), b = uniform(0.05, 0.2),
                 c = std::abs(a - b) + uniform(0.1, 1.9) * std::min(a, b);
    return fmt::format(
        "  - {{name: b{}, position: {}, orientation: {{rpy: {}}}, mass: {}, center_of_mass: {}, inertia: {{xx: {}, yy: "
        "{}, zz: {}}}}}\n",
        i, vector(1), vector(3), uniform(0.5, 3), vector(0.2), a, b, c);
  }

  std::string values(int count, double size) {
    std::string list;
    for (int k = 0; k < count; ++k) list += fmt::format("{}{}", k == 0 ? "" : ", ", uniform(-size, size));
    return fmt::format("[{}]", list);
  }
  std::string quaternion() {
    std::array<double, 4> q{};
    double length = 0;
    for (double& x : q) {
      x = uniform(-1, 1);
      length += x * x;
    }
    length = std::sqrt(length);
    return fmt::format("{}, {}, {}, {}", q[0] / length, q[1] / length, q[2] / length, q[3] / length);
  }

  std::string tree_joint(int i) {
    struct Kind {
      const char *type, *axes;
      int nv;
    };
    static constexpr std::array<Kind, 12> kinds{{{"revolute", "axis", 1},
                                                 {"prismatic", "axis", 1},
                                                 {"spherical", "", 3},
                                                 {"universal", "axis axis2", 2},
                                                 {"cylindrical", "axis", 2},
                                                 {"planar", "plane", 3},
                                                 {"free", "", 6},
                                                 {"perpendicular", "axis axis2", 5},
                                                 {"parallel", "axis", 4},
                                                 {"point-on-line", "axis", 4},
                                                 {"point-on-plane", "plane", 5},
                                                 {"fixed", "", 0}}};
    const Kind& kind = kinds[static_cast<std::size_t>(below(i == 0 ? 11 : 12))];
    const std::string type = kind.type, axes = kind.axes;
    const std::string parent = i == 0 || below(6) == 0 ? "ground" : fmt::format("b{}", below(i));
    const std::string own = fmt::format("b{}", i);
    const bool backwards = below(2) == 0;
    std::string text = fmt::format("  - {{name: j{}, type: {}, base: {}, moving: {}", i, type, backwards ? own : parent,
                                   backwards ? parent : own);
    if (type != "free") text += ", position: " + vector(1);
    if (axes == "plane")
      text += plane();
    else if (!axes.empty())
      text += ", axis: " + vector(1);
    if (axes == "axis axis2") text += ", axis2: " + vector(1);
    velocities_.push_back(kind.nv);
    if (kind.nv == 0) return text + "}\n";
    std::string position;
    if (type == "spherical")
      position = fmt::format("[{}]", quaternion());
    else if (type == "free")
      position = fmt::format("[{}, {}, {}, {}]", uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), quaternion());
    else if (type == "point-on-line")
      position = fmt::format("[{}, {}]", uniform(-1, 1), quaternion());
    else if (type == "point-on-plane")
      position = fmt::format("[{}, {}, {}]", uniform(-1, 1), uniform(-1, 1), quaternion());
    else
      position = values(kind.nv, 1);
    // A model with loops stays as drawn, where every loop is closed.
    if (settings_.loops > 0) return text + "}\n";
    return text + fmt::format(", initial: {{position: {}, velocity: {}}}}}\n", position, values(kind.nv, 2));
  }

  /// A normal and a direction in its plane.
  std::string plane() {
    const double x = uniform(-1, 1), y = uniform(-1, 1), z = uniform(0.2, 1);
    return fmt::format(", axis: [{}, {}, {}], axis2: [{}, {}, {}]", x, y, z, y, -x, 0.0);
  }

  std::string loop_joint(int i) {
    const int a = below(settings_.bodies);
    int b = below(settings_.bodies + 1) - 1;  // −1: ground
    if (b == a) b = -1;
    static constexpr std::array<const char*, 6> types{"spherical", "cylindrical",   "perpendicular",
                                                      "parallel",  "point-on-line", "point-on-plane"};
    const std::string type =
        settings_.loops_are_redundant && below(2) == 0 ? "fixed" : types[static_cast<std::size_t>(below(6))];
    std::string axes;
    if (type == "point-on-plane")
      axes = plane();
    else if (type != "fixed" && type != "spherical")
      axes = ", axis: " + vector(1) + (type == "perpendicular" ? ", axis2: " + vector(1) : "");
    const std::string base = b < 0 ? "ground" : fmt::format("b{}", b), moving = fmt::format("b{}", a);
    const bool backwards = below(2) == 0;
    return fmt::format("  - {{name: c{}, type: {}, base: {}, moving: {}, position: {}{}}}\n", i, type,
                       backwards ? moving : base, backwards ? base : moving, vector(1), axes);
  }

  std::string forces() {
    std::string text = "forces:\n";
    for (int i = 0; i < settings_.bodies; ++i) {
      const int nv = velocities_[static_cast<std::size_t>(i)];
      if (nv > 0)
        text += fmt::format("  - {{name: f{}, type: joint-force, joint: j{}, effort: {}}}\n", i, i, values(nv, 3));
    }
    for (int i = 0; i + 1 < settings_.bodies; i += 3)
      text += fmt::format(
          "  - {{name: s{}, type: spring-damper, a: {{body: b{}, point: {}}}, b: {{body: {}, point: {}}}, "
          "stiffness: {}, damping: {}, free_length: {}}}\n",
          i, i, vector(0.3), i % 2 == 0 ? "ground" : fmt::format("b{}", i + 1), vector(0.3), uniform(1, 50),
          uniform(0, 2), uniform(0.1, 1));
    text += fmt::format("  - {{name: w, type: point-force, body: b0, point: {}, force: {}, moment: {}, axes: body}}\n",
                        vector(0.3), vector(5), vector(2));
    return text;
  }

  RandomModelSettings settings_;
  std::mt19937_64 random_;
  std::vector<int> velocities_;
};

}  // namespace

std::string random_model(const RandomModelSettings& settings) { return Writer(settings).write(); }

}  // namespace polyform::test
