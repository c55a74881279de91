// Other engines as formulations: their accelerations and reactions are those of the formulations.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "framework/host/evaluation/observation_store.hpp"
#include "polyform/mechanics/observation.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

const auto& witnesses() {
  static const host::Registry loaded(std::vector<std::string>{POLYFORM_WITNESSES});
  return loaded.catalog().formulations;
}

const Formulation& witness(const std::string& name) {
  const Formulation* found = host::find(witnesses(), name);
  REQUIRE(found);
  return *found;
}

/// Those of the engines that were found when this was built.
std::vector<std::string> found(std::initializer_list<const char*> engines) {
  std::vector<std::string> names;
  for (const char* engine : engines)
    if (host::find(witnesses(), engine)) names.emplace_back(engine);
  return names;
}

bool has_code(const host::System& system) {
  for (const JointData& joint : system.view().joints)
    if (joint.kernel != nullptr) return true;
  return false;
}

/// Whether an engine can have the system: it wants mass and inertia of everything.
bool carries(const std::string& name, const host::System& system) {
  host::Diagnostics unheard;
  for (const BodyData& body : system.view().bodies)
    if (!(body.mass > 0) || !(std::min({body.inertia.xx, body.inertia.yy, body.inertia.zz}) > 0)) return false;
  return check_abilities(system.view(), name, witness(name).abilities(), unheard) &&
         witness(name).supports(system.view(), unheard);
}

/// Rotors, a motor and a row on accelerations for a random tree. The rotors outweigh what they turn, or do not.
std::string with_elements(const std::string& model, std::uint64_t seed) {
  static const std::regex joint("name: (j[0-9]+), type: (?:revolute|prismatic)");
  std::string modules, rows;
  int count = 0;
  for (std::sregex_iterator found(model.begin(), model.end(), joint), end; found != end; ++found, ++count) {
    const std::string name = (*found)[1];
    const double number = static_cast<double>((static_cast<int>(seed) + count) % 5);
    if (count % 3 == 2)
      modules += fmt::format(
          "  - {{name: m{0}, type: dc-motor, joint: {0}, voltage: 3, resistance: 2, inductance: 0.1, torque_constant: "
          "0.4, gear_ratio: {1}, rotor_inertia: {2}, friction: 0.01}}\n",
          name, 3.5 - number, count == 2 ? 0.0 : 0.01);
    else
      modules += fmt::format("  - {{name: r{0}, type: rotor, joint: {0}, ratio: {1}, inertia: {2}, friction: 0.02}}\n",
                             name, 12 * number - 20.5, 1e-4 * std::pow(30, number));
    rows += fmt::format(" {:+}*a({})", 0.3 + number, name);
  }
  if (count == 0) return {};
  return fmt::format(
      "{}modules:\n{}constraints:\n  - {{name: row, type: formula-constraint, acceleration: {{expression: \"2{}\"}}}}\n",
      model, modules, rows);
}

double size_of(const Spatial& one) { return std::max(norm(one.linear), norm(one.angular)); }

/// Accelerations as parts of the largest; reactions of trees, which are unique, as parts of the largest too. Where all
/// is nearly at rest, a thousandth of gravity and of the weight takes their place.
void agree(const host::System& system, const std::string& name, double tolerance) {
  INFO(name << ", " << system.view().name);
  const Formulation* riccati = host::find(registry().catalog().formulations, "riccati");
  REQUIRE(riccati);
  const auto one = solver_for(system, *riccati), other = solver_for(system, witness(name));
  host::ObservationStore a(system.view()), b(system.view());
  REQUIRE(one->observe(0, initial_vector(system, *one), a.now()) == Status::ok);
  const Status status = other->observe(0, initial_vector(system, *other), b.now());
  INFO(other->failure());
  REQUIRE(status == Status::ok);
  const double gravity = 1e-3 * norm(system.view().gravity);
  double size = gravity, largest = 0;
  for (const BodyData& body : system.view().bodies) largest += body.mass * gravity;
  for (const double acceleration : a.now().acceleration) size = std::max(size, std::abs(acceleration));
  for (const Spatial& reaction : a.now().reactions) largest = std::max(largest, size_of(reaction));
  for (std::size_t k = 0; k < a.now().acceleration.size(); ++k) {
    INFO("velocity coordinate " << k);
    CHECK(std::abs(a.now().acceleration[k] - b.now().acceleration[k]) <= tolerance * size);
  }
  const auto same = [&](std::span<const double> of_one, std::span<const double> of_other, const char* what) {
    double most = 0;
    for (const double x : of_one) most = std::max(most, std::abs(x));
    for (std::size_t k = 0; k < of_one.size(); ++k) {
      INFO(what << " " << k);
      CHECK(std::abs(of_one[k] - of_other[k]) <= tolerance * most);
    }
  };
  same(a.now().state_rates, b.now().state_rates, "rate of state");
  same(a.now().module_multipliers, b.now().module_multipliers, "multiplier of modules");
  CHECK(a.now().kinetic_energy == Approx(b.now().kinetic_energy).epsilon(1e-12));
  CHECK(a.now().power == Approx(b.now().power).epsilon(1e-9).margin(1e-9));
  if (!system.view().cut_joints().empty()) return;
  for (std::size_t k = 0; k < a.now().reactions.size(); ++k) {
    INFO("joint " << system.view().joints[k].name);
    CHECK(size_of(a.now().reactions[k] - b.now().reactions[k]) <= tolerance * largest);
  }
}

std::string rods(int count) {
  std::string bodies, joints;
  for (int i = 0; i < count; ++i) {
    bodies += fmt::format(
        "  - {{name: r{}, position: [{}, 0, 0], mass: 1, center_of_mass: [0.5, 0, 0], "
        "inertia: {{xx: 0.01, yy: 0.08, zz: 0.08}}}}\n",
        i, i);
    joints += fmt::format(
        "  - {{name: j{}, type: revolute, base: {}, moving: r{}, position: [{}, 0, 0], axis: [0, 1, 0], "
        "initial: {{velocity: {}}}}}\n",
        i, i == 0 ? "ground" : fmt::format("r{}", i - 1), i, i, i % 3 - 1);
  }
  return "polyform: 1\nbodies:\n" + bodies + "joints:\n" + joints;
}

}  // namespace

TEST_CASE("engines give the accelerations and reactions of random trees") {
  const std::vector<std::string> engines = found({"bullet", "dart", "mujoco", "simbody"});
  REQUIRE_FALSE(engines.empty());
  std::map<std::string, int> carried;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    INFO("seed " << seed);
    const auto system = system_from_text(random_model({.seed = seed, .bodies = 8}));
    if (has_code(*system)) continue;
    for (const std::string& name : engines) {
      host::Diagnostics unheard;
      if (!witness(name).supports(system->view(), unheard)) continue;
      agree(*system, name, 1e-11);
      ++carried[name];
    }
  }
  for (const std::string& name : engines) {
    INFO(name);
    CHECK(carried[name] >= 10);
  }
}

TEST_CASE("Simbody gives the accelerations of loops that joints of every kind close") {
  if (found({"simbody"}).empty()) return;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    const auto system = system_from_text(random_model({.seed = seed, .bodies = 8, .loops = 2}));
    if (!has_code(*system)) agree(*system, "simbody", 1e-9);
  }
  for (const char* model : {"andrews", "bennett", "planar_3rrr", "vehicle", "slider_crank", "cardan_shaft"})
    agree(*system_from_file(fmt::format("{}/{}.yaml", POLYFORM_MODELS, model)), "simbody", 1e-11);
}

// The press and the clock are of one shape, and their forces are in one proportion to their inertias, so they
// accelerate alike. The engine's rank rule compares the loops of both, and drops the heavy one.
TEST_CASE("Simbody leaves a heavy loop open beside a light one") {
  if (found({"simbody"}).empty()) return;
  const auto system = system_from_file(POLYFORM_MODELS "/press_and_clock.yaml");
  const auto observed = [&](const Formulation& formulation, host::ObservationStore& store) {
    const auto solver = solver_for(*system, formulation);
    REQUIRE(solver->observe(0, initial_vector(*system, *solver), store.now()) == Status::ok);
  };
  const auto of_joint = [&](const host::ObservationStore& store, std::string_view name) {
    for (const JointData& joint : system->view().joints)
      if (joint.name == name) return const_cast<host::ObservationStore&>(store).now().acceleration[joint.v_offset];
    FAIL("no joint " << name);
    return 0.0;
  };
  const double alike = 0.382025331572895;
  for (const auto& [name, formulation] : registry().catalog().formulations) {
    INFO(name);
    host::ObservationStore store(system->view());
    observed(*formulation, store);
    CHECK(of_joint(store, "press_pivot") == Approx(alike).epsilon(1e-11));
    CHECK(of_joint(store, "clock_pivot") == Approx(alike).epsilon(1e-11));
  }
  host::ObservationStore engine(system->view());
  observed(witness("simbody"), engine);
  CHECK(of_joint(engine, "clock_pivot") == Approx(alike).epsilon(1e-9));
  CHECK(std::abs(of_joint(engine, "press_pivot") - alike) > 0.1 * alike);
}

TEST_CASE("engines carry long chains, MuJoCo those that are deeper than what it takes in one file") {
  for (const std::string& name : found({"bullet", "dart", "mujoco", "simbody"}))
    agree(*system_from_text(rods(60)), name, 1e-9);
}

TEST_CASE("engines answer to rotors, motors and rows on accelerations of random trees as the formulations do") {
  for (const std::string& name : found({"bullet", "dart", "mujoco", "simbody"})) {
    int carried = 0;
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
      INFO("seed " << seed);
      const std::string text = with_elements(random_model({.seed = seed, .bodies = 6}), seed);
      if (text.empty()) continue;
      const auto system = system_from_text(text);
      if (has_code(*system) || !carries(name, *system)) continue;
      agree(*system, name, 1e-10);
      ++carried;
    }
    CHECK(carried >= 8);
  }
}

TEST_CASE("Simbody answers to rotors in closed loops") {
  if (found({"simbody"}).empty()) return;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    INFO("seed " << seed);
    const std::string text = with_elements(random_model({.seed = seed, .bodies = 8, .loops = 2}), seed);
    if (text.empty()) continue;
    const auto system = system_from_text(text.substr(0, text.find("constraints:")));
    if (!has_code(*system)) agree(*system, "simbody", 1e-9);
  }
  agree(*system_from_file(POLYFORM_MODELS "/planar_3rrr_actuators.yaml"), "simbody", 1e-10);
}

TEST_CASE("engines carry the examples with constraint elements and modules") {
  const std::vector<std::string> names = found({"bullet", "dart", "mujoco", "simbody"});
  std::map<std::string, int> carried;
  for (const char* model :
       {"computed_torque", "motor_arm", "rack_and_pinion", "robot_armature", "series_motors", "differential_axle",
        "fusee", "knife_edge", "prescribed_motion", "rolling_disc", "gear_train", "vibrating_pivot"}) {
    const auto system = system_from_file(fmt::format("{}/{}.yaml", POLYFORM_MODELS, model));
    for (const std::string& name : names)
      if (carries(name, *system)) {
        agree(*system, name, 1e-10);
        ++carried[name];
      }
  }
  for (const std::string& name : names) {
    INFO(name);
    CHECK(carried[name] >= 6);
  }
}

// The closed form stands in robot_armature.yaml.
TEST_CASE("a rotor in an engine turns an arm as the closed form says, and the gear does not drift") {
  for (const std::string& name : found({"bullet", "dart", "mujoco", "simbody"})) {
    INFO(name);
    const auto system = system_from_file(POLYFORM_MODELS "/robot_armature.yaml");
    const auto solver = solver_for(*system, witness(name));
    std::vector<double> y = initial_vector(*system, *solver), rate(y.size()), middle(y.size());
    const double step = 0.05, inertia = 1.5;
    for (int k = 0; k < 40; ++k) {  // the midpoint rule, whose error the correction of the gear must not grow
      REQUIRE(solver->derivative(0, y, rate) == Status::ok);
      for (std::size_t i = 0; i < y.size(); ++i) middle[i] = y[i] + 0.5 * step * rate[i];
      REQUIRE(solver->derivative(0, middle, rate) == Status::ok);
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += step * rate[i];
      if (k == 20) y.back() += 0.3;  // the angle of the rotor slips
      Correction done;
      REQUIRE(solver->correct(0, y, done) == Status::ok);
      if (k == 20) CHECK(done.position_residual == Approx(0.3).epsilon(1e-6));
    }
    host::ObservationStore store(system->view());
    REQUIRE(solver->observe(0, y, store.now()) == Status::ok);
    CHECK(store.now().v[0] == Approx(3 * (1 - std::exp(-2 / inertia))).epsilon(1e-3));
    CHECK(store.now().position_violation < 1e-12);
    CHECK(store.now().x[0] == Approx(100 * store.now().v[0]).epsilon(1e-13));
  }
}

TEST_CASE("rows that contradict each other are told by engines too") {
  const std::string text =
      "polyform: 1\nbodies:\n  - {name: arm, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}\njoints:\n"
      "  - {name: pin, type: revolute, base: ground, moving: arm, position: [0, 0, 0], axis: [0, 0, 1]}\nconstraints:\n"
      "  - {name: one, type: formula-constraint, acceleration: {expression: \"a(pin) - 1\"}}\n"
      "  - {name: other, type: formula-constraint, acceleration: {expression: \"a(pin) - 1 - t\"}}\n";
  const auto system = system_from_text(text);
  for (const std::string& name : found({"bullet", "dart", "mujoco", "simbody"})) {
    INFO(name);
    const auto solver = solver_for(*system, witness(name));
    std::vector<double> y = initial_vector(*system, *solver), rate(y.size());
    CHECK(solver->derivative(0, y, rate) == Status::ok);
    CHECK(solver->derivative(1, y, rate) == Status::failed);
    CHECK(solver->failure().find("no accelerations of the engine meet") != std::string_view::npos);
  }
}

TEST_CASE("what an engine cannot carry exactly is no ability of its own") {
  for (const std::string& name : found({"bullet", "dart", "mujoco", "simbody"})) {
    INFO(name);
    CHECK(has(witness(name).abilities(), Ability::closed_loops) == (name == "simbody"));
    CHECK(has(witness(name).abilities(), Ability::modules));
    CHECK_FALSE(has(witness(name).abilities(), Ability::flexible_bodies));
  }
}
