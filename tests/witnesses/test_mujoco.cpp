// MuJoCo as a formulation: its accelerations and reactions are those of the formulations.
#include <catch2/catch.hpp>
#include <cmath>

#include "framework/host/simulation/observation_store.hpp"
#include "tests/support/random_model.hpp"
#include "tests/support/workbench.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

const Formulation& mujoco() {
  static const host::Registry loaded(std::vector<std::string>{POLYFORM_WITNESSES});
  const Formulation* found = host::find(loaded.catalog().formulations, "mujoco");
  REQUIRE(found);
  return *found;
}

double largest(Strided<const Spatial> all) {
  double size = 0;
  for (const Spatial& one : all) size = std::max({size, norm(one.linear), norm(one.angular)});
  return size;
}

/// As parts of the largest acceleration and reaction.
void agree(const host::System& system, double tolerance) {
  const Formulation* riccati = host::find(registry().catalog().formulations, "riccati");
  REQUIRE(riccati);
  const auto one = solver_for(system, *riccati), other = solver_for(system, mujoco());
  host::ObservationStore a(system.view()), b(system.view());
  REQUIRE(one->observe(0, initial_vector(system, *one), a.now()) == Status::ok);
  REQUIRE(other->observe(0, initial_vector(system, *other), b.now()) == Status::ok);
  double size = 0, reaction = largest(a.now().reactions);
  for (const double acceleration : a.now().acceleration) size = std::max(size, std::abs(acceleration));
  for (std::size_t k = 0; k < a.now().acceleration.size(); ++k) {
    INFO("velocity coordinate " << k);
    CHECK(std::abs(a.now().acceleration[k] - b.now().acceleration[k]) <= tolerance * size);
  }
  for (std::size_t k = 0; k < a.now().reactions.size(); ++k) {
    INFO("joint " << system.view().joints[k].name);
    CHECK(norm(a.now().reactions[k].linear - b.now().reactions[k].linear) <= tolerance * reaction);
    CHECK(norm(a.now().reactions[k].angular - b.now().reactions[k].angular) <= tolerance * reaction);
  }
}

}  // namespace

TEST_CASE("MuJoCo gives the accelerations and reactions of random trees") {
  int carried = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    const auto system = system_from_text(random_model({.seed = seed, .bodies = 8}));
    host::Diagnostics unheard;
    if (!mujoco().supports(system->view(), unheard)) continue;
    bool code = false;
    for (const JointData& joint : system->view().joints) code = code || joint.kernel != nullptr;
    if (code) continue;
    ++carried;
    agree(*system, 1e-11);
  }
  CHECK(carried >= 20);
}

TEST_CASE("MuJoCo reads chains that are deeper than what it takes in one file") {
  const auto system = system_from_file(POLYFORM_MODELS "/chain_1000.yaml");
  agree(*system, 1e-8);
}

TEST_CASE("what MuJoCo cannot carry exactly is refused with the reason") {
  const auto system = system_from_file(POLYFORM_MODELS "/four_bar_rhombus.yaml");
  CHECK_FALSE(has(mujoco().abilities(), Ability::closed_loops));
}
