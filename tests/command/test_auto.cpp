// What auto costs beside the best integrator that it chooses from, over the models that come with polyform.
#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/command/command_runner.hpp"

using namespace polyform::test;

namespace {

/// Too long for a test, or for other integrators than those of contacts.
bool is_left_out(const std::string& name) {
  constexpr const char* long_ones[] = {"100",       "200",        "300",       "500",       "1000",      "ladder_40",
                                       "marbles",   "many_loops", "plank_on",  "pins_and_", "quarter_",  "rattleback",
                                       "_in_a_box", "clearance",  "stone_on_", "eulers_",   "stiff_beam"};
  return std::any_of(std::begin(long_ones), std::end(long_ones),
                     [&](const char* part) { return name.find(part) != std::string::npos; });
}

/// How many times the evaluations of the best choice others take, and why.
const std::map<std::string, double> exceptions{
    // Kinks of tables and cams: seen after some hundred evaluations, of a thousand or some thousands.
    {"cam_spindle", 1.4},
    {"ground_resonance", 1.2},
    {"valve_train", 1.15},
    // The choice changes with every phase of the motion, and each change costs some steps.
    {"bouncing_ball", 1.4},
    {"hydraulic_lift", 1.25},
    {"newtons_cradle", 1.15},
    // Open: a few trials decide on a quarter of all evaluations.
    {"four_link_flexible", 1.25},
};

}  // namespace

TEST_CASE("auto takes hardly more evaluations than the best of its methods on shipped models") {
  // An evaluation of radau5 comes with its part of the solution of linear systems: a step of 6 evaluations costs as
  // much as 14.4 of an explicit method. The opening, the first looks and a change cost some sixty evaluations at most.
  const std::map<std::string, double> methods{{"dop853", 1}, {"dopri5", 1}, {"radau5", 2.4}};
  constexpr double a_few = 60, hardly_more = 1.05;
  const Workshop shop;
  const auto evaluations = [&](const std::string& model, const std::string& integrator) {
    const Outcome outcome =
        shop.run({"run", shipped(model), "--solver", "riccati", "--integrator", integrator, "--json"});
    return outcome.code == 0 ? nlohmann::json::parse(outcome.out).at("evaluations").get<double>() : 0.0;
  };
  std::size_t compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(POLYFORM_MODELS)) {
    const std::string model = entry.path().stem();
    if (entry.path().extension() != ".yaml" || is_left_out(model)) continue;
    const double automatic = evaluations(model, "auto");
    if (automatic == 0) continue;
    double best = std::numeric_limits<double>::infinity();
    for (const auto& [method, weight] : methods)
      if (const double fixed = evaluations(model, method); fixed > 0) best = std::min(best, weight * fixed);
    const auto exception = exceptions.find(model);
    INFO(model << ": " << automatic << " for " << best);
    CHECK(automatic < (exception == exceptions.end() ? hardly_more : exception->second) * best + a_few);
    ++compared;
  }
  CHECK(compared > 80);
}
