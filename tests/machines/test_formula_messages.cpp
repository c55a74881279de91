// What a person reads where a formula has no value at the start, grows beyond any scale, or names what is not there.
#include "tests/machines/machine_run.hpp"

using namespace polyform::test;
using Catch::Matchers::Contains;

namespace {

std::string slide(const std::string& rest) {
  return "polyform: 1\ngravity: [0, 0, 0]\nbodies: [{name: b, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}]\n"
         "joints: [{name: s, type: prismatic, base: ground, moving: b, position: [0, 0, 0], axis: [1, 0, 0]}]\n" +
         rest;
}
std::string driven(const std::string& formula) {
  return slide("constraints: [{name: d, type: prescribed-motion, joint: s, motion: {expression: \"" + formula +
               "\"}}]\n");
}

Outcome outcome_of(const std::string& text) {
  const Workshop shop;
  return shop.run({"run", shop.write("model.yaml", text), "--duration", "1", "--output", "rows.csv", "--quiet"});
}

}  // namespace

TEST_CASE("a formula without a value or a rate at the start is named, and no plugin is blamed") {
  for (const char* formula : {"sqrt(t)", "t^0.5"}) {
    const Outcome outcome = outcome_of(driven(formula));
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, Contains("an infinite derivative in time in `" + std::string(formula) + "`"));
    CHECK_THAT(outcome.err, Contains("model.yaml:5:") && Contains("let the motion begin with finite derivatives"));
  }
  const Outcome outcome = outcome_of(driven("sqrt(t-0.5)"));
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("the square root of -0.5 in `sqrt(t-0.5)`") && !Contains("author of the plugin"));
}

TEST_CASE("a formula that has become huge is named where the run ends") {
  const Outcome outcome =
      outcome_of(slide("forces: [{name: f, type: joint-force, joint: s, effort: {expression: \"exp(2000*t)\"}}]\n"));
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.err, Contains("in `exp(2000*t)`") && Contains("is huge"));
}

TEST_CASE("names that formulas do not know are answered with the one that was meant") {
  const auto said = [](const std::string& formula) {
    const Outcome outcome =
        outcome_of(slide("parameters: {c: 3}\nforces: [{name: f, type: joint-force, joint: s, "
                         "effort: {expression: \"" +
                         formula + "\"}}]\n"));
    CHECK(outcome.code == 2);
    return outcome.err;
  };
  CHECK_THAT(said("sin(T)"), Contains("Did you mean 't'?"));
  CHECK_THAT(said("sin(time)"), Contains("the time is written t"));
  const Outcome parameter = outcome_of(slide("parameters: {m: kk, kk: 2}\n"));
  CHECK(parameter.code == 2);
  CHECK_THAT(parameter.err, Contains("takes those before it in its file") && Contains("none stands before this one"));
}

TEST_CASE("a tyre file without coefficients of a kind draws a note that says which") {
  const Workshop shop;
  shop.write("few.tir", "[MODEL]\nFITTYP = 6\n[VERTICAL]\nFNOMIN = 4000\nPCY1 = 1.35\nQBZ1 = 9\n");
  const Outcome outcome =
      shop.run({"check", shop.write("model.yaml",
                                    slide("forces: [{name: t, type: magic-formula-tyre, tir: few.tir, "
                                          "wheel: {body: b}, axis: [0, 1, 0], radius: 0.33, stiffness: 2e5}]\n"))});
  CHECK_THAT(outcome.err, Contains("no coefficients of combined slip") && !Contains("aligning moment"));
}

TEST_CASE("a tyre file that lacks principal coefficients, or misspells them, is told") {
  const Workshop shop;
  const auto check = [&](const std::string& file) {
    shop.write("few.tir", file);
    return shop.run(
        {"check", shop.write("model.yaml", slide("forces: [{name: t, type: magic-formula-tyre, tir: few.tir, "
                                                 "wheel: {body: b}, axis: [0, 1, 0], radius: 0.33, "
                                                 "stiffness: 2e5}]\n"))});
  };
  const std::string rest = "PCX1 = 1.6\nPDX1 = 1\nPKX1 = 20\nRBX1 = 10\nPCY1 = 1.35\nPDY1 = 1\nPKY2 = 2\nQBZ1 = 9\n";
  const Outcome misspelt = check("[LATERAL_COEFFICIENTS]\nFNOMIN = 6000\n" + rest + "PKYl = -20\n");
  CHECK(misspelt.code == 0);
  CHECK_THAT(misspelt.err, Contains("does not give PKY1") && Contains("no coefficients PKYL"));
  const Outcome complete = check("[LATERAL_COEFFICIENTS]\nFNOMIN = 6000\n" + rest + "PKY1 = -20\n");
  CHECK(complete.code == 0);
  CHECK_THAT(complete.err, !Contains("warning"));
  const Outcome unloaded = check("[LATERAL_COEFFICIENTS]\n" + rest + "PKY1 = -20\n");
  CHECK(unloaded.code == 2);
  CHECK_THAT(unloaded.err, Contains("no FNOMIN"));
}
