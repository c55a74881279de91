// The variants of the plugin, by its options: the same accelerations and reactions as the default where the system is
// small, the known loss of digits of the plain product where it is not, and refusals before anything runs.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include "framework/host/evaluation/observation_store.hpp"
#include "tests/riccati/variant_bench.hpp"
#include "tests/support/allocations.hpp"
#include "tests/support/random_model.hpp"

using namespace polyform;
using namespace polyform::test;

TEST_CASE("every variant agrees with the default on random trees with every kind of joint") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto system = system_from_text(random_model({.seed = seed, .bodies = 3 + static_cast<int>(seed % 10)}));
    for (const Options& options : all_variants()) {
      INFO("seed " << seed << ", " << text_of(options));
      const Difference d = difference_from_default(*system, options);
      INFO(d.failure);
      CHECK(d.acceleration < 1e-9);
      CHECK(d.reaction < 1e-9);
    }
  }
}

TEST_CASE("every variant agrees with the default on chains, branches and free systems of the paper's kind") {
  const std::string model =
      GENERATE("branch_pendulum", "double_pendulum", "triple_spherical_pendulum", "free_body", "heavy_top");
  const auto system = system_from_file(std::string(POLYFORM_MODELS) + "/" + model + ".yaml");
  for (const Options& options : all_variants()) {
    INFO(model << ", " << text_of(options));
    const Difference d = difference_from_default(*system, options);
    INFO(d.failure);
    CHECK(d.acceleration < 1e-9);
    CHECK(d.reaction < 1e-9);
  }
}

TEST_CASE("one overall equation carries several multi-input bodies and a branch of 500 bodies") {
  const Options overall{{"branches", "overall"}};
  const auto branch = system_from_file(std::string(POLYFORM_MODELS) + "/branch_500.yaml");
  CHECK(difference_from_default(*branch, overall).acceleration < 1e-9);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    INFO("seed " << seed);
    const auto tree = system_from_text(random_model({.seed = 500 + seed, .bodies = 60}));
    const Difference d = difference_from_default(*tree, overall);
    CHECK(d.acceleration < 1e-9);
    CHECK(d.reaction < 1e-9);
  }
}

TEST_CASE("the variants allocate nothing after compile") {
  const auto system = system_from_text(random_model({.seed = 5, .bodies = 14}));
  const auto chain = system_from_text(chain_model(20));
  for (const host::System* each : {system.get(), chain.get()}) {
    for (const Options& options : all_variants()) {
      INFO(text_of(options));
      const auto solver = solver_with(*each, options);
      std::vector<double> y = initial_vector(*each, *solver), rate(y.size());
      host::ObservationStore store(each->view());
      const std::size_t before = allocations();
      const Status status[] = {solver->derivative(0, y, rate), solver->observe(0, y, store.now())};
      const std::size_t after = allocations();
      CHECK(after == before);
      for (const Status s : status) CHECK(s == Status::ok);
    }
  }
}

TEST_CASE("an overall equation that is too large is refused by the name of its first body") {
  std::string text = "polyform: 1\nbodies:\n";
  std::string joints = "joints:\n";
  const std::string inertia = "mass: 1, inertia: {xx: 0.1, yy: 0.1, zz: 0.1}}\n";
  for (int i = 0; i < 200; ++i) {
    text += fmt::format("  - {{name: s{0}, position: [{0}, 0, 0], {1}", i, inertia);
    text += fmt::format("  - {{name: a{0}, position: [{0}, 1, 0], {1}", i, inertia);
    joints += fmt::format("  - {{name: j{0}, type: spherical, base: {1}, moving: s{0}, position: [{0}, 0, 0]}}\n", i,
                          i == 0 ? "ground" : fmt::format("s{}", i - 1));
    joints += fmt::format("  - {{name: k{0}, type: spherical, base: s{0}, moving: a{0}, position: [{0}, 1, 0]}}\n", i);
  }
  const auto system = system_from_text(text + joints);
  CHECK_THROWS_WITH(solver_with(*system, {{"branches", "overall"}}),
                    Catch::Matchers::Contains("option `branches: overall`") && Catch::Matchers::Contains("`s0`") &&
                        Catch::Matchers::Contains("limited to 3000"));
}
