// Several stops, freewheels and dry friction in one joint, against closed forms: by events and in time stepping.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "exact_run.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/row_by_row.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A mass of 2 kg on a guide that a field pulls along with `pull`, m/s²; it begins at 1 m/s.
std::string mass_between(double pull, const std::string& forces) {
  return fmt::format(
      "polyform: 1\ngravity: [{}, 0, 0]\nbodies:\n"
      "  - {{name: mass, mass: 2, inertia: {{xx: 0.01, yy: 0.01, zz: 0.01}}}}\n"
      "joints:\n  - {{name: guide, type: prismatic, base: ground, moving: mass, position: [0, 0, 0], axis: [1, 0, 0],\n"
      "     initial: {{velocity: 1}}}}\nforces:\n{}",
      pull, forces);
}

/// The last row of a run of a second; x: effort, mode, impacts and energy lost of one element after the other.
struct Row {
  double place = 0, speed = 0;
  std::vector<double> x;
};

Row last_row(const host::System& system, const Formulation& formulation, const host::RunSettings& settings,
             double drift = 1e-9) {
  Row last;
  EachRow rows([&](double, const Observation& now) {
    last.place = now.bodies[0].pose.position.x;
    last.speed = now.bodies[0].velocity.x;
    last.x.assign(now.x.begin(), now.x.end());
  });
  const auto solver = solver_for(system, formulation);
  host::RowSink* sinks[] = {&rows};
  const host::RunRecord record = host::simulate(system, *solver, settings, sinks, {});
  INFO(record.failure);
  REQUIRE(record.end == host::End::done);
  CHECK(record.energy_drift < drift);
  return last;
}

/// In every formulation: place, speed, and efforts of the elements after a second, by events to 1e-9 and in time
/// stepping to `allowed`.
void check_end(const std::string& text, double place, double speed, const std::vector<double>& efforts,
               const std::vector<double>& losses, double allowed) {
  const auto system = system_from_text(text);
  host::RunSettings stepping = run_settings("moreau-jean");
  stepping.duration = 1;
  stepping.output_interval = 0.1;
  stepping.step = 1e-3;
  for (const Formulation* formulation : formulations_for(*system))
    for (const bool by_steps : {false, true}) {
      INFO(formulation->name() << (by_steps ? ", moreau-jean" : ", dop853"));
      const Row row = last_row(*system, *formulation, by_steps ? stepping : exact_run(1), by_steps ? allowed : 1e-9);
      const double margin = by_steps ? allowed : 1e-9;
      CHECK(row.place == Approx(place).margin(margin));
      CHECK(row.speed == Approx(speed).margin(margin));
      for (std::size_t i = 0; i < efforts.size(); ++i)
        CHECK(row.x[4 * i] == Approx(efforts[i]).margin(by_steps ? 1e-7 : 1e-9));
      for (std::size_t i = 0; !by_steps && i < losses.size(); ++i)
        CHECK(row.x[4 * i + 3] == Approx(losses[i]).margin(1e-9));
    }
}

constexpr const char* wheel = "  - {name: wheel, type: freewheel, joint: guide}\n";

}  // namespace

// The limit throws the mass back with e v, and the freewheel, which is locked that way, takes that at once: 1 − e²
// and e² of the energy. Nothing presses afterwards.
TEST_CASE("a mass that a freewheel holds stays at a limit, and neither presses the other") {
  check_end(mass_between(0, std::string(wheel) + "  - {name: end, type: joint-limit, joint: guide, upper: 0.4505}\n"),
            0.4505, 0, {0, 0}, {0, 1}, 1e-3);
  check_end(mass_between(0, std::string(wheel) +
                                "  - {name: end, type: joint-limit, joint: guide, upper: 0.4505, restitution: 0.5}\n"),
            0.4505, 0, {0, 0}, {0.25, 0.75}, 1e-3);
  check_end(mass_between(0, "  - {name: end, type: joint-limit, joint: guide, upper: 0.4505, restitution: 0.5}\n" +
                                std::string(wheel)),
            0.4505, 0, {0, 0}, {0.75, 0.25}, 1e-3);
}

TEST_CASE("a limit carries the whole load beside a freewheel that is not locked") {
  // v² = 1 + 2 · 3 · 0.2 at the limit.
  check_end(mass_between(3, std::string(wheel) +
                                "  - {name: end, type: joint-limit, joint: guide, upper: 0.2, restitution: 0.5}\n"),
            0.2, 0, {0, -6}, {0.25 * 2.2, 0.75 * 2.2}, 2e-3);
}

// The spring is compressed by v √(m/k) = 0.05 m when the mass stops, and the freewheel keeps it so.
TEST_CASE("a freewheel holds a mass against the spring of a compliant limit") {
  check_end(
      mass_between(
          0, std::string(wheel) +
                 "  - {name: end, type: joint-limit, joint: guide, upper: 0.1, law: compliant, stiffness: 800}\n"),
      0.15, 0, {}, {0}, 1e-3);
}

// v² = 1 − 2 a d before the limit with a = 1 m/s², and a quarter of that after it: the way back is as long, 0.1 m.
TEST_CASE("friction in a joint rubs on the way to a limit and back, and holds the mass in the end") {
  check_end(mass_between(0,
                         "  - {name: rub, type: dry-friction, joint: guide, effort: 2}\n"
                         "  - {name: end, type: joint-limit, joint: guide, upper: 0.1, restitution: 0.5}\n"),
            0, 0, {0, 0}, {0.4, 0.6}, 2e-3);
}

TEST_CASE("friction beside a freewheel brings a mass to rest, and what it does not hold the freewheel does") {
  // 1 − a t with a = 1 m/s² comes to rest after a second: a stronger brake after half of it, at 0.25 m.
  check_end(mass_between(0, std::string(wheel) + "  - {name: rub, type: dry-friction, joint: guide, effort: 4}\n"),
            0.25, 0, {0, 0}, {0, 1}, 1e-3);
  // Pulled back with 6 N the mass stops where 6 + 4 N bring it to rest; both hold it then, in a share that no law says.
  const auto system = system_from_text(
      mass_between(-3, std::string(wheel) + "  - {name: rub, type: dry-friction, joint: guide, effort: 4}\n"));
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Row row = last_row(*system, *formulation, exact_run(1));
    CHECK(row.place == Approx(0.1).margin(1e-9));
    CHECK(row.speed == Approx(0).margin(1e-12));
    CHECK(row.x[0] + row.x[4] == Approx(6).epsilon(1e-9));
    CHECK(row.x[0] >= 0);
    CHECK(std::abs(row.x[4]) <= 4 * (1 + 1e-9));
  }
}

TEST_CASE("of two limits the nearer one stops a mass, and two at one place share it") {
  check_end(mass_between(0,
                         "  - {name: far, type: joint-limit, joint: guide, upper: 0.3}\n"
                         "  - {name: near, type: joint-limit, joint: guide, upper: 0.2505, restitution: 0.5}\n"),
            0.2505 - 0.5 * (1 - 0.2505), -0.5, {0, 0}, {0, 0.75}, 2e-3);
  check_end(mass_between(0,
                         "  - {name: one, type: joint-limit, joint: guide, upper: 0.2505, restitution: 0.5}\n"
                         "  - {name: two, type: joint-limit, joint: guide, upper: 0.2505, restitution: 0.5}\n"),
            0.2505 - 0.5 * (1 - 0.2505), -0.5, {0, 0}, {}, 2e-3);
}

// The force begins to grow just behind the impact at 0.5 s, where time stepping has to end a step: it lasts from
// 1e-12 to 1e-9 s, and the impulse of the impact is a force of up to 4e12 N there. Speed −0.8 + 3 s²/2, s = t − 0.5.
TEST_CASE("an impact in a step that something cuts short is the impact of a long one") {
  for (const double behind : {1e-12, 1e-10, 1e-9}) {
    INFO(behind);
    check_end(
        mass_between(0, fmt::format("  - {{name: end, type: joint-limit, joint: guide, upper: 0.5, restitution: 0.8}}\n"
                                    "  - {{name: push, type: joint-force, joint: guide,\n"
                                    "     effort: {{table: [[{:.17g}, 0], [1, 3]]}}}}\n",
                                    0.5 + behind)),
        0.1 + 0.0625, -0.8 + 0.375, {0}, {0.36}, 1e-6);
  }
}
