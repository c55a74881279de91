// Drift without a correction and what the corrections leave of it: Zhang et al. 2023, Figs. 12, 13, 16, 17, 20, 21.
#include <catch2/catch.hpp>

#include <numbers>
#include <stdexcept>

#include "tests/reduced/runs.hpp"

using namespace polyform;
using namespace polyform::test;
using Catch::Matchers::Contains;

namespace {

std::unique_ptr<host::System> shipped(const std::string& name) {
  return system_from_file(std::string(POLYFORM_MODELS) + "/" + name + ".yaml");
}

/// The four-link mechanism with rigid links.
std::string rigid_four_link() {
  return R"(
polyform: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: link1, position: [0, 0, 0], orientation: {axis: [0, 0, 1], angle: 1.0471975511965976}, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.001, yy: 0.083, zz: 0.083}}
  - {name: link2, position: [0.5, 0.8660254037844386, 0], mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.001, yy: 0.083, zz: 0.083}}
  - {name: link3, position: [2, 1.7320508075688772, 0], orientation: {axis: [0, 0, 1], angle: 4.1887902047863905}, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.001, yy: 0.083, zz: 0.083}}
joints:
  - {name: A, type: revolute, base: ground, moving: link1, position: [0, 0, 0], axis: [0, 0, 1]}
  - {name: B, type: revolute, base: link1, moving: link2, position: [0.5, 0.8660254037844386, 0], axis: [0, 0, 1]}
  - {name: D, type: revolute, base: ground, moving: link3, position: [2, 1.7320508075688772, 0], axis: [0, 0, 1]}
  - {name: C, type: revolute, base: link2, moving: link3, position: [1.5, 0.8660254037844386, 0], axis: [0, 0, 1], cut: true}
)";
}

const Options none{{"correction", "none"}}, semi_analytic{{"jacobian", "semi-analytic"}},
    differentiation{{"jacobian", "direct-differentiation"}}, inertia{{"metric", "inertia"}},
    baumgarte{{"correction", "baumgarte"}};

/// Without correction an error of the velocity stays and moves the positions: they drift at least in proportion to
/// time, and by more than `least` at the end.
void require_growing_drift(const host::System& system, const Pace& pace, double least) {
  const Course course = run(system, "reduced", none, pace);
  REQUIRE(course.failure.empty());
  const std::size_t end = course.violations.size() - 1;
  CHECK(course.violations[end] > least);
  CHECK(course.violations[end] > 1.8 * course.violations[end / 2]);
  CHECK(course.violations[end / 2] > 1.8 * course.violations[end / 4]);
}

void require_closed(const host::System& system, const Pace& pace) {
  for (const Options& options : {semi_analytic, differentiation}) {
    const Course course = run(system, "reduced", options, pace);
    REQUIRE(course.failure.empty());
    CHECK(course.position_violation < 1e-10);
    CHECK(course.velocity_violation < 1e-10);
  }
}

}  // namespace

TEST_CASE("loops drift apart without correction, the more the longer") {
  require_growing_drift(*shipped("four_link_flexible"), {3.2, 0.01, 0.1}, 1e-6);   // Fig. 12
  require_growing_drift(*shipped("many_loops_flexible"), {40, 0.002, 1}, 1e-9);    // Fig. 16
  require_growing_drift(*shipped("pins_and_slides_loop"), {8, 0.001, 0.1}, 1e-9);  // Fig. 20
  require_growing_drift(*system_from_text(rigid_four_link()), {40, 0.005, 1}, 1e-5);
}

TEST_CASE(
    "the four-link mechanism stays closed at the paper's 0.01 s, 100 s with a flexible link and 200 s with rigid ones") {
  require_closed(*shipped("four_link_flexible"), {100, 0.01, 0.25});
  require_closed(*system_from_text(rigid_four_link()), {200, 0.01, 0.25});
}

TEST_CASE(
    "the paper's four-link mechanism is a parallelogram that swings through its flat positions, at the paper's step") {
  // The loop closes with q3 = pi/3 at D only where D is at (1 m, 0); so A and D turn alike.
  const auto system = shipped("four_link_flexible");
  const SystemView& view = system->view();
  const auto q_of = [&](const Course& course, std::size_t row, std::string_view name) {
    for (const JointData& joint : view.joints)
      if (joint.name == name) return course.positions[row][joint.q_offset];
    throw std::logic_error("no such joint");
  };
  const Course course = run(*system, "reduced", semi_analytic, {5, 0.01, 0.5});
  const Course fine = run(*system, "reduced", semi_analytic, {5, 0.0005, 0.5});
  REQUIRE(course.failure.empty());
  double lowest = 0;
  for (std::size_t row = 0; row < course.positions.size(); ++row) {
    CHECK(q_of(course, row, "D") == Approx(q_of(course, row, "A")).margin(1e-12));
    CHECK(q_of(course, row, "A") == Approx(q_of(fine, row, "A")).margin(2e-3));
    lowest = std::min(lowest, q_of(course, row, "A"));
  }
  CHECK(lowest < -std::numbers::pi - std::numbers::pi / 3);  // past the flat positions at -60 and -240 degrees of A
}

TEST_CASE("the drift without correction is that of the integrator: of fourth order in the step") {
  const auto system = system_from_text(rigid_four_link());
  const double coarse = run(*system, "reduced", none, {2, 0.01, 2}).position_violation;
  const double fine = run(*system, "reduced", none, {2, 0.005, 2}).position_violation;
  CHECK(coarse / fine > 12);
  CHECK(coarse / fine < 40);
}

TEST_CASE("all corrections follow the same trajectory and conserve energy") {
  const auto system = system_from_text(rigid_four_link());
  const Pace pace{2, 0.001, 0.1};
  const Course reference = run(*system, "riccati", {}, pace);
  for (const Options& options : {none, semi_analytic, differentiation, inertia, baumgarte}) {
    const Course course = run(*system, "reduced", options, pace);
    INFO(options[0].first << " = " << options[0].second << " " << course.failure);
    CHECK(distance(course, reference) < 1e-6);
    CHECK(course.energy_change < 1e-6);
  }
  // Both Jacobians are the same numbers: so are the steps that they lead to.
  CHECK(distance(run(*system, "reduced", semi_analytic, pace), run(*system, "reduced", differentiation, pace)) < 1e-10);
}

TEST_CASE("Baumgarte's stabilization holds the drift where the accelerations alone let it grow") {
  const auto system = system_from_text(rigid_four_link());
  const Pace pace{20, 0.005, 0.1};
  const double held = run(*system, "reduced", baumgarte, pace).position_violation;
  CHECK(held < 1e-6);
  CHECK(held < 0.1 * run(*system, "reduced", none, pace).position_violation);
}

TEST_CASE("the correction keeps to its tolerance") {
  const auto system = system_from_text(rigid_four_link());
  CHECK(run(*system, "reduced", {{"tolerance", "1e-13"}}, {2, 0.005, 0.005}).position_violation <= 1e-13);
  const double loose = run(*system, "reduced", {{"tolerance", "1e-6"}}, {2, 0.005, 0.005}).position_violation;
  CHECK(loose <= 1e-6);
  CHECK(loose > 1e-9);
}

TEST_CASE("options that mean nothing beside the others are refused") {
  const auto system = system_from_text(rigid_four_link());
  for (const char* correction : {"none", "baumgarte"})
    for (const auto& [option, value] :
         Options{{"jacobian", "semi-analytic"}, {"metric", "inertia"}, {"tolerance", "1e-8"}})
      CHECK_THAT(refusal(*system, {{"correction", correction}, {option, value}}),
                 Contains("belong to `correction: direct`"));
  for (const char* option : {"alpha", "beta"}) {
    CHECK_THAT(refusal(*system, {{option, "5"}}), Contains("belong to `correction: baumgarte`"));
    CHECK_THAT(refusal(*system, {{"correction", "none"}, {option, "5"}}),
               Contains("belong to `correction: baumgarte`"));
    CHECK(refusal(*system, {{"correction", "baumgarte"}, {option, "5"}}).empty());
  }
  CHECK_THAT(refusal(*system, {{"metric", "inertia"}, {"jacobian", "semi-analytic"}}),
             Contains("has no use for `jacobian`"));
  CHECK(refusal(*system, {{"metric", "inertia"}, {"tolerance", "1e-8"}}).empty());
}

TEST_CASE("overconstrained mechanisms run with the default options as in riccati") {
  for (const char* model : {"bennett", "planar_3rrr", "ladder_40"}) {
    const auto system = shipped(model);
    const Pace pace{0.5, 0.001, 0.1};
    const Course course = run(*system, "reduced", {}, pace), reference = run(*system, "riccati", {}, pace);
    INFO(model << ": " << course.failure);
    CHECK(course.failure.empty());
    CHECK(course.position_violation < 1e-10);
    CHECK(distance(course, reference) < 1e-7);
  }
}

TEST_CASE("a step past a singular position that would invent a motion fails and names the joint") {
  const auto system = system_from_text(R"(
polyform: 1
gravity: [0, -9.81, 0]
bodies:
  - {name: l1, mass: 1, center_of_mass: [0, 0.5, 0], inertia: {xx: 0.0833, yy: 0.001, zz: 0.0833}}
  - {name: coupler, position: [0, 1, 0], type: flexible-beam, length: 1, linear_density: 1, bending_stiffness: 50, modes: 2, boundary: clamped-free}
  - {name: l3, position: [1, 0, 0], mass: 1, center_of_mass: [0, 0.5, 0], inertia: {xx: 0.0833, yy: 0.001, zz: 0.0833}}
joints:
  - {name: A, type: revolute, base: ground, moving: l1, position: [0, 0, 0], axis: [0, 0, 1], initial: {velocity: -1}}
  - {name: B, type: revolute, base: l1, moving: coupler, position: [0, 1, 0], axis: [0, 0, 1]}
  - {name: D, type: revolute, base: ground, moving: l3, position: [1, 0, 0], axis: [0, 0, 1], initial: {velocity: -1}}
  - {name: C, type: revolute, base: coupler, moving: l3, position: [1, 1, 0], axis: [0, 0, 1], cut: true}
)");
  for (const char* formulation : {"reduced", "riccati"}) {
    const Course course = run(*system, formulation, {}, {1, 0.0001, 0.01});
    INFO(formulation);
    CHECK_THAT(course.failure, Catch::Contains("joint `C`") && Catch::Contains("past a singular position"));
    CHECK(course.energy_change < 1e-9);
  }
}

TEST_CASE("the paper's examples start as shipped, as in riccati and in the reference") {
  const std::pair<const char*, double> models[] = {{"four_link_flexible", 0.05},  {"many_loops_flexible", 0.05},
                                                   {"pins_and_slides_loop", 0.1}, {"loop_of_rods_100", 0.01},
                                                   {"loop_of_rods_200", 0.005},   {"loop_of_rods_300", 0.004},
                                                   {"loop_of_rods_500", 0.002}};
  for (const auto& [model, duration] : models) {
    const auto system = shipped(model);
    const auto& settings = system->description().simulation;
    REQUIRE(settings.integrator == "rk4");
    // With stiff modes, formulations with other coordinates agree only at smaller steps than the shipped one.
    const double step = system->view().modes > 0 ? settings.step.value() / 16 : settings.step.value();
    const Pace pace{duration, step, duration};
    const Course course = run(*system, "reduced", {}, pace);
    for (const char* other : {"riccati", "cartesian"}) {
      const Course reference = run(*system, other, {}, pace);
      INFO(model << " in " << other << ": " << course.failure << reference.failure);
      CHECK(reference.failure.empty());
      CHECK(distance(course, reference) < 1e-6);
    }
    CHECK(course.failure.empty());
    CHECK(course.position_violation < 1e-10);
  }
}
