// Masses over many orders of magnitude side by side, where S − S H D⁻¹ Hᵀ S and its like lose digits: what every
// formulation gives is right, or said to be wrong. The truth is a dense Newton–Euler solution in 113-bit numbers.
// test_agreement "[lost digits]" -s prints the table.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <iostream>

#include "framework/diagnostics.hpp"
#include "framework/host/simulation/balance_check.hpp"
#include "framework/host/simulation/observation_store.hpp"
#include "tests/support/quad_reference.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

enum class Order { ascending, descending, alternating };

/// The mass of body k of n, kg; all between 1/√ratio and √ratio.
double mass_of(Order order, double ratio, int k, int n) {
  const double light = 1 / std::sqrt(ratio);
  if (order == Order::alternating) return k % 2 == 0 ? light : light * ratio;
  const double part = static_cast<double>(order == Order::ascending ? k : n - 1 - k) / (n - 1);
  return light * std::pow(ratio, part);
}

struct Linkage {
  const char* name;
  const char* joint;   ///< type and its fields, of every second joint; the others are `other`
  const char* other;
  bool tree = false;   ///< bodies hang on the one two before
  bool loop = false;   ///< the last body is tied to ground by a ball
};
constexpr Linkage shapes[] = {
    {"balls", "spherical", "spherical", false, false},
    {"pins", "revolute, axis: [0.3, 0.9, 0.1]", "revolute, axis: [0.8, -0.2, 0.5]", false, false},
    {"mixed", "universal, axis: [1, 0.2, 0], axis2: [-0.2, 1, 0]", "revolute, axis: [0.8, -0.2, 0.5]", false, false},
    {"tree", "spherical", "revolute, axis: [0.8, -0.2, 0.5]", true, false},
    {"loop", "spherical", "revolute, axis: [0.8, -0.2, 0.5]", false, true}};

std::string model_of(const Linkage& shape, Order order, double ratio) {
  constexpr int n = 6;
  std::string bodies, joints;
  const auto corner = [](int k) {
    return Vec3{0.5 * k, 0.2 * std::sin(1.3 * k), 0.15 * std::cos(2.1 * k)};
  };
  for (int k = 0; k < n; ++k) {
    const int on = shape.tree ? k - 2 : k - 1;
    const Vec3 p = corner(on < -1 ? 0 : on + 1) + (shape.tree ? Vec3{0, 0.3 * (k % 2), 0} : Vec3{});
    const double m = mass_of(order, ratio, k, n);
    bodies += fmt::format(
        "  - {{name: b{}, position: [{}, {}, {}], mass: {}, center_of_mass: [0.21, 0.05, -0.03], inertia: "
        "{{xx: {}, yy: {}, zz: {}, xy: {}}}}}\n",
        k, p.x, p.y, p.z, m, 0.011 * m, 0.035 * m, 0.03 * m, 0.002 * m);
    joints += fmt::format("  - {{name: j{}, base: {}, moving: b{}, position: [{}, {}, {}], type: {}}}\n", k,
                          on < 0 ? "ground" : fmt::format("b{}", on), k, p.x, p.y, p.z,
                          k % 2 == 0 ? shape.joint : shape.other);
  }
  if (shape.loop) {
    const Vec3 p = corner(n);
    joints += fmt::format(
        "  - {{name: last, base: ground, moving: b{}, position: [{}, {}, {}], type: spherical, cut: true}}\n", n - 1,
        p.x, p.y, p.z);
  }
  return "polyform: 1\ngravity: [1.5, -3, -9]\nbodies:\n" + bodies + "joints:\n" + joints;
}

/// Largest difference of an acceleration, each body's against its own and a thousandth of the largest of all.
double error_of(const std::vector<Spatial>& truth, const Observation& now) {
  double angular = 0, linear = 0, error = 0;
  for (const Spatial& a : truth) {
    angular = std::max(angular, norm(a.angular));
    linear = std::max(linear, norm(a.linear));
  }
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const Observation::Body& b = now.bodies[i];
    error =
        std::max({error, norm(b.angular_acceleration - truth[i].angular) / (norm(truth[i].angular) + 1e-3 * angular),
                  norm(b.acceleration - truth[i].linear) / (norm(truth[i].linear) + 1e-3 * linear)});
  }
  return error;
}

struct Outcome {
  double error = 0;       ///< of the accelerations
  double imbalance = 0;   ///< as the host tells it
  bool refused = false;   ///< by the solver
  bool warned = false;    ///< that they may be wrong
};

Outcome outcome(const host::System& system, const Formulation& formulation, const std::vector<Spatial>& truth) {
  host::ObservationStore store(system.view());
  const auto solver = solver_for(system, formulation);
  std::vector<double> y(solver->state_size());
  if (solver->encode(system.initial_state(), y) != Status::ok || solver->observe(0, y, store.now()) != Status::ok)
    return {0, 0, true};
  host::BalanceCheck check(system.view(), *solver);
  try {
    check.check(0, store.now());
  } catch (const host::Failure&) {
    return {error_of(truth, store.now()), 1, false, true};  // no digit is left
  }
  return {error_of(truth, store.now()), check.report().largest, false, !check.report().warning.empty()};
}

/// Four rods on ball joints of which the last is so many times heavier than the others, and a body at rest beside them
/// whose pin is driven.
std::string heavy_end(double ratio, bool with_drive) {
  std::string bodies, joints, constraints;
  const Vec3 corners[] = {{0, 0, 0}, {0.5, -0.8, -0.4}, {0.7, 0.1, -0.9}, {1.0, -0.8, -1.2}, {1.2, 0.0, -1.7}};
  for (int k = 0; k < 4; ++k) {
    const Vec3 p = corners[k], c = 0.5 * (corners[k + 1] - p);
    const double m = k == 3 ? ratio : 1;
    bodies += fmt::format(
        "  - {{name: b{0}, position: [{1}, {2}, {3}], mass: {4}, center_of_mass: [{5}, {6}, {7}], inertia: "
        "{{xx: {8}, yy: {8}, zz: {8}}}}}\n",
        k, p.x, p.y, p.z, m, c.x, c.y, c.z, m / 12);
    joints += fmt::format(
        "  - {{name: j{0}, base: {1}, moving: b{0}, position: [{2}, {3}, {4}], type: spherical, initial: {{velocity: "
        "[{5}, 1, "
        "{6}]}}}}\n",
        k, k == 0 ? "ground" : fmt::format("b{}", k - 1), p.x, p.y, p.z, 0.3 - 0.4 * k, 0.5 * k - 1.3);
  }
  if (with_drive) {
    bodies += "  - {name: z, position: [9, 0, 0], mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n";
    joints += "  - {name: jz, type: revolute, base: ground, moving: z, position: [9, 0, 0], axis: [0, 0, 1]}\n";
    constraints = "constraints:\n  - {name: d, type: prescribed-motion, joint: jz, motion: 0}\n";
  }
  return "polyform: 1\nbodies:\n" + bodies + "joints:\n" + joints + constraints;
}

}  // namespace

TEST_CASE("what is said of lost digits is their number, whatever else is in the model", "[lost digits]") {
  for (const double ratio : {1e8, 1e9, 1e10, 1e12, 1e14, 1e16}) {
    const auto plain = system_from_text(heavy_end(ratio, false));
    const std::vector<Spatial> truth = quad_accelerations(*plain);
    for (const bool with_drive : {false, true}) {
      const auto system = system_from_text(heavy_end(ratio, with_drive));
      std::vector<Spatial> expected;
      for (const BodyData& b : system->view().bodies) {
        Spatial a;  // of z: at rest
        for (std::size_t i = 0; i < truth.size(); ++i)
          if (plain->view().bodies[i].name == b.name) a = truth[i];
        expected.push_back(a);
      }
      for (const Formulation* formulation : formulations_for(*system)) {
        INFO("ratio " << ratio << (with_drive ? " with a drive, " : ", ") << formulation->name());
        const Outcome o = outcome(*system, *formulation, expected);
        const std::string_view name = formulation->name();
        // With sixteen orders between them nothing of the light bodies is left in a sum with the heavy one.
        if (!with_drive && ratio < 1e15 && name != "thompson" && name != "hierarchy") {
          CHECK_FALSE(o.refused);
          CHECK(o.error < 1e-9);
        }
        if (o.refused) continue;
        INFO("error " << o.error << ", told " << o.imbalance);
        if (o.error < 1e-7) CHECK(o.imbalance < host::warned_imbalance);
        if (o.error > 3e-6) CHECK((o.imbalance > 0.3 * o.error || o.imbalance >= host::failed_imbalance));
        if (o.error > 3e-6 && o.imbalance < host::failed_imbalance) CHECK(o.imbalance < 3 * o.error);
      }
    }
  }
}

TEST_CASE("loops whose masses alternate over many orders of magnitude are no contradiction", "[lost digits]") {
  struct Loop {
    int bodies;
    const char *joint, *last;
    bool balls;   ///< then positions in doubles do not determine how light bodies between heavy ones turn
  };
  // Corners off a line by irrational amounts; a ring of balls, two loops of eight pins, one of seven.
  for (const Loop& loop : {Loop{5, "spherical", "spherical", true}, Loop{7, "revolute, axis: [{0}, {1}, 0.5]", "revolute, axis: [0.2, 0.9, -0.4]", false},
                           Loop{6, "revolute, axis: [{1}, 0.6, {0}]", "revolute, axis: [0.7, -0.2, 0.4]", false}})
    for (const double ratio : {1e8, 1e12})
      for (const int first : {0, 1}) {
        const auto corner = [](int k) { return Vec3{0.5 * k, 0.4 * std::sin(1.3 * k), 0.3 * std::cos(2.1 * k)}; };
        std::string bodies, joints;
        for (int k = 0; k <= loop.bodies; ++k) {
          const Vec3 p = corner(k);
          const double m = (k + first) % 2 == 0 ? 1 / std::sqrt(ratio) : std::sqrt(ratio);
          if (k < loop.bodies)
            bodies += fmt::format(
                "  - {{name: b{}, position: [{}, {}, {}], mass: {}, center_of_mass: [0.21, 0.05, -0.03], inertia: "
                "{{xx: {}, yy: {}, zz: {}, xy: {}}}}}\n",
                k, p.x, p.y, p.z, m, 0.02 * m, 0.035 * m, 0.03 * m, 0.002 * m);
          const double a = std::cos(1.7 * k), b = std::sin(2.3 * k);
          const std::string type = k == loop.bodies ? loop.last : fmt::format(fmt::runtime(loop.joint), a, b);
          joints += fmt::format("  - {{name: j{}, base: {}, moving: b{}, position: [{}, {}, {}], type: {}}}\n", k,
                                k == 0 || k == loop.bodies ? "ground" : fmt::format("b{}", k - 1),
                                std::min(k, loop.bodies - 1), p.x, p.y, p.z, type);
        }
        const auto system = system_from_text("polyform: 1\ngravity: [1.5, -3, -9]\nbodies:\n" + bodies + "joints:\n" + joints);
        const std::vector<Spatial> truth = quad_accelerations(*system);
        for (const Formulation* formulation : formulations_for(*system)) {
          INFO(loop.bodies << (loop.balls ? " balls" : " pins") << ", ratio " << ratio << ", " << formulation->name());
          const Outcome o = outcome(*system, *formulation, truth);
          const std::string_view name = formulation->name();
          INFO("error " << o.error << ", told " << o.imbalance);
          if (name != "thompson") CHECK_FALSE(o.refused);
          if (o.refused) continue;
          const bool recursive = name == "riccati" || name == "reduced";
          if (recursive || !loop.balls) CHECK(o.error < 1e-9);
          CHECK((o.error < 1e-6 || o.imbalance > host::warned_imbalance || o.warned));
        }
      }
}

TEST_CASE("whatever the masses, accelerations are right, or it is said that they are not", "[lost digits]") {
  std::string table;
  for (const Linkage& shape : shapes)
    for (const Order order : {Order::ascending, Order::descending, Order::alternating})
      for (const double ratio : {1e0, 1e4, 1e8, 1e12}) {
        const auto system = system_from_text(model_of(shape, order, ratio));
        const std::vector<Spatial> truth = quad_accelerations(*system);
        table += fmt::format("{:<6} {:<12} {:>6.0e}", shape.name,
                             order == Order::ascending    ? "ascending"
                             : order == Order::descending ? "descending"
                                                          : "alternating",
                             ratio);
        for (const Formulation* formulation : formulations_for(*system)) {
          const std::string_view name = formulation->name();
          INFO(shape.name << ", ratio " << ratio << ", " << name);
          const Outcome o = outcome(*system, *formulation, truth);
          table += o.refused ? fmt::format("  {} refused        ", name.substr(0, 4))
                             : fmt::format("  {} {:.0e} ({:.0e})", name.substr(0, 4), o.error, o.imbalance);
          if (o.refused) continue;
          CHECK((o.error < 1e-5 || o.imbalance > host::warned_imbalance || o.warned));
          if (ratio == 1) CHECK(o.error < 1e-11);
          // These win them back; of loops thompson forms a dense matrix, which may have lost them all.
          if (name == "riccati" || name == "reduced" || name == "particles" || (name == "thompson" && !shape.loop))
            CHECK(o.error < 1e-8);
        }
        table += "\n";
      }
  std::cout << "error of the accelerations (imbalance)\n" << table;
}
