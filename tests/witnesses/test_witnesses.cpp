// Other engines as formulations: their accelerations and reactions are those of the formulations.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "framework/host/simulation/observation_store.hpp"
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

double size_of(const Spatial& one) { return std::max(norm(one.linear), norm(one.angular)); }

/// Accelerations as parts of the largest; reactions of trees, which are unique, as parts of the largest too.
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
  double size = 0, largest = 0;
  for (const double acceleration : a.now().acceleration) size = std::max(size, std::abs(acceleration));
  for (const Spatial& reaction : a.now().reactions) largest = std::max(largest, size_of(reaction));
  for (std::size_t k = 0; k < a.now().acceleration.size(); ++k) {
    INFO("velocity coordinate " << k);
    CHECK(std::abs(a.now().acceleration[k] - b.now().acceleration[k]) <= tolerance * size);
  }
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

TEST_CASE("what an engine cannot carry exactly is no ability of its own") {
  for (const std::string& name : found({"bullet", "dart", "mujoco", "simbody"})) {
    INFO(name);
    CHECK(has(witness(name).abilities(), Ability::closed_loops) == (name == "simbody"));
    CHECK_FALSE(has(witness(name).abilities(), Ability::flexible_bodies));
  }
}
