// The shipped examples of the direct correction, as their comments tell to run them.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "tests/command/command_runner.hpp"

using namespace polyform::test;

TEST_CASE("the examples of the direct correction run with each kind of it and have the freedoms that they claim") {
  const Workshop shop;
  const std::pair<const char*, std::size_t> examples[] = {
      {"four_link_flexible", 3}, {"many_loops_flexible", 7}, {"pins_and_slides_loop", 9}, {"loop_of_rods_100", 98},
      {"loop_of_rods_200", 198}, {"loop_of_rods_300", 298},  {"loop_of_rods_500", 498}};
  for (const auto& [name, freedoms] : examples) {
    INFO(name);
    const Outcome check = shop.run({"check", shipped(name), "--json"});
    REQUIRE(check.code == 0);
    const auto counts = nlohmann::json::parse(check.out);
    CHECK(counts.at("degrees_of_freedom") == freedoms);
    CHECK(counts.at("warnings").empty());
    // Bounds of the violation: the tolerance or, without the direct correction, the drift of the first steps.
    const std::pair<const char*, double> options[] = {{"correction=direct", 1e-10},
                                                      {"jacobian=direct-differentiation", 1e-10},
                                                      {"metric=inertia", 1e-10},
                                                      {"correction=baumgarte", 1e-7},
                                                      {"correction=none", 1e-7}};
    for (const auto& [option, violation] : options) {
      const Outcome run = shop.run({"run", shipped(name), "--solver", "reduced", "--option", option, "--duration",
                                    "0.01", "--json", "--output", "a.csv"});
      INFO(option << ": " << run.err);
      REQUIRE(run.code == 0);
      CHECK(nlohmann::json::parse(run.out).at("constraint_violation") < violation);
    }
  }
}
