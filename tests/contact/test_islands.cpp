// Bodies that touch the same ground and not each other: each moves as if it were alone, and together they take no more
// evaluations of the system than one of them.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "exact_run.hpp"
#include "framework/host/evaluation/solver_ode.hpp"
#include "framework/host/evaluation/state_encoding.hpp"
#include "framework/host/unilateral/unilateral_response.hpp"
#include "tests/events/elements.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

constexpr double earth = 9.81, friction = 0.3, radius = 0.1;
constexpr std::size_t balls = 6;

/// A box that falls on an edge and comes to rest on its bottom, by bounces in which its corners strike in turn; and, if
/// asked for, a ball far beside it that lies on the same plane.
enum class Beside { nothing, ball_last, ball_first };
std::string tilted_box(Beside beside) {
  const std::string body =
      "  - {name: s, mass: 1, inertia: {xx: 0.001, yy: 0.001, zz: 0.001}, position: [2, 0, 0.05],\n"
      "     geometry: [{type: sphere, radius: 0.05}]}\n";
  const std::string joint = "  - {name: js, type: free, base: ground, moving: s}\n";
  const std::string rests = "  - {name: z, type: contact, a: s, b: ground, law: rigid, restitution: 0.3}\n";
  const auto if_is = [](bool is, const std::string& text) { return is ? text : std::string(); };
  const bool any = beside != Beside::nothing;
  return "polyform: 1\nground: {geometry: [{type: plane}]}\nbodies:\n"
         "  - {name: b, mass: 1, inertia: {xx: 0.002, yy: 0.0025, zz: 0.003}, position: [0, 0, 0.15],\n"
         "     orientation: {axis: [0.3, 1, 0], angle: 0.25}, geometry: [{type: box, size: [0.1, 0.12, 0.08]}]}\n" +
         if_is(any, body) + "joints:\n  - {name: jb, type: free, base: ground, moving: b}\n" + if_is(any, joint) +
         "forces:\n" + if_is(beside == Beside::ball_first, rests) +
         "  - {name: c, type: contact, a: b, b: ground, law: rigid, restitution: 0.3, friction: {dynamic: 0.2}}\n" +
         if_is(beside == Beside::ball_last, rests);
}

double mass_of(std::size_t i) { return 1 + static_cast<double>(i); }
double speed_of(std::size_t i) { return 0.5 + 0.25 * static_cast<double>(i); }

/// Balls that slide on a plane side by side, without spin.
std::string balls_on_plane() {
  std::string bodies, joints, forces;
  for (std::size_t i = 0; i < balls; ++i) {
    const double m = mass_of(i), J = 0.4 * m * radius * radius;
    bodies += fmt::format(
        "  - {{name: b{0}, mass: {1}, inertia: {{xx: {2:.17g}, yy: {2:.17g}, zz: {2:.17g}}}, position: [0, {0}, 0.1],\n"
        "     geometry: [{{type: sphere, radius: 0.1}}]}}\n",
        i, m, J);
    joints += fmt::format(
        "  - {{name: j{0}, type: free, base: ground, moving: b{0}, initial: {{velocity: [{1}, 0, 0, 0, 0, 0]}}}}\n", i,
        speed_of(i));
    forces += fmt::format(
        "  - {{name: c{0}, type: contact, a: b{0}, b: ground, law: rigid, friction: {{dynamic: {1}}}}}\n", i, friction);
  }
  return "polyform: 1\ngravity: [0, 0, -9.81]\nground: {geometry: [{type: plane}]}\nbodies:\n" + bodies + "joints:\n" +
         joints + "forces:\n" + forces;
}

/// Counts how often the derivative is asked for.
class CountedOde final : public host::Ode {
 public:
  explicit CountedOde(host::Ode& ode) : ode_(ode) {}
  std::size_t size() const noexcept override { return ode_.size(); }
  std::size_t integrals() const noexcept override { return ode_.integrals(); }
  bool derivative(double t, std::span<const double> y, std::span<double> ydot) noexcept override {
    ++count;
    return ode_.derivative(t, y, ydot);
  }
  bool correct(double t, std::span<double> y) noexcept override { return ode_.correct(t, y); }

  std::size_t count = 0;

 private:
  host::Ode& ode_;
};

}  // namespace

TEST_CASE("balls side by side slide and roll as each does alone") {
  const auto system = system_from_text(balls_on_plane());
  const double t = 1;
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const Ended ended = run_to_end(*system, *formulation, exact_run(t));
    for (std::size_t i = 0; i < balls; ++i) {
      // It slides until its speed is five sevenths of that at the start.
      const double v = speed_of(i), rolls = 2 * v / (7 * friction * earth);
      const double x = v * rolls - 0.5 * friction * earth * rolls * rolls + 5 * v / 7 * (t - rolls);
      CHECK(ended.positions[i].x == Approx(x).epsilon(1e-9));
      CHECK(ended.velocities[i].x == Approx(5 * v / 7).epsilon(1e-9));
      CHECK(ended.angular_velocities[i].y == Approx(5 * v / 7 / radius).epsilon(1e-9));
      CHECK(std::abs(ended.positions[i].z - radius) < 1e-12);
    }
  }
}

TEST_CASE("rows of bodies that do not touch each other take one evaluation together") {
  const auto system = system_from_text(balls_on_plane());
  const SystemView& view = system->view();
  for (const Formulation* formulation : formulations_for(*system)) {
    INFO(formulation->name());
    const auto solver = solver_for(*system, *formulation);
    host::SolverOde plain(*solver, view);
    CountedOde ode(plain);
    host::UnilateralSet set(view, 0, system->initial_state(), *solver, host::UnilateralUse::events);
    host::UnilateralResponse response(view, set, 0, system->initial_state(), *solver, ode);
    std::vector<double> y(ode.size());
    host::encode_start(0, *solver, system->initial_state(), std::span(y).first(solver->state_size()));
    set.evaluate(0, y);
    REQUIRE(set.points() == balls);
    const std::vector<double> none(3 * balls);
    REQUIRE(response.find_base(0, y, none));
    for (std::size_t k = 0; k < balls; ++k)
      for (std::size_t i = 0; i < 3; ++i) {
        host::UnilateralResponse::Forces force{};
        force[i] = mass_of(k);
        response.add_column(k, force);
      }
    REQUIRE(response.find_columns(0, y));
    CHECK(ode.count == 1 + 3);
    // A force in the mass gives the normal 1 m/s², and a tangent 1 + m r²/J, which is 7/2 for a ball.
    for (std::size_t c = 0; c < 3 * balls; ++c)
      for (std::size_t row = 0; row < 3 * balls; ++row)
        CHECK(std::abs(response.rate(c, row) - (c != row ? 0 : row % 3 == 0 ? 1 : 3.5)) < 1e-12);
    // The power of forces along rows is force times rate: friction takes m v of each ball.
    std::vector<double> shares(3 * balls);
    double power = 0;
    for (std::size_t k = 0; k < balls; ++k)
      for (std::size_t i = 1; i < 3; ++i) {
        shares[3 * k + i] = 0.5;
        power += 0.5 * mass_of(k) * set.rate(3 * k + i);
      }
    double change = 0;
    REQUIRE(ode.integrals() == 1);
    REQUIRE(response.find_integrals(0, y, shares, {&change, 1}));
    CHECK(change == Approx(power).epsilon(1e-12));
  }
}

TEST_CASE("a box comes to rest as it does alone, whatever lies beside it and in whatever order") {
  host::RunSettings settings = run_settings("dop853");
  settings.duration = 0.5;
  const auto alone = system_from_text(tilted_box(Beside::nothing));
  const Ended first = run_to_end(*alone, *formulations_for(*alone).front(), settings);
  for (const Beside beside : {Beside::ball_last, Beside::ball_first}) {
    const auto system = system_from_text(tilted_box(beside));
    auto formulations = formulations_for(*system);
    if (beside == Beside::ball_first) formulations.resize(1);
    for (const Formulation* formulation : formulations) {
      INFO(formulation->name());
      const Ended ended = run_to_end(*system, *formulation, settings);
      CHECK(ended.record.warnings.empty());
      CHECK(2 * ended.record.events < 3 * first.record.events);
      CHECK(std::abs(ended.positions[0].z - 0.04) < 1e-9);
      CHECK(norm(ended.velocities[0]) < 1e-9);
      CHECK(norm(ended.angular_velocities[0]) < 1e-9);
      CHECK(norm(ended.positions[0] - first.positions[0]) < 1e-6);
    }
  }
}
