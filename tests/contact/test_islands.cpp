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

double mass_of(std::size_t i) { return 1 + static_cast<double>(i); }
double speed_of(std::size_t i) { return 0.5 + 0.25 * static_cast<double>(i); }

/// Balls that slide on a plane side by side, without spin, each on a joint of its own.
std::string balls_on_plane(const std::string& joint =
                               "type: free, base: ground, moving: b{0}, initial: "
                               "{{velocity: [{1}, 0, 0, 0, 0, 0]}}") {
  std::string bodies, joints, forces;
  for (std::size_t i = 0; i < balls; ++i) {
    const double m = mass_of(i), J = 0.4 * m * radius * radius;
    bodies += fmt::format(
        "  - {{name: b{0}, mass: {1}, inertia: {{xx: {2:.17g}, yy: {2:.17g}, zz: {2:.17g}}}, position: [0, {0}, 0.1],\n"
        "     geometry: [{{type: sphere, radius: 0.1}}]}}\n",
        i, m, J);
    joints += fmt::format("  - {{name: j{}, {}}}\n", i, fmt::format(fmt::runtime(joint), i, speed_of(i)));
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

/// Calls see(y, set, response, ode) with the columns of all rows found. A force is as large as the mass of its ball.
template <class See>
void with_columns(const host::System& system, const Formulation& formulation, const See& see) {
  INFO(formulation.name());
  const auto solver = solver_for(system, formulation);
  host::SolverOde plain(*solver, system.view());
  CountedOde ode(plain);
  host::UnilateralSet set(system.view(), 0, system.initial_state(), *solver, host::UnilateralUse::events);
  host::UnilateralResponse response(system.view(), set, 0, system.initial_state(), *solver, ode);
  std::vector<double> y(ode.size());
  host::encode_start(0, *solver, system.initial_state(), std::span(y).first(solver->state_size()));
  set.evaluate(0, y);
  REQUIRE(set.points() == balls);
  REQUIRE(response.find_base(0, y, std::vector<double>(3 * balls)));
  for (std::size_t k = 0; k < balls; ++k)
    for (std::size_t i = 0; i < 3; ++i) {
      host::UnilateralResponse::Forces force{};
      force[i] = mass_of(k);
      response.add_column(k, force);
    }
  REQUIRE(response.find_columns(0, y));
  see(y, set, response, ode);
}

TEST_CASE("rows of bodies on joints that do not touch each other take one evaluation together") {
  const auto system = system_from_text(
      balls_on_plane("type: prismatic, base: ground, moving: b{0}, position: [0, {0}, 0.1], axis: [3, 0, 4]"));
  const Vec3 way{0.6, 0, 0.8};
  for (const Formulation* formulation : formulations_for(*system))
    with_columns(*system, *formulation, [&](const auto&, const auto& set, const auto& response, const auto& ode) {
      // Of held bodies the velocities of cartesian coordinates are those of no island.
      CHECK((ode.count == 1 + 3 || formulation->name() == "cartesian"));
      for (std::size_t c = 0; c < 3 * balls; ++c)
        for (std::size_t row = 0; row < 3 * balls; ++row) {
          const double expected = dot(way, set.wrench_of(c, 0).linear) * dot(way, set.wrench_of(row, 0).linear);
          CHECK(std::abs(response.rate(c, row) - (c / 3 == row / 3 ? expected : 0)) < 1e-12);
        }
    });
}

TEST_CASE("rows of free bodies take no evaluation, and what their forces do together takes one") {
  const auto system = system_from_text(balls_on_plane());
  for (const Formulation* formulation : formulations_for(*system))
    with_columns(*system, *formulation, [&](const auto& y, auto& set, auto& response, const auto& ode) {
      // Those of particles are rigid up to the errors of steps, and answer as they are.
      const std::size_t columns = formulation->name() == "particles" ? 3 : 0;
      CHECK(ode.count == 1 + columns);
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
      REQUIRE(response.find_integrals(shares, {&change, 1}));
      CHECK(change == Approx(power).epsilon(1e-12));
      CHECK(ode.count == 1 + columns + 1);
      // As impulses, however small, they change the rates of their rows alone.
      for (const double scale : {1.0, 1e-12}) {
        std::vector<double> small(shares), then(y), rates(3 * balls);
        for (double& share : small) share *= scale;
        REQUIRE(response.jump(small, then));
        set.rates_at(0, then, rates);
        for (std::size_t row = 0; row < 3 * balls; ++row)
          CHECK(rates[row] - set.rate(row) == Approx(row % 3 == 0 ? 0 : 1.75 * scale).margin(1e-15));
      }
    });
}
