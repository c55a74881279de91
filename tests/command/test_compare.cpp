// polyform compare: the same model through several solvers.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "tests/command/command_runner.hpp"

using namespace polyform::test;
using Catch::Contains;
using nlohmann::json;

TEST_CASE("two solvers agree on the branch pendulum and each writes its trajectory") {
  const Workshop shop;
  const Outcome outcome = shop.run({"compare", shipped("branch_pendulum"), "--solvers", "riccati,cartesian",
                                    "--duration", "1", "--output", "b.csv", "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const json all = json::parse(outcome.out);
  REQUIRE(all.size() == 2);
  for (const auto& [name, one] : all.items()) {
    INFO(name);
    CHECK(one.at("status") == "done");
    CHECK(one.at("position_deviation").get<double>() < 1e-8);
    CHECK(one.at("angle_deviation").get<double>() < 1e-8);
    CHECK(read_table(shop.read("b." + name + ".csv")).rows.size() == 11);
  }
}

TEST_CASE("the table names every solver with its deviation") {
  const Workshop shop;
  const Outcome outcome = shop.run({"compare", shipped("double_pendulum"), "--duration", "0.1"});
  REQUIRE(outcome.code == 0);
  CHECK_THAT(outcome.out,
             Contains("riccati") && Contains("cartesian") && Contains("position deviation") && Contains("consensus"));
}

TEST_CASE("one solver alone has no deviation") {
  const Workshop shop;
  const json all = json::parse(
      shop.run({"compare", shipped("double_pendulum"), "--solvers", "riccati", "--duration", "0.1", "--json"}).out);
  CHECK_FALSE(all.at("riccati").contains("position_deviation"));
}
