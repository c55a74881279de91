// polyform evaluate: accelerations and reactions at the initial state.
#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>

#include "tests/command/command_runner.hpp"
#include "tests/command/sample_models.hpp"

using namespace polyform::test;
using Catch::Contains;
using nlohmann::json;

namespace {

/// A uniform rod released from the horizontal: α = −m g a / J_o, and the pin carries m (g − α a).
void check_rod(const json& result) {
  const double a = 0.5, inertia = 0.0833 + a * a, alpha = -9.81 * a / inertia;
  const json& rod = result.at("bodies").at("rod");
  CHECK(rod.at("linear").size() == 3);
  CHECK(rod.at("linear")[1].get<double>() == Approx(0).margin(1e-12));
  CHECK(rod.at("angular")[2].get<double>() == Approx(alpha));
  CHECK_FALSE(rod.contains("modal"));
  const json& pin = result.at("joints").at("pin");
  CHECK(pin.at("acceleration").size() == 1);
  CHECK(pin.at("acceleration")[0].get<double>() == Approx(alpha));
  CHECK(pin.at("force")[1].get<double>() == Approx(9.81 + alpha * a));
  CHECK(pin.at("moment")[2].get<double>() == Approx(0).margin(1e-12));
}

}  // namespace

TEST_CASE("accelerations and reactions of one solver are one object") {
  const Workshop shop;
  const Outcome outcome = shop.run({"evaluate", shop.write("rod.yaml", Rod{}.text()), "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const json result = json::parse(outcome.out);
  CHECK(result.at("solver").is_string());
  check_rod(result);
}

TEST_CASE("those of all solvers are an object by solver name, and they agree") {
  const Workshop shop;
  const json result =
      json::parse(shop.run({"evaluate", shop.write("rod.yaml", Rod{}.text()), "--solver", "all", "--json"}).out);
  CHECK(result.size() >= 2);
  for (const auto& [name, one] : result.items()) {
    INFO(name);
    CHECK(one.at("solver") == name);
    check_rod(one);
  }
}

TEST_CASE("without --json a text for people is printed") {
  const Workshop shop;
  const Outcome outcome = shop.run({"evaluate", shop.write("rod.yaml", Rod{}.text())});
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.out, Contains("body rod") && Contains("joint pin") && Contains("rad/s^2"));
}
