// Integrators as plugins: chosen, described, given options, and those of other authors.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/command/command_runner.hpp"
#include "tests/command/sample_models.hpp"

using namespace polyform::test;
using Catch::Contains;
using nlohmann::json;

namespace {

const std::string verlet = std::string(POLYFORM_EXAMPLE_PLUGINS) + "/verlet-integrator.so";

/// A rod that runs as the block says.
std::string rod_with(const Workshop& shop, const std::string& simulation) {
  Rod rod;
  rod.more = "simulation: {duration: 0.2, " + simulation + "}\n";
  return shop.write("rod.yaml", rod.text());
}

}  // namespace

TEST_CASE("help, plugins and schema tell of every integrator from its declaration") {
  const Workshop shop;
  const std::string help = shop.run({"--help"}).out, schema = shop.run({"schema"}).out,
                    list = shop.run({"plugins"}).out;
  for (const char* name :
       {"rk4", "dopri5", "dop853", "radau5", "generalized-alpha", "auto", "cvode-adams", "cvode-bdf"}) {
    INFO(name);
    CHECK_THAT(help, Contains(name));
    CHECK_THAT(schema, Contains(name));
    CHECK_THAT(list, Contains(name));
  }
  CHECK_THAT(schema, Contains("max_order") && !Contains("verlet"));
  CHECK_THAT(shop.run({"schema", "--plugin-path", verlet}).out, Contains("\"verlet\"") && Contains("iterations"));
  const Outcome shown = shop.run({"plugins", "show", "cvode-bdf"});
  CHECK_THAT(shown.out, Contains("integrator cvode-bdf") && Contains("max_order") && Contains("order 5"));
  const json all = json::parse(shop.run({"plugins", "--json"}).out);
  CHECK_THAT(all.dump(), Contains("\"kind\":\"integrator\"") && Contains("\"fixed_step\":true"));
}

TEST_CASE("an integrator is chosen by name or with options, in the model or by the command line") {
  const Workshop shop;
  const auto record = [&](const std::string& simulation, std::vector<std::string> more) {
    std::vector<std::string> words{"run", rod_with(shop, simulation), "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = shop.run(words);
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return json::parse(outcome.out);
  };
  const int free = record("integrator: cvode-bdf", {}).at("steps");
  const int bound = record("integrator: {name: cvode-bdf, options: {max_order: 2}}", {}).at("steps");
  CHECK(bound > 2 * free);
  CHECK(record("integrator: cvode-bdf", {"--integrator-option", "max_order=2"}).at("steps") == bound);
  // Typed options come after the model's; those of another integrator do not count.
  CHECK(record("integrator: {name: cvode-bdf, options: {max_order: 2}}", {"--integrator-option", "max_order=5"})
            .at("steps") == free);
  CHECK(record("integrator: {name: cvode-bdf, options: {max_order: 2}}", {"--integrator", "dop853"}).at("steps") <
        free / 4);
}

TEST_CASE("the summary and the file of results name the integrator with its options") {
  const Workshop shop;
  const std::string model = rod_with(shop, "integrator: {name: cvode-bdf, options: {max_order: 2}}");
  const Outcome outcome = shop.run({"run", model, "--output", "out.csv"});
  CHECK_THAT(outcome.out, Contains("cvode-bdf (max_order=2)"));
}

TEST_CASE("a wrong integrator or option is refused with its place and what would be right") {
  const Workshop shop;
  const auto refusal = [&](const std::string& simulation, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"run", rod_with(shop, simulation)};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome outcome = shop.run(words);
    CHECK(outcome.code == 2);
    return outcome.err;
  };
  CHECK_THAT(refusal("integrator: dopri55"), Contains("rod.yaml:11:") && Contains("simulation.integrator") &&
                                                 Contains("ean 'dopri5'?") && Contains("dop853"));
  CHECK_THAT(refusal("integrator: {name: rk5}"), Contains("rod.yaml:11:") && Contains("ean 'rk4'?"));
  CHECK_THAT(refusal("integrator: {options: {}}"), Contains("simulation.integrator") && Contains("name"));
  CHECK_THAT(refusal("integrator: {name: cvode-bdf, options: {maxorder: 2}}"),
             Contains("simulation.integrator.options.maxorder") && Contains("ean 'max_order'?"));
  CHECK_THAT(refusal("integrator: {name: cvode-bdf, options: {max_order: 9}}"),
             Contains("rod.yaml:11:") && Contains("simulation.integrator.options.max_order"));
  CHECK_THAT(refusal("integrator: {name: rk4, options: {max_order: 2}}"), Contains("'rk4' has no options"));
  CHECK_THAT(refusal("integrator: rk4", {"--integrator-option", "order"}),
             Contains("--integrator-option: expected key=value"));
  CHECK_THAT(refusal("integrator: cvode-bdf", {"--integrator-option", "max_order=0"}), Contains("max_order"));
  CHECK_THAT(refusal("integrator: {name: generalized-alpha, options: {rho_infinity: 1.2}}"),
             Contains("rod.yaml:11:") && Contains("rho_infinity") && Contains("at least 0 and at most 1"));
}

TEST_CASE("auto tells what it chose for the stiff rod, and why") {
  const Workshop shop;
  const std::string model = std::string(POLYFORM_MODELS) + "/stiff_rod.yaml";
  const Outcome summary = shop.run({"run", model, "--integrator", "auto"});
  CHECK(summary.code == 0);
  CHECK_THAT(summary.out, Contains("chosen       radau5 for"));
  const json best = json::parse(shop.run({"run", model, "--json"}).out);
  CHECK(best.at("evaluations") < 7000);  // dopri5 takes 269 000
  CHECK_FALSE(best.contains("choices"));
  // A solver without a Newton matrix of its own takes differences.
  const json other = json::parse(shop.run({"run", model, "--json", "--solver", "cartesian", "--duration", "0.1"}).out);
  CHECK(other.at("status") == "done");
}

TEST_CASE("somebody else's integrator is found like any other plugin and uses positions and velocities") {
  const Workshop shop;
  Rod rod;
  rod.more = "simulation: {duration: 20, integrator: {name: verlet, options: {iterations: 30}}, step: 0.01}\n";
  const std::string model = shop.write("rod.yaml", rod.text());
  const Outcome without = shop.run({"run", model});
  CHECK(without.code == 2);
  CHECK_THAT(without.err, Contains("there is no integrator 'verlet'"));
  for (const char* solver : {"riccati", "reduced", "particles", "hierarchy", "thompson", "cartesian"}) {
    INFO(solver);
    const Outcome outcome = shop.run({"run", model, "--plugin-path", verlet, "--solver", solver, "--json"});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    const json record = json::parse(outcome.out);
    // The error of the energy swings with the square of the step and does not grow with time. It grows only if the
    // correction moves particles back onto circles that the drift has left along the tangent.
    CHECK(record.at("energy_drift").get<double>() < (std::string(solver) == "particles" ? 5e-3 : 6e-4));
  }
  CHECK_THAT(shop.run({"plugins", "check", verlet}).out, Contains("integrator"));
}

TEST_CASE("the clock of a joint that depends on time is no error of generalized-alpha") {
  const Workshop shop;
  Rod rod;
  rod.joint =
      "{name: pin, type: moving-hinge, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1], "
      "drive_axis: [0, 1, 0], turn: 0}";
  const auto steps = [&](const std::string& joint) {
    Rod other = rod;
    other.joint = joint;
    const Outcome outcome = shop.run({"run", shop.write("rod.yaml", other.text()), "--integrator", "generalized-alpha",
                                      "--rtol", "1e-6", "--atol", "1e-6", "--duration", "0.1", "--json"});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return nlohmann::json::parse(outcome.out).at("steps").get<int>();
  };
  const int still =
      steps("{name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1]}");
  CHECK(steps(rod.joint) < 2 * still);
}
