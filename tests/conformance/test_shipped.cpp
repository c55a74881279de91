// Everything that comes with Polyform keeps the contract.
#include <algorithm>
#include <map>

#include "tests/conformance/kit.hpp"

using namespace polyform::host;
using namespace polyform::host::test;

namespace {

/// Models for the types that random fields do not fit.
const std::map<std::string, std::string> examples{{"modal-body", "modal_frame"},
                                                  {"blade-elements", "rotorcraft"},
                                                  {"rotational-spring-damper", "connected_joints"},
                                                  {"cam-profile", "valve_train"},
                                                  {"point-on-curve", "bead_on_a_wire"}};

/// A type whose lists must fit the joints of a chain, which no random model has: the kit says so, and test_machines
/// tries the type in all formulations.
constexpr std::string_view of_chains = "computed-torque";

/// A type that stands for files of other tools: tests/fmi has some, and no shipped model has any.
constexpr const char* of_other_tools = "fmu";

/// thorough: all random systems and long runs of each battery, which take minutes.
void check_shipped(bool thorough) {
  const Registry registry(options_with({}));
  std::size_t passed = 0;
  for (const PluginRecord& plugin : registry.plugins())
    for (const Offer& offer : plugin.offers) {
      if (examples.contains(offer.name) || offer.name == of_chains || offer.name == of_other_tools) continue;
      const std::vector<Claim> claims = claims_of(registry, plugin, offer, {.thorough = thorough});
      for (const Claim& claim : claims) {
        INFO(text(claim));
        CHECK(claim.verdict != Verdict::failed);
        passed += claim.verdict == Verdict::passed ? 1 : 0;
        // A formulation that shares arithmetic with it does not count.
        if (offer.name == "hierarchy" && claim.name == "modules: all is as in the other formulations") {
          CHECK(claim.verdict == Verdict::passed);
          CHECK_THAT(claim.finding, Catch::Contains("thompson; of these cartesian shares arithmetic with it"));
        }
        if (offer.name == "hierarchy" && claim.name.starts_with("trees: motion, accelerations"))
          CHECK_THAT(claim.finding, Catch::Contains("thompson; of these cartesian shares arithmetic with it"));
      }
      INFO(offer.name);
      CHECK_FALSE(claims.empty());
    }
  CHECK(passed > 400);
}

void check_modules(bool thorough) {
  const Registry registry(options_with({"flywheel-module"}));
  std::size_t modules = 0;
  for (const PluginRecord& plugin : registry.plugins())
    for (const Offer& offer : plugin.offers) {
      if (offer.kind != "module" || offer.name == of_other_tools) continue;
      ++modules;
      std::size_t formulations = 0;
      for (const Claim& claim : claims_of(registry, plugin, offer, {.thorough = thorough})) {
        INFO(text(claim));
        CHECK(claim.verdict != Verdict::failed);
        if (!claim.name.starts_with("in ")) {
          CHECK((claim.verdict == Verdict::passed || claim.finding.starts_with("not applicable: ") ||
                 claim.finding.starts_with("its equations have no solution while all that it is attached to moves") ||
                 claim.finding.starts_with("this build of polyform has a sanitizer")));
        } else if (claim.verdict == Verdict::passed) {
          ++formulations;
        } else {
          CHECK_THAT(claim.finding, Catch::Contains("module"));
        }
      }
      CHECK(formulations >= 4);
    }
  CHECK(modules == 8);  // two motors, gear, flywheel, circuit, law of acceleration, rotor, and a link without variables
}

void check_with_examples(bool thorough) {
  const Registry registry(options_with({}));
  for (const PluginRecord& plugin : registry.plugins())
    for (const Offer& offer : plugin.offers) {
      if (!examples.contains(offer.name)) continue;
      const std::vector<Claim> random = claims_of(registry, plugin, offer);
      REQUIRE(random.size() == 2);
      CHECK(random[0].name == "it says in a line each what it and its fields are");
      CHECK(random[1].verdict == Verdict::failed);
      CHECK_THAT(random[1].remedy, Catch::Contains("nothing of the type is checked"));
      CHECK_THAT(random[1].finding, Catch::Contains("give --model FILE with an example"));
      const std::string example = std::string(POLYFORM_MODELS) + "/" + examples.at(offer.name) + ".yaml";
      const std::vector<Claim> given = claims_of(registry, plugin, offer, {.example = example, .thorough = thorough});
      CHECK(std::ranges::count(given, Verdict::passed, &Claim::verdict) >= 10);
      for (const Claim& claim : given) {
        INFO(text(claim));
        CHECK(claim.verdict != Verdict::failed);
      }
    }
}

}  // namespace

TEST_CASE("all shipped plugins conform") { check_shipped(false); }

TEST_CASE("modules are tried by themselves and in every formulation that carries modules") { check_modules(false); }

TEST_CASE("a type that random fields do not suit says so, and conforms with its author's example") {
  check_with_examples(false);
}

TEST_CASE("a type that needs what nothing can be made up for is tried once, and the reason is told") {
  const Registry registry(options_with({}));
  std::size_t tried = 0;
  for (const PluginRecord& plugin : registry.plugins())
    for (const Offer& offer : plugin.offers) {
      if (offer.name != of_other_tools) continue;
      ++tried;
      const std::vector<Claim> claims = claims_of(registry, plugin, offer);
      REQUIRE_FALSE(claims.empty());
      CHECK(claims.back().verdict == Verdict::failed);
      CHECK_THAT(claims.back().finding, Catch::StartsWith("no random instance can be made: ") &&
                                            Catch::Contains("'file' is missing") &&
                                            Catch::Contains("give --model FILE"));
    }
  CHECK(tried > 0);
}

TEST_CASE("all shipped plugins conform by all of each battery", "[.long]") {
  check_shipped(true);
  check_modules(true);
  check_with_examples(true);
}

TEST_CASE("elements conform with values as engineers give them, stiff ones on light bodies too") {
  const std::map<std::string, std::string, std::less<>> models{{"tyre", "vehicle"},
                                                               {"spring-damper", "vehicle"},
                                                               {"joint-spring-damper", "rotorcraft"},
                                                               {"aerodynamic-body", "navion"}};
  const Registry registry(options_with({}));
  std::size_t tried = 0;
  for (const PluginRecord& plugin : registry.plugins())
    for (const Offer& offer : plugin.offers) {
      if (!models.contains(offer.name)) continue;
      ++tried;
      for (const Claim& claim :
           claims_of(registry, plugin, offer,
                     {.example = std::string(POLYFORM_MODELS) + "/" + models.at(offer.name) + ".yaml"})) {
        INFO(text(claim));
        CHECK(claim.verdict != Verdict::failed);
      }
    }
  CHECK(tried == models.size());
}

TEST_CASE("a wave whose phase the rounding of the way turns conforms in further drawings", "[.long]") {
  const Registry registry(options_with({"curve_joints"}));
  std::size_t tried = 0;
  for (const PluginRecord& plugin : registry.plugins())
    for (const Offer& offer : plugin.offers)
      for (std::uint64_t draw = 2; offer.name == "wave-fine" && draw < 8; ++draw, ++tried)
        for (const Claim& claim : claims_of(registry, plugin, offer, {.thorough = false, .draw = draw})) {
          INFO(draw << ": " << text(claim));
          CHECK(claim.verdict != Verdict::failed);
        }
  CHECK(tried == 6);
}
