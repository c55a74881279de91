// Formulas, parameters, signals and states through the command line, against closed forms, in every formulation.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <sstream>

#include "tests/command/slide_model.hpp"

using namespace polyform::test;
using Catch::Contains;

namespace {

std::string fmt_number(double x) {
  std::ostringstream text;
  text.precision(17);
  text << x;
  return text.str();
}

std::string refusal_of_state(const Workshop& shop, const std::string& model, const std::string& state) {
  const Outcome outcome = shop.run({"run", model, "--state", shop.write("state.csv", state), "--quiet"});
  CHECK(outcome.code == 2);
  return outcome.err;
}

std::string refusal(const std::string& model, std::vector<std::string> more = {}) {
  const Workshop shop;
  std::vector<std::string> arguments{"check", shop.write("m.yaml", model)};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = shop.run(arguments);
  CHECK(outcome.code == 2);
  return outcome.err;
}

}  // namespace

TEST_CASE("a step response under control is that of the closed form, in every formulation") {
  const Workshop shop;
  for (const std::string& solver : solvers) {
    CAPTURE(solver);
    const Table t = run(shop, shipped("servo_slide"), {"--solver", solver});
    const double z = 0.4, w = 5, d = w * std::sqrt(1 - z * z);
    double peak = 0;
    for (std::size_t r = 0; r < t.rows.size(); ++r) {
      const double s = t.at(r, "time") - 0.5;
      const double x = s < 0 ? 0 : 1 - std::exp(-z * w * s) * (std::cos(d * s) + z * w / d * std::sin(d * s));
      CHECK(t.at(r, "slide.q") == Approx(x).margin(1e-8));
      CHECK(t.at(r, "signal.command") ==
            Approx(50 * (t.at(r, "signal.target") - t.at(r, "slide.q")) - 8 * t.at(r, "slide.v")).margin(1e-9));
      peak = std::max(peak, t.at(r, "slide.q"));
    }
    CHECK(peak == Approx(1 + std::exp(-std::numbers::pi * z / std::sqrt(1 - z * z))).margin(2e-3));
  }
}

TEST_CASE("a formula reads coordinates and motions of bodies, in every formulation") {
  const Workshop shop;
  const std::string model = shop.write("m.yaml", R"YAML(polyform: 1
parameters: {k: 3, c: "k/10"}
gravity: [0, 0, 0]
bodies:
  - {name: rod, mass: 1, center_of_mass: [0.5, 0, 0], inertia: {xx: 0.01, yy: 0.08, zz: 0.08}}
  - {name: tip, position: [1, 0, 0], mass: 0.5, inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}
joints:
  - {name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1],
     initial: {position: 0.3, velocity: 0.7}}
  - {name: elbow, type: revolute, base: rod, moving: tip, position: [1, 0, 0], axis: [0, 0, 1],
     initial: {position: 0.2, velocity: -0.4}}
forces:
  - {name: a, type: joint-force, joint: pin,
     effort: {expression: "-k*sin(q(pin)) - c*v(pin) + x(tip)*vy(tip) + wz(tip)"}}
  - {name: b, type: point-force, body: tip,
     force: [{expression: "y(tip)^2"}, 0.5, {sum: [1, {sine: {amplitude: 1, frequency: 1}}]}]}
)YAML");
  const std::string plain = shop.write("p.yaml", [&] {
    const double q = 0.3, v = 0.7, x = std::cos(q), y = std::sin(q), vy = v * std::cos(q), wz = 0.7 - 0.4;
    std::string text = shop.read("m.yaml");
    const auto put = [&](const std::string& from, double value) {
      text.replace(text.find(from), from.size(), fmt_number(value));
    };
    put("{expression: \"-k*sin(q(pin)) - c*v(pin) + x(tip)*vy(tip) + wz(tip)\"}",
        -3 * std::sin(q) - 0.3 * v + x * vy + wz);
    put("{expression: \"y(tip)^2\"}", y * y);
    put("{sum: [1, {sine: {amplitude: 1, frequency: 1}}]}", 1);
    return text;
  }());
  const auto evaluated = [&](const std::string& file) {
    const Outcome outcome = shop.run({"evaluate", file, "--solver", "all", "--json"});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    return nlohmann::json::parse(outcome.out);
  };
  const auto given = evaluated(model), expected = evaluated(plain);
  for (const std::string& solver : solvers)
    for (const char* joint : {"pin", "elbow"}) {
      CAPTURE(solver, joint);
      const double is = given.at(solver).at("joints").at(joint).at("acceleration").at(0);
      CHECK(is ==
            Approx(expected.at(solver).at("joints").at(joint).at("acceleration").at(0).get<double>()).epsilon(1e-11));
    }
}

TEST_CASE("a formula that bends is met at its bend: a spring that only pushes") {
  // Flight of 0.5 s, half a period in contact, flight away.
  const Workshop shop;
  const std::string model =
      shop.write("m.yaml", slide(force("if(q(slide) < 0, -800*q(slide), 0)"), "{position: 0.5, velocity: -1}"));
  const double contact = std::numbers::pi * std::sqrt(2.0 / 800);
  for (const std::string& solver : solvers) {
    CAPTURE(solver);
    const Table t = run(shop, model, {"--solver", solver});
    CHECK(t.at(t.rows.size() - 1, "slide.q") == Approx(2 - 0.5 - contact).margin(1e-9));
    CHECK(t.at(t.rows.size() - 1, "slide.v") == Approx(1).margin(1e-9));
  }
}

TEST_CASE("an implicit method goes on right behind a kink and a jump of a force") {
  struct Law {
    const char *effort, *start;
    double end, margin;  ///< the velocity in free flight behind the law
  };
  const Law laws[] = {{"if(q(j)>0, -0.3, 0)", "position: 1, velocity: -10", -std::sqrt(100.6), 1e-7},
                      {"if(q(j)>0, -1, 0)", "position: 1, velocity: -10", -std::sqrt(102), 1e-7},
                      {"if(q(j)>200, -1e9*(q(j)-200), 0)", "velocity: 20", -20, 1e-4},
                      {"if(q(j)>200, -1e13*(q(j)-200), 0)", "velocity: 20", -20, 1e-4}};
  const Workshop shop;
  for (const Law& law : laws) {
    CAPTURE(law.effort);
    const Table t = run(shop,
                        shop.write("m.yaml", fmt::format(R"YAML(polyform: 1
gravity: [0, 0, 0]
bodies: [{{name: d, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}]
joints: [{{name: j, type: prismatic, base: ground, moving: d, position: [0, 0, 0], axis: [1, 0, 0], initial: {{{}}}}}]
forces: [{{name: b, type: joint-force, joint: j, effort: {{expression: "{}"}}}}]
)YAML",
                                                         law.start, law.effort)),
                        {"--integrator", "radau5", "--duration", "20", "--output-interval", "20"});
    CHECK(t.at(1, "j.v") == Approx(law.end).margin(law.margin));
  }
}

TEST_CASE("a formula of time drives a prescribed motion with its derivatives") {
  const Workshop shop;
  const Table t = run(shop,
                      shop.write("m.yaml", slide("constraints:\n  - {name: m, type: prescribed-motion, joint: "
                                                 "slide, motion: {expression: \"0.1*t^2*sin(3*t)\"}}\n")),
                      {"--columns", "joints,reactions", "--solver", "cartesian"});
  for (std::size_t r = 0; r < t.rows.size(); ++r) {
    const double s = t.at(r, "time");
    CHECK(t.at(r, "slide.q") == Approx(0.1 * s * s * std::sin(3 * s)).margin(1e-10));
    CHECK(t.at(r, "slide.v") == Approx(0.2 * s * std::sin(3 * s) + 0.3 * s * s * std::cos(3 * s)).margin(1e-10));
  }
}

TEST_CASE("a formula without a value ends the run and is named") {
  const Workshop shop;
  const std::string model =
      shop.write("m.yaml", slide(force("1 + 0.5/(q(slide) - 0.5)^0.5"), "{position: 1, velocity: -2}"));
  const Outcome outcome = shop.run({"run", model, "--quiet"});
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.err, Contains("to the power of 0.5, which is no whole number in") && Contains("m.yaml:9:") &&
                              Contains("forces[0].effort") && Contains("at t = "));
  const Outcome at_once = shop.run({"evaluate", shop.write("n.yaml", slide(force("1/q(slide)")))});
  CHECK(at_once.code == 1);
  CHECK_THAT(at_once.err, Contains("division by zero in `1/q(slide)`"));
}

TEST_CASE("a torque of half a microsecond by a formula of time acts in full, with every integrator") {
  // 642 kN on 2 kg from 1.866286989384655 s to 1.866287574320367 s, by conditions and by steps.
  const double push = 642016.97182969 / 2 * (1.866287574320367 - 1.866286989384655);
  const Workshop shop;
  for (const char* formula : {"if(t > 1.866286989384655 and t < 1.866287574320367, 642016.97182969, 0)",
                              "642016.97182969*(step(t - 1.866286989384655) - step(t - 1.866287574320367))"})
    for (const std::string integrator :
         {"dopri5", "dop853", "rk4", "radau5", "generalized-alpha", "cvode-bdf", "cvode-adams"}) {
      INFO(formula << " " << integrator);
      const std::string model = shop.write("m.yaml", slide(force(formula), "{velocity: 0.1}"));
      const Table t = run(shop, model,
                          {"--integrator", integrator, "--step", "0.03", "--rtol", "1e-11", "--atol", "1e-13",
                           "--output-interval", "2"});
      CHECK(t.at(t.rows.size() - 1, "slide.v") == Approx(0.1 + push).epsilon(1e-8));
    }
}

TEST_CASE("a formula that grows beyond any scale ends the run and is named") {
  const Workshop shop;
  for (const char* formula : {"q(slide)*exp(900*t)", "if(t < 1, 0, exp(1000*(t-1)))"}) {
    const Outcome outcome = shop.run({"run", shop.write("m.yaml", slide(force(formula), "{position: 1}")), "--quiet"});
    INFO(formula << outcome.err);
    CHECK(outcome.code == 1);
    CHECK_THAT(outcome.err, Contains("m.yaml:9:"));
  }
}

TEST_CASE("a search for an equilibrium names the formula without a value") {
  const Workshop shop;
  const std::string model = shop.write("m.yaml", slide(force("1/t - 3*q(slide)")));
  for (const char* command : {"equilibrium", "linearize"}) {
    const Outcome outcome = shop.run({command, model});
    CHECK(outcome.code == 1);
    CHECK_THAT(outcome.err, Contains("division by zero in `1/t") && Contains("forces[0].effort"));
  }
}

TEST_CASE("wrong formulas are named with their place and a suggestion") {
  CHECK_THAT(refusal(slide(force("2*q(slied)"))),
             Contains("there is no joint 'slied'") && Contains("Did you mean 'slide'?"));
  CHECK_THAT(refusal(slide(force("2*q(slide, 1)"))), Contains("q(joint, 1), but the joint has 1 position coordinate"));
  CHECK_THAT(refusal(slide(force("signal(x)"))), Contains("there is no signal 'x'"));
  CHECK_THAT(refusal(slide(force("2*q"))), Contains("q is that of a joint: q(joint)"));
  CHECK_THAT(refusal(slide(force("2*si(t)"))),
             Contains("there is no function 'si'") && Contains("Did you mean 'sin'?"));
  CHECK_THAT(
      refusal(slide("signals:\n  - {name: a, value: \"signal(b) + 1\"}\n  - {name: b, value: \"2*signal(a)\"}\n")),
      Contains("an algebraic loop of signals: a -> b -> a"));
  CHECK_THAT(refusal(slide("constraints:\n  - {name: m, type: prescribed-motion, joint: slide, motion: {expression: "
                           "\"x(block)\"}}\n")),
             Contains("motion: a formula of the state cannot stand here"));
  CHECK_THAT(refusal(slide("signals:\n  - {name: a, type: pidd, input: 1}\n")), Contains("Did you mean 'pid'?"));
  // One mistake, one error.
  const std::string once = refusal(slide("signals:\n  - {name: a, type: pid, input: \"v(slide)\", kd: 2, ki: 1}\n"));
  CHECK_THAT(once, Contains("needs the rate of its input") && !Contains("unknown key"));
  CHECK_THAT(refusal(slide("signals:\n  - {name: a, type: pid, input: 1, kd: 2, rate: 0, filter: 0.1}\n")),
             Contains("signals[0].rate: the rate of the input is given, and a filter that would find it"));
  CHECK_THAT(refusal(slide("signals:\n  - {name: a, type: pid, input: 1, kd: 2, filter_initial: 1}\n")),
             Contains("signals[0].filter_initial: the start of a filter is given, but no filter"));
}

TEST_CASE("--set gives values of the model, and refuses what is not there") {
  const Workshop shop;
  const std::string model =
      shop.write("m.yaml", "parameters: {k: 50, m: \"k/25\"}\n" + slide(force("-k*q(slide)"), "{position: 0.2}"));
  const auto end = [&](std::vector<std::string> more) {
    const Table t = run(shop, model, more);
    return t.at(t.rows.size() - 1, "slide.q");
  };
  CHECK(end({}) == Approx(0.2 * std::cos(2 * 5.0)).margin(1e-8));
  CHECK(end({"--set", "parameters.k=8"}) == Approx(0.2 * std::cos(2 * 2.0)).margin(1e-8));
  CHECK(end({"--set", "parameters.k=8", "--set", "bodies.block.mass=m*25/4"}) ==
        Approx(0.2 * std::cos(2 * 2.0)).margin(1e-8));
  CHECK_THAT(refusal(shop.read("m.yaml"), {"--set", "parameters.kk=8"}),
             Contains("the model has no parameter 'kk'") && Contains("Did you mean 'k'?"));
  CHECK_THAT(refusal(shop.read("m.yaml"), {"--set", "parameters.k"}), Contains("expected PATH=VALUE"));
  CHECK_THAT(refusal(shop.read("m.yaml"), {"--set", "bodies.block.masss=8"}), Contains("unknown key 'masss'"));
  const Outcome study = shop.run({"study", model, "--vary", "parameters.k=8,50", "--quantity", "end=final(slide.q)",
                                  "--output", shop.path("s.csv").string(), "--quiet"});
  REQUIRE(study.code == 0);
  CHECK_THAT(shop.read("s.csv"), Contains("parameters.k"));
}

TEST_CASE("a run goes on from the last row of another, and from an equilibrium") {
  const Workshop shop;
  const Table whole = run(shop, shipped("double_pendulum"),
                          {"--duration", "2", "--integrator", "dopri5", "--rtol", "1e-11", "--atol", "1e-13"});
  const Outcome first =
      shop.run({"run", shipped("double_pendulum"), "--duration", "1", "--integrator", "dopri5", "--rtol", "1e-11",
                "--atol", "1e-13", "--output", shop.path("a.csv").string(), "--quiet"});
  REQUIRE(first.code == 0);
  const Table second = run(shop, shipped("double_pendulum"),
                           {"--duration", "1", "--integrator", "dopri5", "--rtol", "1e-11", "--atol", "1e-13",
                            "--state", shop.path("a.csv").string()});
  for (std::size_t c = 1; c < whole.names.size(); ++c) {
    if (whole.names[c].find('.') == std::string::npos || whole.names[c].starts_with("energy") ||
        whole.names[c].starts_with("constraint") || whole.names[c].starts_with("correction"))
      continue;
    CAPTURE(whole.names[c]);
    // A quaternion begins with the sign that a run gives it at its start.
    const std::string& name = whole.names[c];
    const bool turned =
        name.ends_with(".qw") || name.ends_with(".qx") || name.ends_with(".qy") || name.ends_with(".qz");
    const double found = second.rows.back()[c], expected = whole.rows.back()[c];
    CHECK(found == Approx(turned && found * expected < 0 ? -expected : expected).margin(1e-8));
  }
  const std::string model =
      shop.write("m.yaml", slide(force("10 - 20*q(slide) - v(slide)"), "{position: 0.3, velocity: 0}"));
  REQUIRE(shop.run({"equilibrium", model, "--output", shop.path("e.yaml").string()}).code == 0);
  const Table rest = run(shop, model, {"--state", shop.path("e.yaml").string()});
  CHECK(rest.at(0, "slide.q") == Approx(0.5).margin(1e-8));
  CHECK(rest.at(rest.rows.size() - 1, "slide.q") == Approx(0.5).margin(1e-8));
  CHECK_THAT(refusal_of_state(shop, model, "time,other.q\n0,1\n"), Contains("names no joint") && Contains("slide.q"));
  CHECK_THAT(refusal_of_state(shop, model, "time,slide.q\n0,nan\n"), Contains("expected a finite number"));
  CHECK_THAT(refusal_of_state(shop, model, "time,slide.q\n0\n"), Contains("1 values, the header 2 columns"));
}

TEST_CASE("a pid that rests at its limit does not pass it again and again by rounding") {
  const Workshop shop;
  const std::string model = shop.write("p.yaml", R"YAML(
polyform: 1
gravity: [0, -9.81, 0]
bodies: [{name: rod, mass: 2, center_of_mass: [0, -1, 0], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}]
joints: [{name: pin, type: revolute, base: ground, moving: rod, position: [0, 0, 0], axis: [0, 0, 1]}]
signals:
  - {name: u, type: pid, input: "0.5-q(pin)", rate: "-v(pin)", kp: 40, ki: 30, kd: 12, lower: -8, upper: 8}
forces: [{name: drive, type: joint-force, joint: pin, effort: {expression: "signal(u)"}}]
simulation: {duration: 4, output_interval: 0.1}
)YAML");
  for (const char* solver : {"riccati", "cartesian", "thompson"}) {
    INFO(solver);
    const Outcome outcome = shop.run({"run", model, "--solver", solver, "--output", shop.path("p.csv").string()});
    CHECK(outcome.code == 0);
    CHECK_THAT(outcome.err, !Contains("without end"));
  }
}

TEST_CASE("a divisor costs steps of fixed length no evaluations where it is not near zero") {
  const Workshop shop;
  const std::string model = shop.write("p.yaml", R"YAML(
polyform: 1
gravity: [0, 0, -9.81]
bodies: [{name: ball, mass: 2, position: [0.3, 0.1, -1.2], inertia: {xx: 0.01, yy: 0.01, zz: 0.01}}]
joints: [{name: f, type: free, base: ground, moving: ball, position: [0, 0, 0]}]
signals:
  - {name: length, value: "hypot(x(ball), y(ball), z(ball))"}
  - {name: pull, value: "-100*(signal(length) - 1)/signal(length)"}
forces:
  - {name: line, type: point-force, body: ball, force: [{expression: "signal(pull)*x(ball)"},
     {expression: "signal(pull)*y(ball)"}, {expression: "signal(pull)*z(ball)"}]}
simulation: {duration: 1, step: 0.001, output_interval: 0.5, integrator: rk4}
)YAML");
  const Outcome outcome = shop.run({"run", model, "--solver", "riccati", "--json"});
  REQUIRE(outcome.code == 0);
  const auto record = nlohmann::json::parse(outcome.out);
  const double steps = record.at("steps"), evaluations = record.at("evaluations");
  CHECK(steps < 1010);
  CHECK(evaluations < 4.2 * steps);
}

TEST_CASE("a short move from rest to rest through the pole of a hypotenuse ends there, in one step too") {
  const Workshop shop;
  const std::string model = shop.write("p.yaml", R"YAML(
polyform: 1
gravity: [0, 0, 0]
bodies:
  - {name: m, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
  - {name: w, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: a, type: prismatic, base: ground, moving: m, position: [0, 0, 0], axis: [1, 0, 0], initial: {position: 0.5}}
  - {name: axle, type: revolute, base: ground, moving: w, position: [0, 0, 0], axis: [0, 0, 1]}
constraints:
  - {name: drive, type: prescribed-motion, joint: a, motion: {expression: "step(t, 1, 0.5, 1.005, -0.31)"}}
signals:
  - {name: s, value: "1e-3/hypot(q(a), y(m))"}
  - {name: lag, type: transfer-function, input: "signal(s)", numerator: [1], denominator: [0.1, 1]}
forces:
  - {name: f, type: joint-force, joint: axle, effort: {expression: "signal(lag)"}}
simulation: {duration: 3, step: 0.01}
)YAML");
  for (const char* integrator : {"rk4", "dop853", "auto"}) {
    INFO(integrator);
    const Outcome outcome = shop.run({"run", model, "--quiet", "--integrator", integrator, "--step", "0.01"});
    CHECK(outcome.code == 1);
    CHECK_THAT(outcome.err, Contains("no motion leads past t = 1.00289421 s"));
  }
}
