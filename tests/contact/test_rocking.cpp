// Blocks that rock from edge to edge, against Housner's closed form, and dominoes.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "tests/events/elements.hpp"
#include "tests/support/integrators.hpp"
#include "tests/support/row_by_row.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double g = 9.81, mass = 2;

/// A block of half width b and half height h on a level ground, let go with a tilt about one of its lower edges. With
/// the angle α of its diagonal and p² = 3g/(4R) it follows θ'' = −p² sin(α − θ), and each impact leaves it the part
/// r = 1 − 3/2 sin²α of its rate (Housner 1963, "The behavior of inverted pendulum structures during earthquakes").
struct RockingBlock {
  double b, h, tilt;
  double R = std::hypot(b, h), alpha = std::atan2(b, h), p2 = 0.75 * g / R;
  double r = 1 - 1.5 * std::sin(alpha) * std::sin(alpha);

  /// What a tilt has of potential energy, over m R² · 4/3.
  double potential(double angle) const { return 2 * p2 * std::sin(alpha - 0.5 * angle) * std::sin(0.5 * angle); }
  double energy(double angle) const { return 4.0 / 3 * mass * R * R * potential(angle); }
  /// From a tilt at rest to the impact: by Simpson's rule over s, with θ = tilt · (1 − s²).
  double fall(double from) const {
    constexpr int parts = 200;
    double sum = 0;
    for (int i = 0; i <= parts; ++i) {
      const double s = static_cast<double>(i) / parts, down = from * s * s;
      const double sine = s > 0 ? std::sin(0.5 * down) / (s * s) : 0.5 * from;
      const double rate = std::sqrt(4 * p2 * std::sin(alpha - from + 0.5 * down) * sine);
      sum += (i == 0 || i == parts ? 1 : i % 2 == 1 ? 4 : 2) * 2 * from / rate;
    }
    return sum / (3 * parts);
  }
  /// The tilt that has a potential energy.
  double tilt_of(double wanted) const {
    double angle = 0;
    for (int i = 0; i < 200; ++i) angle = 2 * std::asin(wanted / (2 * p2 * std::sin(alpha - 0.5 * angle)));
    return angle;
  }
  /// The times of impacts, until the next would last a billionth of the first.
  std::vector<double> impacts() const {
    double angle = tilt;
    const double first = fall(tilt);
    std::vector<double> times{first};
    for (double flight = first; flight > 1e-9 * first; times.push_back(times.back() + flight)) {
      angle = tilt_of(r * r * potential(angle));
      flight = 2 * fall(angle);
    }
    return times;
  }
  std::string model() const {
    const double x = -b * std::cos(tilt) + h * std::sin(tilt), z = b * std::sin(tilt) + h * std::cos(tilt);
    constexpr double half_depth = 0.05;
    const auto moment = [](double one, double other) { return mass * (one * one + other * other) / 3; };
    return fmt::format(
        "polyform: 1\ngravity: [0, 0, {}]\nground: {{geometry: [{{type: plane}}]}}\nbodies:\n"
        "  - {{name: block, mass: {}, inertia: {{xx: {:.17g}, yy: {:.17g}, zz: {:.17g}}},\n"
        "     position: [{:.17g}, 0, {:.17g}], orientation: {{axis: [0, 1, 0], angle: {:.17g}}},\n"
        "     geometry: [{{type: box, size: [{}, {}, {}]}}]}}\n"
        "joints: [{{name: j, type: free, base: ground, moving: block}}]\n"
        "forces: [{{name: c, type: contact, a: block, b: ground, law: rigid, restitution: 0, friction: {{dynamic: "
        "0.8}}}}]\n",
        -g, mass, moment(half_depth, h), moment(b, h), moment(b, half_depth), x, z, tilt, 2 * b, 2 * half_depth, 2 * h);
  }
};

constexpr std::size_t lost_of_contact = 10;

}  // namespace

TEST_CASE("a block rocks to its rest as in Housner's closed form, from large tilts and from small ones") {
  for (const RockingBlock& block : {RockingBlock{0.025, 0.1, 0.08}, RockingBlock{0.05, 0.06, 0.1},
                                    RockingBlock{0.025, 0.1, 1e-4}, RockingBlock{0.05, 0.06, 1e-4}}) {
    const auto system = system_from_text(block.model());
    const std::vector<double> impacts = block.impacts();
    const double end = impacts.back(), whole = block.energy(block.tilt);
    for (const Formulation* formulation : formulations_for(*system)) {
      INFO(formulation->name() << ", half width " << block.b << ", tilt " << block.tilt);
      double worst = 0, kinetic = 0, lost = 0;
      EachRow rows([&](double t, const Observation& now) {
        kinetic = now.kinetic_energy;
        lost = now.x[lost_of_contact];
        const double height = now.bodies[0].pose.position.z - block.h;
        const auto next = std::ranges::upper_bound(impacts, t);
        const double since = static_cast<double>(next - impacts.begin());
        // Near an impact, or at the end of the series, a moment decides.
        const double moment = 1e-4 * end;
        if (std::ranges::any_of(impacts, [&](double impact) { return std::abs(impact - t) < moment; })) return;
        const double left = t > end ? 0 : whole * std::pow(block.r, 2 * since);
        worst = std::max(worst, std::abs(kinetic + mass * g * height - left) / whole);
      });
      host::RowSink* sinks[] = {&rows};
      host::RunSettings s = run_settings("dopri5");
      s.duration = 1.2 * end;
      s.output_interval = end / 200;
      s.relative_tolerance = 1e-9;
      s.absolute_tolerance = 1e-12;
      const host::RunRecord record = host::simulate(*system, *solver_for(*system, *formulation), s, sinks, {});
      INFO(record.failure);
      REQUIRE(record.end == host::End::done);
      CHECK(record.warnings.empty());
      CHECK(worst < 1e-5);
      CHECK(kinetic < 1e-20 + 1e-12 * whole);
      CHECK(lost == Approx(whole).epsilon(1e-6));
      // What is left below the rounding of places takes half of the impacts or less.
      CHECK(record.events < 2 * impacts.size() + 10);
      CHECK(
          std::ranges::any_of(record.notes, [](const std::string& note) { return note.find("too low") != note.npos; }));
    }
  }
}

// The second domino lies with an edge on the first one. Where all rests, gaps and speeds are rounding, and steps are
// long.
TEST_CASE("a domino that falls on another comes to rest, and rounding of its rest bounds no steps") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, 0, -9.81]
ground: {geometry: [{type: plane}]}
bodies:
  - {name: d0, mass: 0.4, inertia: {xx: 1.66666666667e-3, yy: 1.34666666667e-3, zz: 3.46666666667e-4},
     position: [0, 0, 0.1], velocity: [0.2, 0, 0.02], angular_velocity: [0, 2, 0],
     geometry: [{type: box, size: [0.02, 0.1, 0.2]}]}
  - {name: d1, mass: 0.4, inertia: {xx: 1.66666666667e-3, yy: 1.34666666667e-3, zz: 3.46666666667e-4},
     position: [0.05, 0, 0.1], geometry: [{type: box, size: [0.02, 0.1, 0.2]}]}
joints:
  - {name: j0, type: free, base: ground, moving: d0}
  - {name: j1, type: free, base: ground, moving: d1}
contacts: {all: true, law: rigid, restitution: 0, friction: {dynamic: 0.5}}
)");
  const Formulation& formulation = *formulations_for(*system).front();
  host::RunSettings s = run_settings("dopri5");
  s.duration = 0.8;
  const Ended ended = run_to_end(*system, formulation, s);
  CHECK(ended.record.end == host::End::done);
  CHECK(ended.record.warnings.empty());
  CHECK(norm(ended.velocities[0]) + norm(ended.velocities[1]) < 1e-9);
  CHECK(ended.record.steps < 1000);
}
