// What a motion passes quickly: narrow rows of tables, limits of controllers, places where a signal has no value.
#include <cmath>
#include <sstream>

#include "tests/machines/machine_run.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A slider of 2 kg without gravity that a signal `m` pushes, at 1 m/s from 0.
std::string slider(const std::string& signals, const std::string& simulation) {
  return "gravity: [0, 0, 0]\nbodies:\n  - {name: a, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}\njoints:\n"
         "  - {name: j, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [1, 0, 0], "
         "initial: {velocity: 1}}\nsignals:\n" +
         signals +
         "forces:\n"
         "  - {name: f, type: joint-force, joint: j, effort: {expression: \"signal(m)\"}}\nsimulation: {" +
         simulation + "}\n";
}

}  // namespace

TEST_CASE("a force over a tenth of a millimetre does its work, however long the steps beside it are") {
  // 1000 N over 1 m ± 0.1 mm, straight between the rows: the work is 0.1 J.
  const std::string model = slider(
      "  - {name: m, type: table, input: \"q(j)\", table: [[0, 0], [0.9999, 0], [1, 1000], [1.0001, 0], [3, 0]]}\n",
      "duration: 2, output_interval: 0.5, tolerance: {relative: 1e-9, absolute: 1e-11}");
  in_formulations_of(model, [&](const Table& rows) {
    CHECK(rows.at(1, "j.v") == Approx(1).epsilon(1e-9));
    CHECK(rows.at(rows.rows.size() - 1, "j.v") == Approx(std::sqrt(1.1)).epsilon(1e-6));
  });
}

TEST_CASE("a wheel feels one raised row of a road that is level before and behind it") {
  // 20 kg at rest on a spring of 2 kN/m; at 20 m/s the bump of 0.02 m lasts some milliseconds.
  std::ostringstream grid;
  for (int i = 0; i < 400; ++i)
    grid << (i == 0 ? "" : ", ") << (i == 200 ? "[0.02, 0.02, 0.02, 0.02]" : "[0, 0, 0, 0]");
  std::string model =
      "bodies:\n  - {name: c, position: [0, 0, 0.2019], mass: 20, inertia: {xx: 1, yy: 1, zz: 1}}\n"
      "  - {name: w, position: [0, 0, 0.2019], mass: 20, inertia: {xx: 1, yy: 1, zz: 1}}\njoints:\n"
      "  - {name: j, type: prismatic, base: ground, moving: c, position: [0, 0, 0], axis: [1, 0, 0]}\n"
      "  - {name: z, type: prismatic, base: c, moving: w, position: [0, 0, 0], axis: [0, 0, 1]}\nconstraints:\n"
      "  - {name: d, type: prescribed-motion, joint: j, motion: {polynomial: [0, 20]}}\nforces:\n"
      "  - {name: t, type: brush-tyre, wheel: {body: w}, axis: [0, 1, 0], free_rolling: true, radius: 0.3, "
      "stiffness: 2e3, slip_stiffness: 0, cornering_stiffness: 0, road_grid_spacing: 0.05, road_grid_origin: [0, -0.075], "
      "road_grid: [" +
      grid.str() +
      "]}\n"
      "simulation: {duration: 0.55, output_interval: 0.05}\n";
  // The swing behind the bump, by small steps that cannot miss it.
  const Workshop shop;
  const std::string path = shop.write("road.yaml", "polyform: 1\n" + model);
  const Table fine = rows_of(path, "riccati", {"--integrator", "rk4", "--step", "0.0001"});
  const double expected = fine.at(fine.rows.size() - 1, "z.v");
  CHECK(std::abs(expected) > 1e-4);
  const Table rows = rows_of(path, "riccati");
  CHECK(rows.at(rows.rows.size() - 1, "z.v") == Approx(expected).epsilon(2e-2));
}

TEST_CASE("the output of a PID rests on its limit until the rest goes back faster than the integral pushes") {
  // Error e = 1.3 - 0.3 t, kp = 2, ki = 3, limit 2.5. The proportional part alone passes 2.5 downwards at t = 1/6;
  // there the integral pushes by ki e = 3.75 > kp 0.3, so that the output stays until ki e = 0.6, at t = 11/3. From
  // there on it is 2.5 - 0.45 s².
  const std::string model = slider("  - {name: m, type: pid, input: \"1.3 - 0.3*t\", kp: 2, ki: 3, upper: 2.5}\n",
                                   "duration: 5, output_interval: 0.25, tolerance: {relative: 1e-9, absolute: 1e-11}");
  in_formulations_of(model, [&](const Table& rows) {
    for (std::size_t k = 0; k < rows.rows.size(); ++k) {
      const double t = rows.at(k, "time"), s = std::max(0.0, t - 11.0 / 3);
      INFO("t = " << t);
      CHECK(rows.at(k, "signal.m") == Approx(2.5 - 0.45 * s * s).epsilon(1e-6));
    }
  });
}

TEST_CASE("a PID with a limit that drives a plant leaves the limit where its closed form does") {
  // u = 10 e + 100 I, at most 20, on 2 kg with e = 5 - v. The mass gains 10 m/s² until 100 e = 100 at t = 0.4.
  // Behind it e" + 5 e' + 50 e = 0 with e = 1, e' = -10.
  std::string model = slider("  - {name: m, type: pid, input: \"5 - v(j)\", kp: 10, ki: 100, upper: 20}\n",
                             "duration: 1, output_interval: 0.05, tolerance: {relative: 1e-9, absolute: 1e-11}");
  model.replace(model.find("velocity: 1"), 11, "velocity: 0");
  in_formulations_of(model, [&](const Table& rows) {
    const double w = std::sqrt(43.75);
    for (std::size_t k = 0; k < rows.rows.size(); ++k) {
      const double t = rows.at(k, "time"), s = t - 0.4;
      const double e = s <= 0 ? 5 - 10 * t : std::exp(-2.5 * s) * (std::cos(w * s) - 7.5 / w * std::sin(w * s));
      INFO("t = " << t);
      CHECK(rows.at(k, "j.v") == Approx(5 - e).margin(1e-6));
    }
  });
}

TEST_CASE("a signal without a value ends the run and is named, though no force reads it") {
  const Workshop shop;
  const std::string model =
      "polyform: 1\n" + slider("  - {name: m, value: \"0\"}\n  - {name: root, value: \"sqrt(1 - q(j))\"}\n",
                               "duration: 2, output_interval: 0.3");
  const Outcome run = shop.run({"run", shop.write("m.yaml", model), "--output", "rows.csv", "--json"});
  CHECK(run.code == 1);
  // The row at 1.2 s has no value: the one before is what the run has reached.
  CHECK_THAT(run.out, Catch::Contains("\"time\":0.8999999999999999") || Catch::Contains("\"time\":0.9,"));
  CHECK_THAT(run.out, Catch::Contains("\"rows\":4,"));
  CHECK_THAT(run.err, Catch::Contains("root"));
  // What was before it is kept.
  const Table rows = read_table(shop.read("rows.csv"));
  CHECK(rows.rows.size() >= 4);
  CHECK(rows.at(3, "time") == Approx(0.9));
}
