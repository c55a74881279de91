// Every check finds the mistake that it is there for.
#include <algorithm>
#include <array>
#include <map>

#include "framework/workbench/conformance/allocation_count.hpp"
#include "tests/conformance/kit.hpp"
#include "tests/support/sanitized.hpp"

using namespace polyform::host;
using namespace polyform::host::test;

namespace {

/// A registry with a wrong plugin and the sound ones; each wrong plugin has one of its own.
const Registry& with(const std::string& plugin) {
  static std::map<std::string, Registry> registries;
  return registries.try_emplace(plugin, options_with({plugin})).first->second;
}

constexpr const char* libraries[] = {"wrong_joints",      "wrong_forces", "wrong_constraints",
                                     "wrong_modules",     "wrong_bodies", "wrong_solvers",
                                     "wrong_integrators", "curve_joints", "third_party"};

/// Under a sanitizer every call takes many times as long: of solvers, whose battery is the longest, only these are
/// tried.
bool is_tried(const std::string& type) {
  constexpr std::array solvers{"solver-sound", "solver-accelerations", "solver-sharing", "solver-derivative"};
  return !has_address_sanitizer || !type.starts_with("solver-") || std::ranges::find(solvers, type) != solvers.end();
}

/// Their mistakes show in some loops, or in some turned joints, alone: the short battery has few of these.
bool needs_many_models(std::string_view name) { return name == "hinge-coordinates" || name == "solver-angle-turns"; }

std::vector<Claim> made_claims_of(const std::string& name, double seconds, std::uint64_t draw = 0) {
  for (const char* library : libraries) {
    const Registry& registry = with(library);
    for (const PluginRecord& plugin : registry.plugins())
      for (const Offer& offer : plugin.offers)
        if (offer.name == name)
          return polyform::host::test::claims_of(
              registry, plugin, offer, {.time_limit = seconds, .thorough = needs_many_models(name), .draw = draw});
  }
  FAIL("no type " << name);
  return {};
}

/// The battery of a type is run once.
const std::vector<Claim>& claims_of(const std::string& name, double seconds = 60) {
  static std::map<std::string, std::vector<Claim>> known;
  const auto found = known.find(name);
  return found != known.end() ? found->second : known.emplace(name, made_claims_of(name, seconds)).first->second;
}

/// The type fails a claim whose name holds these words, with a finding and a remedy.
void require_failed(const std::string& type, const std::string& words) {
  if (!is_tried(type)) return;
  const std::vector<Claim>& claims = claims_of(type);
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

/// The same, with these words in its finding.
void require_found(const std::string& type, const std::string& words, const std::string& finding) {
  if (!is_tried(type)) return;
  require_failed(type, words);
  for (const Claim& claim : claims_of(type))
    if (claim.verdict == Verdict::failed && claim.name.find(words) != std::string::npos)
      CHECK_THAT(claim.finding, Catch::Contains(finding));
}

/// One of its failed claims has these words in its finding.
void require_told(const std::string& type, const std::string& finding) {
  std::string all;
  for (const Claim& claim : claims_of(type))
    if (claim.verdict == Verdict::failed) all += claim.finding + "\n";
  CHECK_THAT(all, Catch::Contains(finding));
}

/// The type passes a claim whose name holds these words.
void require_passed(const std::string& type, const std::string& words) {
  bool found = false;
  for (const Claim& claim : claims_of(type)) {
    INFO(text(claim));
    if (claim.name.find(words) == std::string::npos) continue;
    found = true;
    CHECK(claim.verdict == Verdict::passed);
  }
  CHECK(found);
}

void require_sound(const std::string& type) {
  for (const Claim& claim : claims_of(type)) {
    INFO(text(claim));
    CHECK(claim.verdict != Verdict::failed);
  }
}

}  // namespace

TEST_CASE("an element that writes beside what it is given, or changes how numbers are computed, is told so") {
  require_found("spring-beyond", "same output", "evaluate() writes beyond the");
  require_found("spring-rounding", "same output", "changes how floating-point numbers are computed");
  // The host evaluates some of them when it reads a model.
  require_told("hinge-beyond", "wrote beyond the memory that it was given");
  require_found("hinge-beyond-q", "coordinates follow from the pose",
                "coordinates() writes beyond the 1 numbers of `q`");
  require_told("plane-beyond", "a constraint of " POLYFORM_FIXTURES "/wrong_constraints.so wrote beyond the memory");
  require_told("rod-beyond", "a flexible body of " POLYFORM_FIXTURES "/wrong_bodies.so wrote beyond the memory");
  require_told("sledge-before", "evaluate() writes before the 1 numbers of `xdot` that it was given");
}

TEST_CASE("kernels that are no names are found") {
  require_found("solver-kernels", "the kernels that it declares", "this is no name: two; names");
}

TEST_CASE("what is no number as drawn alone is found in every kind") {
  require_found("wave-drawn", "finite number", "as drawn");
  require_failed("foot-drawn", "finite number");
  require_failed("guide-drawn", "finite number");
  require_found("rod-drawn", "finite number", "undeformed");
  require_failed("sledge-drawn", "finite number");
}

TEST_CASE("directions of the drawing that are not turned into body axes are found in forces and constraints") {
  require_found("thruster-axes", "its directions are as drawn", "`direction` is taken in the axes of the body");
  require_found("guide-axes", "its directions are as drawn", "`direction` is taken in the axes of the body");
  for (const char* const type : {"thruster-sound", "guide-sound"}) {
    require_sound(type);
    require_passed(type, "its directions are as drawn");
  }
}

TEST_CASE("the word ground in a meaning switches nothing off") {
  require_sound("foot-sound");
  require_passed("foot-sound", "wrenches turn with the frame");
  require_passed("foot-sound", "cancels");
  require_failed("foot-axes", "wrenches turn with the frame");
  require_failed("foot-place", "wrenches turn with the frame");  // it holds on to the ground origin
  require_sound("floats-sound");                                 // gravity turns too, and takes its part
  require_passed("floats-sound", "wrenches turn with the frame");
  require_failed("floats-axes", "wrenches turn with the frame");
}

TEST_CASE("elements with short waves and large numbers conform, and their mistakes are found") {
  for (const char* const type : {"wave-curve", "wave-arc", "wave-bounded", "cylinder-sound", "cylinder-told"})
    require_sound(type);
  require_failed("wave-bias", "the bias is the rate of H");
  require_failed("wave-slope", "H is the rate of the pose");
  require_failed("cylinder-power", "less the rate of its potential energy");
}

TEST_CASE("a wave whose phase the rounding of the way turns conforms in other drawings, and a mistake in it is found") {
  for (std::uint64_t draw = 0; draw < 2; ++draw)
    for (const Claim& claim : made_claims_of("wave-fine", 60, draw)) {
      INFO(draw << ": " << text(claim));
      CHECK(claim.verdict != Verdict::failed);
    }
  require_failed("wave-fine-bias", "the bias is the rate of H");
}

TEST_CASE("the model in which a check failed is told, with the state as initial one") {
  for (const char* const type : {"wave-bias", "thruster-axes", "foot-drawn", "hinge-crash"}) {
    const std::vector<Claim>& claims = claims_of(type);
    const auto failed = std::ranges::find(claims, Verdict::failed, &Claim::verdict);
    REQUIRE(failed != claims.end());
    CHECK_THAT(failed->model, Catch::Contains("polyform: 1") && Catch::Contains(std::string("type: ") + type));
  }
  const std::vector<Claim>& claims = claims_of("wave-bias");
  CHECK_THAT(std::ranges::find(claims, Verdict::failed, &Claim::verdict)->model,
             Catch::Contains("initial: {position: "));
}

TEST_CASE("mistakes of a joint are found") {
  require_sound("hinge-sound");
  require_failed("hinge-motion", "H is the rate of the pose");
  require_failed("hinge-bias", "the bias is the rate of H");
  require_failed("hinge-bias", "energy is kept");
  require_failed("hinge-rates", "N is linear in v");
  require_failed("hinge-coordinates", "coordinates follow from the pose");
  if (!has_address_sanitizer) require_failed("hinge-coordinates", "as cut joint");
  require_failed("hinge-turns", "after several turns to either side");
  require_sound("hinge-screw");
  require_found("hinge-wrap", "the pose follows q without jumps", "it jumps");
  require_failed("hinge-far", "H is the rate of the pose");
  require_failed("hinge-axes", "directions are as drawn");
  require_failed("hinge-place", "acts where its position is drawn");
  require_failed("hinge-memory", "the same every time");
  require_failed("hinge-scratch", "it writes to no static variables");
  require_failed("hinge-nan", "finite number");
  require_failed("hinge-meaning", "in a line each what it and its fields are");
}

TEST_CASE("mistakes of a force are found") {
  require_sound("spring-sound");
  require_failed("spring-power", "less the rate of its potential energy");
  require_failed("spring-power", "the energy changes by the power");
  require_failed("spring-sign", "less the rate of its potential energy");
  require_failed("spring-sign", "cancels");
  require_failed("spring-damper-without-power", "less the rate of its potential energy");
  require_failed("spring-moment", "less the rate of its potential energy");
  require_failed("spring-moment", "cancels");
  require_failed("spring-time", "less the rate of its potential energy");
  require_failed("spring-history", "the same input gives the same output");
  require_failed("spring-axes", "wrenches turn with the frame");
  require_failed("spring-action", "cancels");
  require_failed("spring-batch", "what each gives alone");
  require_failed("spring-memory", "the same input gives the same output");
  require_failed("spring-nan", "finite number");
  require_failed("spring-weak", "less the rate of its potential energy");
  require_found("spring-unguarded", "finite number", "with all markers in one place");
  require_failed("spring-scratch", "it writes to no static variables");
}

TEST_CASE("mistakes of a constraint element are found") {
  require_sound("rail-sound");
  require_failed("rail-row", "is the rate of the residual");
  require_failed("rail-acceleration", "is the rate of the velocity rows");
  require_sound("plane-sound");
  require_failed("plane-column", "is the rate of the residual");
  require_failed("plane-bias", "is the rate of the velocity rows");
  require_failed("plane-coriolis", "is the rate of the velocity rows");
  require_failed("plane-rate", "is the rate of the residual");
  require_failed("plane-acceleration", "is the rate of the velocity rows");
  require_failed("plane-residual", "is the rate of the residual");
  require_found("plane-holonomic", "is the rate of the residual", "it is declared holonomic");
  require_failed("plane-undeclared", "its residual is zero, as it is not holonomic");
  require_failed("plane-world", "turns with the frame");
  require_failed("plane-reaction", "put on the markers cancels");
  require_failed("plane-rows", "every row asks something");
  require_failed("plane-memory", "the same every time");
  require_failed("plane-batch", "what each gives alone");
  require_found("plane-nan", "random instances of it are accepted", "its residual is no finite number");
  require_failed("plane-nan-bias", "finite number");
}

TEST_CASE("mistakes of a flexible body are found") {
  require_sound("rod-sound");
  require_failed("rod-symmetry", "mass matrix is symmetric");
  require_failed("rod-invariants", "those of Lagrange's equations");
  require_failed("rod-stiffness", "those of Lagrange's equations");
  require_failed("rod-strain", "strain energy is not negative");
  require_failed("rod-damping", "damping takes energy");
  require_failed("rod-gravity", "first moment are those of the mass matrix");
  require_failed("rod-moment", "first moment are those of the mass matrix");
  require_failed("rod-memory", "the same input gives the same output");
  require_failed("rod-batch", "what each gives alone");
  require_failed("rod-nan", "finite number");
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
  require_failed("sledge-meaning", "in a line each what it and its fields are");
}

TEST_CASE("mistakes of a formulation are found") {
  require_sound("solver-sound");
  require_failed("solver-accelerations", "those of the other formulations");
  require_failed("solver-accelerations", "what the joints allow");
  require_failed("solver-reactions", "the reactions balance");
  require_failed("solver-balls", "the reactions balance");
  require_failed("solver-gyroscopic", "the reactions balance");
  require_failed("solver-gyroscopic", "those of the other formulations");
  require_failed("solver-power", "the energy changes by the power");
  require_failed("solver-sharing", "two solvers in two threads");
  require_failed("solver-turns", "two solvers in turns");
  require_failed("solver-memory", "depends on t and y alone");
  require_found("solver-restless", "its discrete state is constant", "derivative() changes it");
  require_found("solver-hidden", "its discrete state is constant", "of before the derivative is another");
  require_found("solver-stale", "depends on t and y alone", "a part of y was the same");
  require_failed("solver-time", "those of the other formulations");
  require_failed("solver-drift", "a violation of joints is told, and correct() removes it");
  require_found("solver-unsaid", "a violation of joints is told", "velocity_violation tells too little");
  require_failed("solver-nan", "everything observed is a finite number");
  require_failed("solver-nan", "the reactions balance");
  require_found("solver-angle-signs", "trees: motion, accelerations", "joint coordinates differ");
  require_found("solver-angle-signs", "loops: velocities and accelerations are the rates",
                "rates of joint coordinates");
  require_found("solver-angle-turns", "motion, accelerations", "joint coordinates differ");
  require_failed("solver-code-joints", "joints that are code: velocities, accelerations");
  require_found("solver-redundant", "it runs redundant constraints, as it declares", "it does not like this model");
  require_failed("solver-massless", "bodies without mass: velocities, accelerations");
  if (!has_address_sanitizer) require_found("solver-many-bodies", "trees: everything observed", "signal 6");
  require_found("solver-refusal", "it runs some of them", "it refuses all, and nothing is checked: it does not like");
  require_found("solver-derivative", "everything observed is a finite number", "dy/dt is no finite number at place");
  require_found("solver-rates", "it runs forces with first-order states", "something observed is no finite number");
  require_failed("solver-claims", "constraint elements: all is as in the other formulations");
  require_failed("solver-flexible", "flexible bodies: velocities, accelerations and rates of states");
  require_failed("solver-still-states", "first-order states: velocities, accelerations and rates of states");
  require_failed("solver-backward-states", "first-order states: velocities, accelerations and rates of states");
  require_failed("solver-lost-states", "first-order states: the state goes to y and back");
  require_failed("solver-corrected-states", "correct() leaves the states alone");
  require_failed("solver-silence", "closed loops");
  require_failed("solver-option", "option way=wrong");
}

TEST_CASE("an option that changes nothing is told") {
  const auto verdict_in = [](const std::string& type) {
    const std::vector<Claim>& claims = claims_of(type);
    return std::ranges::find(claims, "option way changes something", &Claim::name)->verdict;
  };
  CHECK(verdict_in("solver-sound") == Verdict::unsupported);
  if (is_tried("solver-option")) CHECK(verdict_in("solver-option") == Verdict::passed);
}

TEST_CASE("allocations in an evaluation are found in every kind") {
  if (has_address_sanitizer) return;
  for (const char* type : {"spring-allocation", "plane-allocation", "rod-allocation", "sledge-allocation"})
    require_failed(type, "evaluate() allocates nothing");
  require_failed("hinge-allocation", "its kernel allocates nothing");
  require_failed("solver-allocation", "nothing is allocated after compile");
}

TEST_CASE("what the host refuses before any check is told with the host's reason") {
  const std::vector<Claim>& claims = claims_of("rod-positive");
  CHECK(claims.back().verdict == Verdict::failed);
  CHECK_THAT(claims.back().finding, Catch::Contains("would have negative kinetic energy"));
}

TEST_CASE("a type of which no instance can be made fails with the reason") {
  constexpr const char* made = "random instances of it are accepted";
  require_found("hinge-silence", made, "define() rejects this entry without a report");
  require_found("rod-rejection", made, "define() rejects this entry without a report");
  require_found("hinge-parameters", made, "it has no kernel, and its define() sets parameters");
  require_found("hinge-both", made, "has a kernel, and its define() adds primitives");
  require_found("hinge-freedoms", made, "has 9 velocities, a joint has at most 6");
  require_found("spring-nothing", made, "gives no batch");
}

TEST_CASE("a crash, an endless loop or a thirst for memory loses its check alone, and is named") {
  for (const auto& [type, finding] : {std::pair{"hinge-crash", "ended by signal 11"},
                                      {"hinge-hang", "not done within the time limit"},
                                      {"hinge-hog", "memory"}}) {
    const bool hangs = std::string_view(finding) == "not done within the time limit";
    if (has_address_sanitizer && !hangs) continue;
    // To fill the memory takes a busy machine more than a second.
    const double seconds = !hangs ? 60 : has_address_sanitizer ? 4 : 1;
    std::vector<Claim> lost;
    for (const Claim& claim : claims_of(type, seconds))
      if (claim.verdict == Verdict::failed) lost.push_back(claim);
    REQUIRE(lost.size() == 3);
    for (const Claim& claim : lost) CHECK_THAT(claim.finding, Catch::Contains(finding));
    CHECK(lost[0].name == "everything it gives is a finite number");
    CHECK(lost[1].name == "as drawn, its coordinates are neutral and its pose is the identity");
    CHECK_THAT(lost[2].finding, Catch::Contains("the checks after this one were not made"));
  }
}

TEST_CASE("a sound integrator passes all checks, and each mistake of one is found") {
  require_sound("steps-sound");
  // Allocations cannot be counted where the sanitizer makes them.
  for (const Claim& claim : claims_of("steps-sound"))
    CHECK((claim.verdict == Verdict::passed || (has_address_sanitizer && claim.verdict == Verdict::unsupported)));
  constexpr const char* order = "its order is what it says";
  require_found("steps-order", order, "it says 3");
  require_found("steps-times", order, "a driven disc");
  require_found("steps-integrals", order, "a driven disc");
  require_found("steps-held", order, "between steps it is of order");
  require_failed("steps-careless", "its errors follow the tolerances");
  require_found("steps-longest", "steps end at their limits", "are allowed");
  require_found("steps-beyond", "steps end at their limits", "goes beyond its limit");
  require_found("steps-uncorrected", "corrected once, at its end", "not corrected");
  require_failed("steps-corrected-late", "corrected once, at its end");
  require_failed("steps-history", "after a restart nothing of before counts");
  require_failed("steps-question", "what is asked between steps changes no step");
  require_told("steps-writes", "state_at() writes beyond the");
  require_found("steps-random", "the same run gives the same numbers", "a second run gives other numbers");
  require_failed("steps-shared", "the same run gives the same numbers");
  require_found("steps-silent", "a step that fails is told", "failure() does not tell why");
  require_found("steps-advances", "a step that fails is told", "the time or the state is another");
  if (AllocationCount::available()) require_failed("steps-allocation", "nothing is allocated in steps");
}
