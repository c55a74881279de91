// The generalized-α method on mechanical systems, against what its papers prove: order 2 in positions and multipliers,
// the energy of vibrations that steps do not resolve, and no drift from closed loops.
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "framework/host/simulation/integrator_selection.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "newton_check.hpp"
#include "plugins/integrators/implicit/implicit_types.hpp"
#include "tests/support/integrators.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A mass of 1 kg on a spring of 1e6 N/m: 1000 rad/s, drawn by 0.1 m.
constexpr const char* oscillator = R"(polyform: 1
name: oscillator
gravity: [0, 0, 0]
bodies:
  - {name: mass, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: slide, type: prismatic, base: ground, moving: mass, position: [0, 0, 0], axis: [1, 0, 0],
     initial: {position: 0.1}}
forces:
  - {name: spring, type: joint-spring-damper, joint: slide, stiffness: 1.0e+6}
)";

std::string shipped(const char* name) {
  std::ifstream file(fmt::format(POLYFORM_MODELS "/{}.yaml", name));
  REQUIRE(file);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

host::IntegratorChoice alpha(double rho, bool fixed = true) {
  host::Diagnostics diagnostics;
  auto choice = host::with_options(implicit::generalized_alpha(),
                                   {{"rho_infinity", fmt::format("{}", rho)}, {"fixed_step", fixed ? "true" : "false"}},
                                   diagnostics);
  REQUIRE(!diagnostics.failed());
  return choice;
}

/// Keeps the energies of all rows, and position and reactions at the last one.
class Rows final : public host::RowSink {
 public:
  void row(double, const Observation& now) override {
    energies.push_back(now.kinetic_energy + now.potential_energy);
    position = now.bodies.back().pose.position;
    turn = now.bodies.back().pose.orientation;
    reaction = now.reactions.back();
  }
  std::vector<double> energies;
  Vec3 position;
  Quat turn;
  Spatial reaction;
};

struct Settings {
  host::IntegratorChoice integrator;
  double duration, step, tolerance = 1e-12;
  std::string_view formulation = "riccati";
  double every = 0;
};

host::RunRecord run(const std::string& text, const Settings& how, Rows& rows) {
  const auto system = system_from_text(text);
  for (const Formulation* f : formulations_for(*system)) {
    if (f->name() != how.formulation) continue;
    const auto solver = solver_for(*system, *f);
    host::RunSettings settings;
    settings.integrator = how.integrator;
    settings.duration = how.duration;
    settings.output_interval = how.every > 0 ? how.every : how.duration;
    settings.step = how.step;
    settings.relative_tolerance = how.tolerance;
    settings.absolute_tolerance = how.tolerance;
    host::RowSink* const sinks[] = {&rows};
    const host::RunRecord record = host::simulate(*system, *solver, settings, sinks, {});
    INFO(record.failure);
    REQUIRE(record.end == host::End::done);
    return record;
  }
  FAIL("the solver is not there");
  return {};
}

}  // namespace

TEST_CASE("generalized-alpha is of order 2 in positions and multipliers of a loop") {
  const double rho = GENERATE(0.0, 0.5, 1.0);
  const char* const formulation = GENERATE("riccati", "cartesian");
  CAPTURE(rho, formulation);
  const std::string text = shipped("slider_crank");
  constexpr double duration = 0.4;
  Rows exact;
  run(text, {integrator("dop853"), duration, 1e-3, 1e-12, formulation}, exact);
  double position[2], multiplier[2];
  for (const int k : {0, 1}) {
    Rows rows;
    run(text, {alpha(rho), duration, k == 0 ? 2e-3 : 1e-3, 1e-12, formulation}, rows);
    position[k] = norm(rows.position - exact.position);
    multiplier[k] = norm(rows.reaction.linear - exact.reaction.linear);
  }
  CHECK(position[1] < 1e-4);
  CHECK(std::log2(position[0] / position[1]) == Approx(2).margin(0.15));
  CHECK(std::log2(multiplier[0] / multiplier[1]) == Approx(2).margin(0.15));
}

TEST_CASE("generalized-alpha is of order 2 in turns of free bodies") {
  const std::string text = shipped("heavy_top");
  Rows exact, coarse, fine;
  run(text, {integrator("dop853"), 0.2, 1e-3}, exact);
  run(text, {alpha(0.8), 0.2, 2e-4}, coarse);
  run(text, {alpha(0.8), 0.2, 1e-4}, fine);
  const auto error = [&](const Rows& rows) {
    return std::hypot(rows.turn.w - exact.turn.w, rows.turn.x - exact.turn.x, rows.turn.y - exact.turn.y);
  };
  CHECK(std::log2(error(coarse) / error(fine)) == Approx(2).margin(0.15));
}

TEST_CASE("generalized-alpha keeps or damps the energy of what its steps do not resolve, as rho_infinity says") {
  // ω h = 1000: the limit of high frequencies within a millionth.
  constexpr double step = 1;
  const auto energies = [&](double rho, int steps) {
    Rows rows;
    run(oscillator, {alpha(rho), steps * step, step, 1e-10, "riccati", step}, rows);
    return rows.energies;
  };
  const std::vector<double> kept = energies(1, 400);
  for (const double energy : kept) CHECK(energy == Approx(5000).epsilon(1e-9));
  // Each step leaves a part of ρ∞ of the amplitude, once it grows like a double root does: n ρⁿ.
  const std::vector<double> half = energies(0.5, 40);
  CHECK(std::sqrt(half[40] / half[39]) == Approx(0.5).epsilon(0.1));
  const std::vector<double> gone = energies(0, 6);
  CHECK(gone[6] < 1e-6 * gone[0]);
}

TEST_CASE("generalized-alpha keeps the energy of a resolved vibration with rho_infinity = 1, and loses some with 0") {
  Rows kept, damped;
  run(oscillator, {alpha(1), 2, 1e-4, 1e-12, "riccati", 0.01}, kept);
  for (const double energy : kept.energies) CHECK(energy == Approx(5000).epsilon(1e-7));
  run(oscillator, {alpha(0), 2, 1e-4, 1e-12, "riccati", 0.01}, damped);
  // Damping of the method to the third order of ω h: 1/2 (ω h)³ per step of the amplitude where ρ∞ = 0.
  const double lost = 1 - damped.energies.back() / damped.energies.front();
  CHECK(lost > 0.1);
  CHECK(lost < 1);
}

TEST_CASE("generalized-alpha keeps the four-link loop closed for 200 s") {
  const char* const formulation = GENERATE("riccati", "reduced");
  CAPTURE(formulation);
  Rows rows;
  const host::RunRecord record =
      run(shipped("four_bar_rhombus"), {alpha(0.8), 200, 1e-2, 1e-9, formulation, 0.1}, rows);
  CHECK(record.constraint_violation < 1e-10);
}

TEST_CASE("generalized-alpha with a step of its own choice follows the tolerance on the stiff rod") {
  Rows exact, rough, fine;
  const std::string text = shipped("stiff_rod");
  run(text, {integrator("radau5"), 0.5, 1e-3, 1e-9}, exact);
  const host::RunRecord few = run(text, {alpha(0.8, false), 0.5, 1e-3, 1e-5}, rough);
  run(text, {alpha(0.8, false), 0.5, 1e-3, 1e-7}, fine);
  CHECK(norm(rough.position - exact.position) < 3e-3);
  CHECK(norm(fine.position - exact.position) < 1e-4);
  // Stability would hold an explicit method at some 15 000 evaluations.
  CHECK(few.evaluations < 6000);
}

// Velocities that do not change leave no error of their own: that of the positions is all. A turn by ω t about one
// axis has the quaternion (cos(ω t/2), sin(ω t/2) e).
TEST_CASE("a steady turn of a ball joint keeps its tolerance with every adaptive integrator") {
  const std::string text =
      "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n  - {name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\njoints:\n"
      "  - {name: j, type: spherical, base: ground, moving: b, position: [0, 0, 0], initial: {velocity: [0, 5, 0]}}\n";
  for (const IntegratorType* const type : integrator_types()) {
    if (type->fixed_step()) continue;
    INFO(type->name());
    Rows rows;
    run(text, {integrator(type->name()), 4, 1e-3, 1e-6}, rows);
    CHECK(std::abs(std::abs(rows.turn.w) - std::abs(std::cos(10.0))) < 1e-4);
    CHECK(std::abs(std::abs(rows.turn.y) - std::abs(std::sin(10.0))) < 1e-4);
  }
}

// The mass of 1e-4 kg creeps on its damper c: the steps follow the other one, at 10 rad/s, whatever c is. An estimate
// that takes what Newton's iteration leaves for an error needs steps that shrink with 1/c.
TEST_CASE("steps of generalized-alpha do not shrink as the damping of a stiff system grows") {
  const auto model = [](double c) {
    return fmt::format(
        "polyform: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
        "  - {{name: a, mass: 1.0e-4, inertia: {{xx: 1, yy: 1, zz: 1}}}}\n"
        "  - {{name: b, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}\n"
        "joints:\n  - {{name: s, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [0, 0, 1]}}\n"
        "  - {{name: r, type: prismatic, base: a, moving: b, position: [0, 0, 0], axis: [0, 0, 1],\n"
        "     initial: {{position: 0.1}}}}\nforces:\n"
        "  - {{name: h, type: joint-spring-damper, joint: s, stiffness: 1.0e+6, damping: {}}}\n"
        "  - {{name: f, type: joint-spring-damper, joint: r, stiffness: 100, damping: 1}}\n",
        c);
  };
  for (const double c : {1e2, 1e4, 1e6, 1e8}) {
    CAPTURE(c);
    Rows exact, rows;
    run(model(c), {integrator("radau5"), 2, 1e-3, 1e-9}, exact);
    const host::RunRecord record = run(model(c), {alpha(0.8, false), 2, 1e-3, 1e-5}, rows);
    CHECK(record.evaluations < 4000);
    CHECK(norm(rows.position - exact.position) < 1e-3);
  }
}

// The law jumps where the iteration stalls, and the spring is soft.
TEST_CASE("an implicit integrator that stalls names the element that it does not follow") {
  const std::string text =
      "polyform: 1\ngravity: [0, 0, 0]\nbodies:\n  - {name: a, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\n"
      "  - {name: b, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\njoints:\n"
      "  - {name: s, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [1, 0, 0],\n"
      "     initial: {velocity: 1}}\n"
      "  - {name: r, type: prismatic, base: a, moving: b, position: [0, 0, 0], axis: [1, 0, 0]}\nforces:\n"
      "  - {name: chatter, type: joint-force, joint: s, effort: {expression: \"-1000*sign(v(s))\"}}\n"
      "  - {name: soft, type: joint-spring-damper, joint: r, stiffness: 10, damping: 1}\n";
  const auto system = system_from_text(text);
  const int which = GENERATE(0, 1, 2);
  for (const Formulation* f : formulations_for(*system)) {
    if (which > 0 && f->name() != "riccati" && f->name() != "cartesian") continue;
    const auto solver = solver_for(*system, *f);
    host::RunSettings settings;
    settings.integrator = which == 0 ? alpha(0.8) : which == 1 ? alpha(0.8, false) : integrator("cvode-bdf");
    settings.duration = 1;
    settings.output_interval = 0.1;
    settings.step = which == 0 ? 0.01 : 1e-3;
    const host::RunRecord record = host::simulate(*system, *solver, settings, {}, {});
    CAPTURE(f->name(), which, record.failure);
    CHECK(record.end != host::End::done);
    CHECK(record.failure.find("`chatter`") != std::string::npos);
    if (which == 0) CHECK(record.failure.find("a softer law there") != std::string::npos);
  }
}

// 2 q̈ = -1e4 q - 1e6 q̇: after 2e-6 s the speed is -1e-2 q, and q = 0.2 exp(-1e-2 t) from then on.
TEST_CASE("a transient at the start that generalized-alpha passes over is no motion that explodes") {
  const auto system = system_from_text(R"yaml(polyform: 1
gravity: [0, 0, 0]
bodies: [{name: a, mass: 2, inertia: {xx: 1e-3, yy: 1e-3, zz: 1e-3}}]
joints: [{name: j, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [1, 0, 0],
  initial: {position: 0.2}}]
forces: [{name: u, type: joint-force, joint: j, effort: {expression: "-1e4*q(j)-1e6*v(j)"}}]
)yaml");
  const auto solver = solver_for(*system, *formulations_for(*system).front());
  host::RunSettings settings = run_settings();
  settings.duration = 200;
  settings.output_interval = 2;
  settings.relative_tolerance = 1e-7;
  settings.absolute_tolerance = 1e-9;
  for (const double rho : {0.0, 0.8, 1.0}) {
    settings.integrator = alpha(rho, false);
    const host::RunRecord record = host::simulate(*system, *solver, settings, {}, {});
    INFO(rho);
    REQUIRE(record.end == host::End::done);
    for (const std::string& warning : record.warnings) {
      INFO(warning);
      CHECK(warning.find("explodes") == std::string::npos);
      CHECK(warning.find("not those of the model") == std::string::npos);
      CHECK(warning.find("chooses its steps") == std::string::npos);
    }
  }
}

// The steps that damp a vibration of the model give another motion than the model's.
TEST_CASE("a vibration that generalized-alpha damps is no transient that dies away") {
  const auto system = system_from_text(R"yaml(polyform: 1
gravity: [0, 0, 0]
bodies: [{name: a, mass: 1, inertia: {xx: 1e-3, yy: 1e-3, zz: 1e-3}}]
joints: [{name: j, type: prismatic, base: ground, moving: a, position: [0, 0, 0], axis: [1, 0, 0],
  initial: {position: 1e-6}}]
forces: [{name: u, type: joint-force, joint: j, effort: {expression: "-1e6*q(j)-1e-3*v(j)"}}]
)yaml");
  const auto solver = solver_for(*system, *formulations_for(*system).front());
  host::RunSettings settings = run_settings();
  settings.integrator = alpha(0, false);
  settings.duration = 10;
  settings.output_interval = 1;
  settings.relative_tolerance = settings.absolute_tolerance = 1e-3;
  const host::RunRecord record = host::simulate(*system, *solver, settings, {}, {});
  for (const std::string& warning : record.warnings) {
    INFO(warning);
    CHECK(warning.find("dies away at once") == std::string::npos);
  }
}
