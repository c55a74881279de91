// Loops of every arrangement: local and long, nested, side by side, sharing hinges, redundant, on floating bodies.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <random>

#include "framework/host/evaluation/observation_store.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "tests/agreement/agreement.hpp"
#include "tests/support/hand_built.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// Model text piece by piece: rods between points of a plane, pins at points.
class Frame {
 public:
  /// turn: of the plane, which is x–y without.
  explicit Frame(const Vec3& turn = {}) : turn_(from_rotation_vector(turn)) {}

  std::string rod(double x0, double y0, double x1, double y1) {
    const double length = std::hypot(x1 - x0, y1 - y0);
    std::string name = fmt::format("rod{}", rods_++);
    const Quat q = turn_ * axis_angle(Vec3{0, 0, 1}, std::atan2(y1 - y0, x1 - x0));
    bodies_ += fmt::format(
        "  - {{name: {}, position: {}, orientation: [{}, {}, {}, {}], mass: {}, "
        "center_of_mass: [{}, 0.01, 0.02], inertia: {{xx: 0.01, yy: {}, zz: {}, xy: 0.001}}}}\n",
        name, turned(x0, y0, 0), q.w, q.x, q.y, q.z, length, length / 2, 0.1 * length, 0.1 * length + 0.005);
    return name;
  }
  void pin(const std::string& base, const std::string& moving, double x, double y, const std::string& more = "") {
    joint("revolute", base, moving, x, y, fmt::format(", axis: {}{}", turned(0, 0, 1), more));
  }
  void joint(const std::string& type, const std::string& base, const std::string& moving, double x, double y,
             const std::string& more = "") {
    joints_ += fmt::format("  - {{name: j{}, type: {}, base: {}, moving: {}, position: {}{}}}\n", pins_++, type, base,
                           moving, turned(x, y, 0), more);
  }
  std::string text(const std::string& forces = "") const {
    return "polyform: 1\nname: loops\ngravity: [1, -9.81, 0.5]\nbodies:\n" + bodies_ + "joints:\n" + joints_ + forces;
  }

 private:
  std::string turned(double x, double y, double z) const {
    const Vec3 v = rotation_matrix(turn_) * Vec3{x, y, z};
    return fmt::format("[{}, {}, {}]", v.x, v.y, v.z);
  }

  Quat turn_;
  std::string bodies_, joints_;
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
    const std::string l = f.rod(0, y, 0.05, y - 1), r = f.rod(1, y, 1.05, y - 1),
                      rung = f.rod(0.05, y - 1, 1.05, y - 1);
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
std::string ladder(int cells, const Vec3& turn = {}) {
  Frame f(turn);
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

/// A Cardan shaft, its joints as crosses of two pins each, closed by a cylindrical joint. slender: of the moments of
/// inertia about the shafts to those across.
std::string cardan_shaft(double mass, double cross_mass, double slender) {
  const double angle = 0.4, c = std::cos(angle), s = std::sin(angle);
  const auto shaft = [&](const char* name, double x, double y, double turn, double m) {
    return fmt::format(
        "  - {{name: {}, position: [{}, {}, 0], orientation: [{}, 0, 0, {}], mass: {}, center_of_mass: [0.5, 0, 0], "
        "inertia: {{xx: {}, yy: {}, zz: {}}}}}\n",
        name, x, y, std::cos(turn / 2), std::sin(turn / 2), m, slender * m, m / 12, m / 12);
  };
  const auto cross = [&](const char* name, double x, double y) {
    return fmt::format("  - {{name: {}, position: [{}, {}, 0], mass: {}, inertia: {{xx: {}, yy: {}, zz: {}}}}}\n", name,
                       x, y, cross_mass, 1e-4 * cross_mass, 1e-4 * cross_mass, 1e-4 * cross_mass);
  };
  const auto pin = [&](const char* base, const char* moving, double x, double y, const Vec3& axis,
                       const char* more = "") {
    return fmt::format(
        "  - {{name: {}-{}, type: revolute, base: {}, moving: {}, position: [{}, {}, 0], axis: [{}, {}, {}]{}}}\n",
        base, moving, base, moving, x, y, axis.x, axis.y, axis.z, more);
  };
  const Vec3 across{-s, c, 0}, up{0, 0, 1};
  return "polyform: 1\nname: Cardan shaft\ngravity: [0.3, -9.81, 0.2]\nbodies:\n" + shaft("input", 0, 0, 0, mass) +
         cross("cross1", 1, 0) + shaft("middle", 1, 0, angle, 1) + cross("cross2", 1 + c, s) +
         shaft("output", 1 + c, s, 0, 2) + "joints:\n" +
         pin("ground", "input", 0, 0, {1, 0, 0}, ", initial: {velocity: 3}") + pin("input", "cross1", 1, 0, up) +
         pin("cross1", "middle", 1, 0, across) + pin("middle", "cross2", 1 + c, s, across) +
         pin("cross2", "output", 1 + c, s, up) +
         fmt::format(
             "  - {{name: bearing, type: cylindrical, base: ground, moving: output, position: [{}, {}, 0], axis: "
             "[1, 0, 0], cut: true}}\n",
             2 + c, s) +
         "forces:\n  - {name: motor, type: joint-force, joint: ground-input, effort: 2.5}\n";
}

}  // namespace

TEST_CASE("formulations agree on a Cardan shaft with light or massless crosses and slender shafts") {
  for (const double cross_mass : {0.0, 1e-5, 0.1})
    for (const double slender : {1e-6, 1e-4, 1e-2})
      for (const double mass : {1.0, 100.0}) {
        INFO("crosses " << cross_mass << ", slender " << slender << ", mass " << mass);
        CHECK(require_agreement(cardan_shaft(mass, cross_mass, slender)) >= 3);
      }
}

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
  for (const Vec3& turn : {Vec3{0, 0, 0.3}, Vec3{0.4, 0.5, 0.6}, Vec3{1e-6, 0, 1}, Vec3{1, 2, 3}}) {
    CHECK(require_agreement(ladder(1, turn)) >= 2);
    CHECK(require_agreement(ladder(7, turn)) >= 2);
  }
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

TEST_CASE("overconstrained and aligned mechanisms, in any direction, agree") {
  for (int k = 0; k < 10; ++k) {
    const double angle = 0.1 + 0.15 * k;
    const Vec3 turn = k % 2 == 0 ? Vec3{0, 0, angle} : angle * Vec3{0.6, -0.8, 0.3 * k};
    INFO("turned by " << turn.x << ' ' << turn.y << ' ' << turn.z);
    Frame locked(turn);  // pinned at both ends: no freedom
    const std::string bar = locked.rod(0, 0, 1, 0);
    locked.pin("ground", bar, 0, 0);
    locked.pin(bar, "ground", 1, 0);
    CHECK(require_agreement(locked.text()) >= 2);
    Frame bolted(turn);  // two plates on two pins swing as one
    const std::string plate = bolted.rod(0, 0, 2, 0), other = bolted.rod(1, 0, 2, 0);
    bolted.pin("ground", plate, 0, 0, ", initial: {velocity: 1}");
    bolted.pin(plate, other, 1.1, 0);
    bolted.pin(plate, other, 1.9, 0);
    CHECK(require_agreement(bolted.text()) >= 2);
    Frame flat(turn);  // a four-bar folded flat, at rest
    const std::string a = flat.rod(0, 0, 1, 0), b = flat.rod(1, 0, 3, 0), c = flat.rod(2, 0, 3, 0);
    flat.pin("ground", a, 0, 0);
    flat.pin(a, b, 1, 0);
    flat.pin(b, c, 3, 0);
    flat.pin("ground", c, 2, 0);
    CHECK(require_agreement(flat.text()) >= 2);
  }
}

TEST_CASE("Bennett's linkage keeps its energy in every formulation, through many turns") {
  // Its dependent rows are dependent only where the loop is closed, which the stages of the integrator are not.
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/bennett.yaml");
  CHECK(system->count_constraints().degrees_of_freedom == 1);
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const auto solver = solver_for(*system, *formulation);
    host::RunSettings settings = test::run_settings("rk4");
    settings.step = 1e-3;
    settings.duration = 2;
    settings.output_interval = 0.02;
    const host::RunRecord record = host::simulate(*system, *solver, settings, {}, {});
    CHECK(record.end == host::End::done);
    CHECK(record.energy_drift < 1e-7);
    CHECK(record.constraint_violation < 1e-10);
  }
}

TEST_CASE("Bennett's linkage with rounded lengths moves as the exact one in every formulation") {
  const Vec3 places[] = {{0, 0, 0},
                         {0.5403023058681398, 0.8414709848078965, 0},
                         {0.18899445592370112, 0.12679022432784848, -0.07625093551607154},
                         {-0.8, 0, 0}},
             axes[] = {{0, 0, 1},
                       {0.5420904917105653, -0.34807230189556454, 0.7648421872844885},
                       {0.0953136693950895, -0.15181644189449553, 0.9838023543359402},
                       {0, 0.515374149790153, 0.8569652768508635}};
  const auto model = [&](double unit, double rate) {
    const auto rounded = [unit](const Vec3& v) {
      const auto one = [unit](double x) { return unit > 0 ? unit * std::round(x / unit) : x; };
      return fmt::format("[{}, {}, {}]", one(v.x), one(v.y), one(v.z));
    };
    std::string text = "polyform: 1\ngravity: [0.3, -9.81, 2]\nbodies:\n";
    for (int i = 0; i < 3; ++i)
      text += fmt::format(
          "  - {{name: link{}, position: {}, mass: 1, center_of_mass: [0.4, 0.1, 0], "
          "inertia: {{xx: 0.02, yy: 0.09, zz: 0.08}}}}\n",
          i + 1, rounded(places[i]));
    text += "joints:\n";
    const char* const bodies[] = {"ground", "link1", "link2", "link3", "ground"};
    for (int i = 0; i < 4; ++i)
      text += fmt::format("  - {{name: joint{}, type: revolute, base: {}, moving: {}, position: {}, axis: {}{}}}\n",
                          i + 1, bodies[i], bodies[i + 1], rounded(places[i]), rounded(axes[i]),
                          i == 0 && rate != 0 ? fmt::format(", initial: {{velocity: {}}}", rate) : "");
    return text;
  };
  // q̈ of joint1 of the exact linkage, at rest and at 1 rad/s.
  for (const auto& [rate, exact] : {std::pair(0.0, -7.0049), std::pair(1.0, -7.05598)})
    for (const double unit : {0.0, 1e-9, 1e-8, 1e-7, 1e-6, 3e-6, 1e-5}) {
      const auto system = system_from_text(model(unit, rate));
      CHECK(system->count_constraints().degrees_of_freedom == 1);
      std::size_t ran = 0;
      for (const Formulation* formulation : formulations_for(*system)) {
        INFO(formulation->name() << ", lengths to " << unit << " m, " << rate << " rad/s");
        const auto solver = solver_for(*system, *formulation);
        const std::vector<double> y = initial_vector(*system, *solver);
        host::ObservationStore seen(system->view());
        const Status status = solver->observe(0, y, seen.now());
        INFO(solver->failure());
        REQUIRE(status == Status::ok);
        CHECK(std::abs(seen.now().acceleration[0] - exact) < 1e-5 + 20 * unit);
        ++ran;
      }
      CHECK(ran >= 6);
    }
}

TEST_CASE("a Cardan shaft with massless crosses turns alike in every formulation, through many turns") {
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/cardan_shaft.yaml");
  const SystemView& view = system->view();
  std::vector<std::pair<const Formulation*, SolverOptions>> all;
  for (const Formulation* formulation : formulations_for(*system)) {
    all.push_back({formulation, {}});
    if (formulation->name() == "particles") all.push_back({formulation, {{"equations", "sparse"}}});
  }
  REQUIRE(all.size() > 2);
  Observed first(view);
  for (const auto& [formulation, options] : all) {
    INFO(formulation->name() << (options.empty() ? "" : ", sparse"));
    const auto solver = solver_for(*system, *formulation, options);
    std::vector<double> y = initial_vector(*system, *solver);
    double t = 0;
    REQUIRE(integrate(*solver, y, t, 4e-4, 5000));
    Observed now(view);
    REQUIRE(solver->observe(t, y, now.observation) == Status::ok);
    if (formulation == all[0].first && options.empty()) REQUIRE(solver->observe(t, y, first.observation) == Status::ok);
    for (std::size_t i = 0; i < view.bodies.size(); ++i) {
      CHECK(norm(now.bodies[i].pose.position - first.bodies[i].pose.position) < 1e-6);
      CHECK(norm(now.bodies[i].angular_velocity - first.bodies[i].angular_velocity) < 1e-6 * 51);
    }
  }
}
