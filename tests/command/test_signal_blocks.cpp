// Blocks, delays and samplers among signals, compared with their closed forms.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numbers>

#include "tests/command/slide_model.hpp"

using namespace polyform::test;
using Catch::Contains;

TEST_CASE("blocks answer as their closed forms") {
  const Workshop shop;
  const Table t = run(shop, shop.write("m.yaml", slide(R"YAML(signals:
  - {name: lag, type: transfer-function, input: 1, numerator: [3], denominator: [0.5, 1]}
  - {name: through, type: transfer-function, input: "t", numerator: [2, 1], denominator: [1, 1]}
  - {name: plant, type: transfer-function, input: "signal(control)", numerator: [1], denominator: [1, 1]}
  - {name: control, type: pid, input: "1 - signal(plant)", kp: 3, ki: 5}
  - {name: turned, type: integrator, input: "2*t", initial: 1}
  - {name: held, type: limiter, input: "3*t", lower: 0.5, upper: 2}
  - {name: late, type: delay, input: "t^2", time: 0.25}
  - {name: stairs, type: sampler, input: "t", interval: 0.3}
  - {name: map, type: table, input: "t", table: [[0, 0], [1, 2], [2, 0]]}
  - {name: grid, type: table, input: ["t", 0.5], x: [0, 2], y: [0, 1], table: [[0, 1], [2, 5]]}
)YAML")));
  // Closed loop s^2 + 4 s + 5 with roots -2 +- i, started at rest: the plant's answer to the step.
  for (std::size_t r = 0; r < t.rows.size(); ++r) {
    const double s = t.at(r, "time");
    CAPTURE(s);
    CHECK(t.at(r, "signal.lag") == Approx(3 * (1 - std::exp(-2 * s))).margin(1e-9));
    CHECK(t.at(r, "signal.through") == Approx(s + 1 - std::exp(-s)).margin(1e-9));
    CHECK(t.at(r, "signal.plant") == Approx(1 - std::exp(-2 * s) * (std::cos(s) - std::sin(s))).margin(1e-9));
    CHECK(t.at(r, "signal.turned") == Approx(1 + s * s).margin(1e-9));
    CHECK(t.at(r, "signal.held") == Approx(std::clamp(3 * s, 0.5, 2.0)));
    CHECK(t.at(r, "signal.late") == Approx(std::pow(std::max(s - 0.25, 0.0), 2)).margin(1e-14));
    CHECK(t.at(r, "signal.map") == Approx(s < 1 ? 2 * s : 4 - 2 * s).margin(1e-12));
    CHECK(t.at(r, "signal.grid") == Approx(0.5 + 1.5 * s).margin(1e-12));
  }
  CHECK(t.at(8, "signal.stairs") == Approx(0.6));
}

TEST_CASE("a pid finds the rate of an input of time and positions, in every formulation") {
  // 2 q'' = 8 e + 4 e' with e = sin t - q: the motion a sin t + b cos t from its own start.
  constexpr double a = 16.0 / 13, b = -2.0 / 13;
  const Workshop shop;
  const std::string model = shop.write(
      "m.yaml", slide("signals:\n  - {name: u, type: pid, input: \"sin(t) - 0.5*q(slide) - 0.5*x(block)\", kp: 8, kd: "
                      "4}\n" + force("signal(u)"),
                      fmt::format("{{position: {}, velocity: {}}}", b, a)));
  for (const std::string& solver : solvers) {
    CAPTURE(solver);
    const Table t = run(shop, model, {"--solver", solver});
    for (std::size_t r = 0; r < t.rows.size(); ++r) {
      const double s = t.at(r, "time");
      CHECK(t.at(r, "slide.q") == Approx(a * std::sin(s) + b * std::cos(s)).margin(1e-9));
    }
  }
}

TEST_CASE("loops of signals through a block with states close, in either order of the list") {
  const std::string error = "  - {name: error, value: \"1 - signal(out)\"}\n";
  struct Block {
    const char* item;
    double gain, rate;  ///< out = gain (1 - exp(-rate t))
  };
  const Block blocks[] = {
      {"{name: out, type: integrator, input: \"signal(error)\"}", 1, 1},
      {"{name: out, type: transfer-function, input: \"signal(error)\", numerator: [2], denominator: [1, 3]}", 0.4, 5},
      {"{name: out, type: pid, input: \"signal(error)\", ki: 2}", 1, 2}};
  const Workshop shop;
  for (const Block& block : blocks)
    for (const bool first : {true, false}) {
      const std::string item = fmt::format("  - {}\n", block.item);
      CAPTURE(item, first);
      const Table t =
          run(shop, shop.write("loop.yaml", slide("signals:\n" + (first ? item + error : error + item))));
      for (std::size_t r = 0; r < t.rows.size(); ++r)
        CHECK(t.at(r, "signal.out") ==
              Approx(block.gain * (1 - std::exp(-block.rate * t.at(r, "time")))).margin(1e-8));
    }
  // A sampler gives the error of the instant before: 1, 0, 1, 0, ...
  const std::string held = "  - {name: out, type: sampler, input: \"signal(error)\", interval: 0.3}\n";
  const Table t = run(shop, shop.write("held.yaml", slide("signals:\n" + error + held)));
  CHECK(t.at(2, "signal.out") == Approx(1));
}

TEST_CASE("a delay of the state by states: polynomials and harmonics come through, and roots are those of the delay") {
  const Workshop shop;
  for (const int order : {1, 2, 5, 8, 20}) {
    CAPTURE(order);
    const std::string text = fmt::format(R"YAML(signals:
  - {{name: grown, type: integrator, input: "1", initial: 1}}
  - {{name: late, type: delay, input: "signal(grown)", time: 0.25, order: {}, initial: 1}}
  - {{name: swing, type: integrator, input: "4*cos(4*t)"}}
  - {{name: swung, type: delay, input: "signal(swing)", time: 0.25, order: {}}}
)YAML",
                                         order, order);
    const Table t =
        run(shop, shop.write("m.yaml", slide(text)), {"--duration", "6", "--rtol", "1e-10", "--atol", "1e-12"});
    const std::size_t last = t.rows.size() - 1;
    CHECK(t.at(0, "signal.late") == Approx(1).margin(1e-14));
    CHECK(t.at(last, "signal.late") == Approx(1 + 6 - 0.25).margin(1e-8));
    // At 4 rad/s the approximation turns by 2 arg of the fraction: at order 1 by 2 atan(wT/2), from 5 on as the delay.
    const double phase = order == 1 ? 2 * std::atan(0.5) : order == 2 ? 2 * std::atan2(3 * 0.5, 3 - 0.25) : 1;
    CHECK(t.at(last, "signal.swung") == Approx(std::sin(4 * 6 - phase)).margin(1e-7));
  }
  // dx/dt = -x(t - 1): the root s = -exp(-s) of the largest real part, by Newton's method.
  std::complex<double> s(-0.3, 1.3);
  for (int k = 0; k < 30; ++k) s -= (s + std::exp(-s)) / (1.0 - std::exp(-s));
  const std::string loop = shop.write("loop.yaml", slide(R"YAML(signals:
  - {name: x, type: integrator, input: "-signal(late)", initial: 1}
  - {name: late, type: delay, input: "signal(x)", time: 1, order: 12, initial: 1}
)YAML"));
  const auto model = nlohmann::json::parse(shop.run({"linearize", loop, "--json"}).out);
  double nearest = 1;
  for (const auto& mode : model["modes"])
    nearest = std::min(nearest, std::abs(std::complex<double>(mode["real"], mode["imaginary"]) - s));
  CHECK(nearest < 1e-9);
  const Outcome refused = shop.run({"check", shop.write("r.yaml", slide(R"YAML(signals:
  - {name: late, type: delay, input: "q(slide)", time: 1}
)YAML"))});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err,
             Contains("earlier states are no part of the state") && Contains("Give 'order', from 1 to 20"));
  const Outcome wrong = shop.run({"check", shop.write("w.yaml", slide(R"YAML(signals:
  - {name: late, type: delay, input: "q(slide)", time: 1, order: 2.5}
)YAML"))});
  CHECK(wrong.code == 2);
  CHECK_THAT(wrong.err, Contains("a whole number from 1 to 20"));
}

TEST_CASE("a sampled controller steps as its difference equation") {
  // A mass of 2 kg under u_k = -6 x_k - 4 v_k, held for 0.1 s: x and v go on exactly between samples.
  const Workshop shop;
  const std::string model = shop.write("m.yaml", slide(R"YAML(signals:
  - {name: u, type: sampler, interval: 0.1, input: "-6*q(slide) - 4*v(slide)", initial: 7}
  - {name: before, type: sampler, interval: 0.1, input: "signal(u)"}
  - {name: count, type: sampler, interval: 0.25, input: "signal(count) + 1"}
forces:
  - {name: f, type: joint-force, joint: slide, effort: {expression: "signal(u)"}}
)YAML",
                                                       "{position: 1, velocity: 0.5}"));
  for (const std::string& solver : solvers) {
    CAPTURE(solver);
    const Table t = run(shop, model, {"--solver", solver, "--output-interval", "0.05"});
    double x = 1, v = 0.5, u = 0, before = 7;
    for (std::size_t k = 0; k < 20; ++k) {
      before = k == 0 ? 7 : u;
      u = -6 * x - 4 * v;
      const auto row = [&] {  // half way to the next sample
        for (std::size_t r = 0; r < t.rows.size(); ++r)
          if (std::abs(t.at(r, "time") - (0.1 * static_cast<double>(k) + 0.05)) < 1e-9) return r;
        return t.rows.size();
      }();
      REQUIRE(row < t.rows.size());
      CHECK(t.at(row, "slide.q") == Approx(x + 0.05 * v + 0.25 * 0.0025 * u).margin(1e-9));
      CHECK(t.at(row, "signal.u") == Approx(u).margin(1e-9));
      CHECK(t.at(row, "signal.before") == Approx(before).margin(1e-9));
      x += 0.1 * v + 0.25 * 0.01 * u;
      v += 0.5 * 0.1 * u;
    }
    CHECK(t.at(t.rows.size() - 1, "signal.count") >= 8);
  }
  // Between samples only the mass moves: that says nothing of the loop.
  const Outcome linear = shop.run({"linearize", model, "--json"});
  CHECK_THAT(linear.out,
             Contains("\"verdict\":\"none\"") && Contains("the state `signal.u.held` takes a sample every 0.1 s"));
}

TEST_CASE("an equilibrium under integral action stands at its set point, and a run from it rests") {
  const Workshop shop;
  const std::string lift = R"YAML(
polyform: 1
gravity: [0, 0, -9.81]
bodies: [{name: block, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}]
joints: [{name: s, type: prismatic, base: ground, moving: block, position: [0, 0, 0], axis: [0, 0, 1]}]
forces: [{name: f, type: joint-force, joint: s, effort: {expression: "signal(u)"}}]
simulation: {duration: 1, output_interval: 0.1, integrator: dopri5, tolerance: {relative: 1e-10, absolute: 1e-12}}
signals:
)YAML";
  for (const std::string gains : {"kp: 40, ki: 30, kd: 20", "kp: 0, ki: 30, kd: 20"}) {
    CAPTURE(gains);
    const std::string model =
        shop.write("m.yaml", lift + "  - {name: u, type: pid, input: \"0.3-q(s)\", rate: \"-v(s)\", " + gains + "}\n");
    const std::string file = shop.path("rest.yaml").string();
    const Outcome outcome = shop.run({"equilibrium", model, "--output", file, "--json"});
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    const auto found = nlohmann::json::parse(outcome.out);
    CHECK(found["balanced"] == true);
    CHECK(found["joints"]["s"]["position"][0].get<double>() == Approx(0.3).epsilon(1e-9));
    CHECK(found["states"]["signal.u.integral"].get<double>() == Approx(2 * 9.81 / 30).epsilon(1e-9));
    const Table rest = run(shop, model, {"--state", file});
    CHECK(rest.at(0, "s.q") == Approx(0.3).margin(1e-8));
    CHECK(rest.at(rest.rows.size() - 1, "s.q") == Approx(0.3).margin(1e-8));
  }
  // The integral of a constant has no rest. A file that was there before is kept.
  const std::string model = shop.write("m.yaml", lift + "  - {name: u, type: pid, input: \"1\", kp: 1, ki: 1}\n");
  const std::string kept = shop.write("kept.yaml", "joints: []\n");
  const Outcome failed = shop.run({"equilibrium", model, "--output", kept});
  CHECK(failed.code == 1);
  CHECK_THAT(failed.err, Contains("signal.u.integral") && Contains("left as it was"));
  CHECK(shop.read("kept.yaml") == "joints: []\n");
  CHECK(shop.run({"equilibrium", model, "--output", shop.path("none.yaml").string()}).code == 1);
  CHECK(!std::filesystem::exists(shop.path("none.yaml")));
}
