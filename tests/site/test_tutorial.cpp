// The ten steps of the tutorial: what their pages promise, against closed forms.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numbers>

#include "tests/command/command_runner.hpp"

using namespace polyform::test;
using Catch::Contains;

namespace {

constexpr double g = 9.81;

std::string step(const std::string& name) { return shipped("tutorial/" + name); }

/// The rows of a run of a step.
Table motion_of(const std::string& name, std::vector<std::string> more = {}) {
  const Workshop shop;
  more.insert(more.begin(), {"run", step(name), "--quiet", "--output", "motion.csv"});
  const Outcome outcome = shop.run(more);
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.err.empty());
  return read_table(shop.read("motion.csv"));
}

double largest(const Table& table, const std::string& column) {
  double most = 0;
  for (std::size_t row = 0; row < table.rows.size(); ++row) most = std::max(most, std::abs(table.at(row, column)));
  return most;
}

double last(const Table& table, const std::string& column) { return table.at(table.rows.size() - 1, column); }

}  // namespace

TEST_CASE("step 1: at the bottom the rod has the energy of its fall") {
  const double inertia = 0.0833 + 0.25;
  CHECK(largest(motion_of("01_rod"), "pin.v") == Approx(std::sqrt(2 * g * 0.5 / inertia)).epsilon(1e-4));
}

TEST_CASE("step 2: the rod rests where the spring takes its weight, and vibrates there as a linear oscillator") {
  double q = 0;  // 30 q + m g l cos q = 0 by Newton's method
  for (int k = 0; k < 20; ++k) q -= (30 * q + g / 2 * std::cos(q)) / (30 - g / 2 * std::sin(q));
  CHECK(q == Approx(-0.1614).margin(5e-5));
  const Workshop shop;
  const Outcome rest = shop.run({"equilibrium", step("02_spring_and_damper"), "--output", "rest.csv"});
  INFO(rest.err);
  REQUIRE(rest.code == 0);
  const Table run = motion_of("02_spring_and_damper", {"--duration", "20"});
  CHECK(last(run, "pin.q") == Approx(q).epsilon(1e-4));
  const Outcome linear = shop.run({"linearize", step("02_spring_and_damper"), "--at", "equilibrium"});
  CHECK(linear.code == 0);
  const double inertia = 0.0833 + 0.25, decay = 0.5 / 2 / inertia;
  const double frequency = std::sqrt((30 - g / 2 * std::sin(q)) / inertia - decay * decay);
  CHECK(frequency == Approx(9.6).margin(0.05));
  CHECK(decay == Approx(0.75).margin(0.005));
  char shown[16];
  std::snprintf(shown, sizeof shown, "%.5g", frequency);
  INFO(linear.out);
  CHECK_THAT(linear.out, Contains(shown));
}

TEST_CASE("step 3: solvers agree for three seconds, and chaos parts them later") {
  const Workshop shop;
  CHECK(shop.run({"compare", step("03_double_pendulum"), "--quiet"}).code == 0);
  const Outcome later = shop.run({"compare", step("03_double_pendulum"), "--duration", "20", "--quiet"});
  CHECK(later.code == 1);
  CHECK_THAT(later.out + later.err, Contains("chaos"));
}

TEST_CASE("step 4: the piston is where the geometry of the crank puts it") {
  const Workshop shop;
  const Outcome check = shop.run({"check", step("04_slider_crank")});
  INFO(check.out);
  CHECK(check.code == 0);
  CHECK_THAT(check.out, Contains("loops               1\ndegrees of freedom  1\nredundant           3 constraint"));
  const Table table = motion_of("04_slider_crank");
  for (std::size_t row = 0; row < table.rows.size(); row += 20) {
    const double q = table.at(row, "shaft.q"), s = 0.1 * std::sin(q);
    CHECK(table.at(row, "piston.x") == Approx(0.1 * std::cos(q) + std::sqrt(0.09 - s * s)).margin(1e-9));
  }
}

TEST_CASE("step 5: the piston's acceleration at the dead centre, and a drive without work on average") {
  const Table table = motion_of("05_driven_crank", {"--columns", "joints,reactions,accelerations,energy"});
  CHECK(table.at(0, "guide.a") == Approx(-0.1 * 100 * (1 + 1.0 / 3)).epsilon(1e-9));
  CHECK(last(table, "energy.work") == Approx(0).margin(1e-5));
  CHECK(largest(table, "drive.force") > 0.5);
}

TEST_CASE("step 6: the block passes its place by what the damping ratio says") {
  for (const double zeta : {0.2, 0.5}) {
    const Table table = motion_of("06_parameters", {"--set", "parameters.zeta=" + std::to_string(zeta)});
    const double over = std::exp(-std::numbers::pi * zeta / std::sqrt(1 - zeta * zeta));
    CHECK(largest(table, "slide.q") == Approx(1 + over).epsilon(1e-4));
  }
}

TEST_CASE("step 7: the tip swings about its static deflection, at the frequency of a clamped beam") {
  const Table table =
      motion_of("07_bending_rod", {"--duration", "60", "--output-interval", "0.05", "--integrator", "radau5"});
  CHECK(last(table, "tip.y") == Approx(-g / 8 / 20).epsilon(0.01));
  const Workshop shop;
  const Outcome linear = shop.run({"linearize", step("07_bending_rod")});
  INFO(linear.out);
  CHECK_THAT(linear.out, Contains("15.72"));
}

TEST_CASE("step 8: a ball that rolls has five sevenths of its speed, whatever the friction") {
  for (const char* friction : {"0.3", "0.15"}) {
    const Table table = motion_of(
        "08_rolling_ball", {"--set", std::string("forces.floor.friction.dynamic=") + friction, "--duration", "2"});
    CHECK(last(table, "ball.vx") == Approx(10.0 / 7).epsilon(1e-3));
    CHECK(last(table, "floor.mode") == 1);
  }
}

TEST_CASE("step 9: springs and tyres carry the vehicle at rest") {
  const Table table = motion_of("09_vehicle", {"--duration", "12"});
  const double tyre = (200 + 25) * g / 2e5;
  for (const char* corner : {"front_left", "front_right", "rear_left", "rear_right"})
    CHECK(last(table, std::string(corner) + ".slide.q") == Approx(0).margin(1e-5));
  CHECK(last(table, "chassis.z") == Approx(0.3 - tyre + 0.2).margin(1e-5));
  CHECK(tyre == Approx(0.0110).margin(5e-5));
}

TEST_CASE("step 10: the controller levels the vehicle, springs alone do not") {
  const std::string name = "10_vehicle_with_controller";
  const Table level = motion_of(name), leaning = motion_of(name, {"--set", "parameters.on=0"});
  CHECK(std::abs(last(level, "rear_left.slide.q")) < 1e-3);
  CHECK(std::abs(last(leaning, "rear_left.slide.q")) > 0.03);
  CHECK(largest(level, "rear_left.slide.q") > 0.005);
}

TEST_CASE("every step of the tutorial is a page with its model, and the other way round") {
  std::vector<std::string> pages, models;
  const auto collect = [](const std::string& folder, const char* ending, std::vector<std::string>& names) {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      std::string stem = entry.path().stem().string();
      if (entry.path().extension() != ending || stem == "index") continue;
      std::replace(stem.begin(), stem.end(), '_', '-');
      names.push_back(stem);
    }
    std::sort(names.begin(), names.end());
  };
  collect(POLYFORM_SITE "/tutorial", ".md", pages);
  collect(POLYFORM_MODELS "/tutorial", ".yaml", models);
  CHECK(pages.size() == 10);
  CHECK(pages == models);
}
