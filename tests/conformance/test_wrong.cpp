// Every check finds the mistake that it is there for.
#include <map>

#include "tests/conformance/kit.hpp"

using namespace polyform::host;
using namespace polyform::host::test;

namespace {

/// A wrong plugin beside the sound ones, each in a registry of its own.
const Registry& with(const std::string& plugin) {
  static std::map<std::string, Registry> registries;
  return registries.try_emplace(plugin, options_with({plugin})).first->second;
}

std::vector<Claim> claims_of(const std::string& name, double seconds = 60) {
  for (const char* library : {"wrong_joints", "wrong_forces", "wrong_modules", "wrong_solvers"}) {
    const Registry& registry = with(library);
    for (const PluginRecord& plugin : registry.plugins())
      for (const Offer& offer : plugin.offers)
        if (offer.name == name) return polyform::host::test::claims_of(registry, plugin, offer, {"", seconds});
  }
  FAIL("no type " << name);
  return {};
}

/// The type fails a claim whose name holds these words, with a finding and a remedy.
void require_failed(const std::string& type, const std::string& words) {
  const std::vector<Claim> claims = claims_of(type);
  std::string all;
  bool found = false;
  for (const Claim& claim : claims) {
    all += text(claim) + "\n";
    if (claim.verdict != Verdict::failed || claim.name.find(words) == std::string::npos) continue;
    found = true;
    CHECK_FALSE(claim.finding.empty());
    CHECK_FALSE(claim.remedy.empty());
  }
  INFO(type << ", " << words << ":\n" << all);
  CHECK(found);
}

void require_sound(const std::string& type) {
  for (const Claim& claim : claims_of(type)) {
    INFO(text(claim));
    CHECK(claim.verdict != Verdict::failed);
  }
}

}  // namespace

TEST_CASE("mistakes of a joint are found") {
  require_sound("hinge-sound");
  require_failed("hinge-motion", "H is the rate of the pose");
  require_failed("hinge-bias", "the bias is the rate of H");
  require_failed("hinge-bias", "energy is kept");
  require_failed("hinge-rates", "N is linear in v");
  require_failed("hinge-coordinates", "coordinates follow from the pose");
  require_failed("hinge-coordinates", "as cut joint");
  require_failed("hinge-axes", "directions are as drawn");
  require_failed("hinge-memory", "the same every time");
}

TEST_CASE("mistakes of a force are found") {
  require_sound("spring-sound");
  require_failed("spring-power", "less the rate of its potential energy");
  require_failed("spring-power", "the energy changes by the power");
  require_failed("spring-axes", "wrenches turn with the frame");
  require_failed("spring-action", "cancels");
  require_failed("spring-batch", "what each gives alone");
  require_failed("spring-memory", "the same input gives the same output");
  require_failed("spring-nan", "finite number");
}

TEST_CASE("mistakes of a constraint element are found") {
  require_sound("rail-sound");
  require_failed("rail-row", "is the rate of the residual");
  require_failed("rail-acceleration", "is the rate of the velocity rows");
}

TEST_CASE("mistakes of a module are found") {
  require_sound("sledge-sound");
  require_failed("sledge-symmetry", "M is symmetric");
  require_failed("sledge-definite", "M is positive semidefinite");
  require_failed("sledge-open", "determine the rates of all variables");
  require_failed("sledge-kinetic", "kinetic_energy is half");
  require_failed("sledge-kinetic", "less the rate of its energies");
  require_failed("sledge-acceleration", "is the rate of the velocity rows");
  require_failed("sledge-empty", "every row asks something");
  require_failed("sledge-power", "less the rate of its energies");
  require_failed("sledge-power", "the energy changes by the power");
  require_failed("sledge-axes", "turn with the frame");
  require_failed("sledge-batch", "what each gives alone");
  require_failed("sledge-memory", "the same input gives the same output");
  require_failed("sledge-nan", "finite number");
  require_failed("sledge-start", "initial_state");
  require_failed("sledge-names", "each of its own");
}

TEST_CASE("mistakes of a formulation are found") {
  require_failed("solver-accelerations", "those of the other formulations");
  require_failed("solver-accelerations", "what the joints allow");
  require_failed("solver-reactions", "the reactions balance");
  require_failed("solver-power", "the energy changes by the power");
  require_failed("solver-allocation", "nothing is allocated after compile");
  require_failed("solver-sharing", "two solvers in two threads");
  require_failed("solver-silence", "closed loops");
  require_failed("solver-option", "option way=wrong");
}

TEST_CASE("a crash or an endless loop in a plugin is a failed claim that names its check") {
  for (const auto& [type, finding] :
       {std::pair{"hinge-crash", "ended by signal 11"}, {"hinge-hang", "time limit of 1 s"}}) {
    const std::vector<Claim> claims = claims_of(type, 1);
    REQUIRE(claims.size() == 1);
    CHECK(claims[0].verdict == Verdict::failed);
    CHECK_THAT(claims[0].finding, Catch::Contains(finding));
    CHECK(claims[0].name == "as drawn, its coordinates are neutral and its pose is the identity");
  }
}
