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
                      "4}\n" +
                          force("signal(u)"),
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
      const Table t = run(shop, shop.write("loop.yaml", slide("signals:\n" + (first ? item + error : error + item))));
      for (std::size_t r = 0; r < t.rows.size(); ++r)
        CHECK(t.at(r, "signal.out") == Approx(block.gain * (1 - std::exp(-block.rate * t.at(r, "time")))).margin(1e-8));
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

TEST_CASE("a formula with a value of its own at its jump is integrated by its values on both sides") {
  const Workshop shop;
  const std::string model = shop.write("m.yaml", slide(R"YAML(signals:
  - {name: before, type: integrator, input: "if(t<=1,3,-3)"}
  - {name: between, type: integrator, input: "3*sign(1-t)"}
  - {name: behind, type: integrator, input: "if(t<1,3,-3)"}
  - {name: twice, type: integrator, input: "if(abs(t-1)<=0.25,1,0)"}
  - {name: at_start, type: integrator, input: "if(t<=0,9,1)"}
  - {name: stairs, type: integrator, input: "ceil(2*t)"}
)YAML"));
  for (const std::string integrator : {"rk4", "dopri5", "radau5", "generalized-alpha", "cvode-bdf"}) {
    CAPTURE(integrator);
    const Table t = run(shop, model, {"--integrator", integrator, "--step", "0.01", "--duration", "2"});
    const std::size_t last = t.rows.size() - 1;
    for (const std::string name : {"before", "between", "behind"})
      CHECK(t.at(last, "signal." + name) == Approx(0).margin(1e-12));
    CHECK(t.at(last, "signal.twice") == Approx(0.5).margin(1e-12));
    CHECK(t.at(last, "signal.at_start") == Approx(2).margin(1e-12));
    CHECK(t.at(last, "signal.stairs") == Approx(5).margin(1e-12));
  }
}

TEST_CASE("limits of a pid hold where its input jumps by the clock") {
  const Workshop shop;
  const std::string model = shop.write("m.yaml", slide(R"YAML(signals:
  - {name: back, type: pid, ki: 1, input: "if(t<1,3,-3)", upper: 2}
  - {name: low, type: pid, ki: 1, input: "-3*sign(1-t)", lower: -2}
  - {name: beyond, type: pid, kp: 1, ki: 4, input: "if(t<1,0.1,5)", lower: -2, upper: 2}
  - {name: kept, type: pid, kp: 1, ki: 2, input: "if(t<0.8,1.5-t,-0.5)", upper: 1}
)YAML"));
  for (const std::string integrator : {"dopri5", "rk4", "radau5"}) {
    CAPTURE(integrator);
    const Table t = run(shop, model, {"--integrator", integrator, "--step", "0.01"});
    for (std::size_t r = 0; r < t.rows.size(); ++r) {
      const double s = t.at(r, "time");
      CAPTURE(s);
      if (std::abs(s - 1) < 1e-9) continue;
      const double back = s < 1 ? std::min(3 * s, 2.0) : 2 - 3 * (s - 1);
      CHECK(t.at(r, "signal.back") == Approx(back).margin(1e-8));
      CHECK(t.at(r, "signal.low") == Approx(-back).margin(1e-8));
      CHECK(t.at(r, "signal.beyond") == Approx(s < 1 ? 0.1 + 0.4 * s : 2).margin(1e-8));
      CHECK(t.at(r, "signal.beyond.integral") == Approx(0.1 * std::min(s, 1.0)).margin(1e-8));
      // On the limit from 0.5 s on; there the integral is (1 - e)/2. A row at a jump has the state before it.
      if (std::abs(s - 0.8) > 1e-9)
        CHECK(t.at(r, "signal.kept") == Approx(s < 0.8 ? 1 : -0.2 - (s - 0.8)).margin(1e-5));
    }
  }
}

TEST_CASE("limits of a pid hold with kd, at a bend of the input, and for a pid behind another") {
  const Workshop shop;
  const std::string model = shop.write("m.yaml", slide(R"YAML(signals:
  - {name: filtered, type: pid, ki: 1, kd: 0.05, filter: 0.1, input: "if(t<1,3,-3)", upper: 2}
  - {name: bent, type: pid, kp: 1, ki: 2, input: "if(t<0.8, 1.5-t, 0.7-5*(t-0.8))", upper: 1}
  - {name: first, type: pid, ki: 1, input: "if(t<1,3,-0.5)", upper: 2}
  - {name: second, type: pid, kp: 1, ki: 1, input: "signal(first) - 1", upper: 1.2}
)YAML"));
  for (const std::string integrator : {"dopri5", "rk4", "radau5"}) {
    CAPTURE(integrator);
    const Table t = run(shop, model, {"--integrator", integrator, "--step", "0.01", "--duration", "3"});
    // The derivative is 1.5 exp(-10 s) behind the start, and -0.5 (f + 3) exp(-10 s) behind the jump, with the filter
    // f.
    const double left = std::exp(-10.0), f = 3 * (1 - left), integral = 2 - 1.5 * left;
    for (std::size_t r = 0; r < t.rows.size(); ++r) {
      const double s = t.at(r, "time");
      CAPTURE(s);
      if (std::abs(s - 1) < 1e-9) continue;
      const double slope = (s < 1 ? 1.5 : -0.5 * (f + 3)) * std::exp(-10 * (s < 1 ? s : s - 1));
      const double whole = (s < 1 ? 3 * s : integral - 3 * (s - 1)) + slope;
      CHECK(t.at(r, "signal.filtered") == Approx(std::min(whole, 2.0)).margin(1e-7));
      // From 0.5 s on the output rests on the limit; at 0.8 s the input begins to fall faster than the integral pushes.
      const double d = s - 0.8;
      CHECK(t.at(r, "signal.bent") == Approx(d < 0 ? 1 : 1 - 3.6 * d - 5 * d * d).margin(1e-7));
      CHECK(t.at(r, "signal.first") == Approx(s < 1 ? std::min(3 * s, 2.0) : 2 - 0.5 * (s - 1)).margin(1e-8));
      // The second comes to its limit at 13/15 s, rests on it while its input falls, and leaves it at 2 s.
      const double second = s < 2.0 / 3 ? 1.5 * s * s + 2 * s - 1 : std::min(1 + (s - 2.0 / 3), 1.2);
      CHECK(t.at(r, "signal.second") == Approx(s < 2 ? second : 1.2 - 0.25 * (s - 2) * (s - 2)).margin(1e-7));
    }
  }
}

TEST_CASE("a pid that rests at its limit has no events") {
  const Workshop shop;
  // A load is more than the drive can carry, then as much as it can carry; then the setpoint needs the output's limit.
  const auto rests = [&](const std::string& signals, const std::string& effort, double speed) {
    shop.write("m.yaml", slide("signals:\n  - {name: u, type: pid, " + signals + "}\n" + force(effort)));
    const Outcome run = shop.run({"run", "m.yaml", "--duration", "60", "--json"});
    INFO(signals << ": " << run.err);
    REQUIRE(run.code == 0);
    CHECK_THAT(run.err, !Contains("without end"));
    const auto record = nlohmann::json::parse(run.out);
    CHECK(record["events"] < 20);
    const Table t = polyform::test::run(shop, "m.yaml", {"--duration", "60"});
    CHECK(t.at(t.rows.size() - 1, "slide.v") == Approx(speed).margin(1e-6));
  };
  rests("input: \"5 - v(slide)\", kp: 2, ki: 4, upper: 10", "signal(u) - 30 - 10*v(slide)", -2);
  // W = -x obeys W" + W' + 2 W = 15 until the drive carries the load, where W" = 0; from there on the speed stays.
  const double w = std::sqrt(1.75), reached = std::atan(2 * w) / w;
  rests("input: \"-v(slide)\", kp: 2, ki: 4, upper: 30", "signal(u) - 30",
        -15 / w * std::exp(-reached / 2) * std::sin(w * reached));
  rests("input: \"2 - v(slide)\", kp: 2, ki: 4, upper: 10", "signal(u) - 5*v(slide)", 2);
  rests("input: \"2 - v(slide)\", ki: 4, lower: -3, upper: 10", "signal(u) - 5*v(slide)", 2);
}

TEST_CASE("a transfer function starts with the output that is given, with what goes through at once") {
  const Workshop shop;
  // With a constant input u, (2 s + 1)/(s + 1) and 1/(s + 1) obey y' = u - y.
  const Table t = run(shop, shop.write("m.yaml", slide(R"YAML(signals:
  - {name: lead, type: transfer-function, input: 3, numerator: [2, 1], denominator: [1, 1], initial: 6}
  - {name: moved, type: transfer-function, input: "q(slide) + 1.5", numerator: [2, 1], denominator: [1, 1], initial: 6}
  - {name: zero, type: transfer-function, input: 3, numerator: [2, 1], denominator: [1, 1], initial: 0}
  - {name: none, type: transfer-function, input: 3, numerator: [2, 1], denominator: [1, 1]}
  - {name: behind, type: transfer-function, input: "signal(lead) - 2", numerator: [1, 0, 3], denominator: [1, 2, 1], initial: 1}
  - {name: proper, type: transfer-function, input: 3, numerator: [5], denominator: [1, 1], initial: 6}
)YAML",
                                                       "{position: 0.5}")));
  for (std::size_t r = 0; r < t.rows.size(); ++r) {
    const double s = t.at(r, "time"), e = std::exp(-s);
    CAPTURE(s);
    CHECK(t.at(r, "signal.lead") == Approx(3 + 3 * e).margin(1e-8));
    CHECK(t.at(r, "signal.zero") == Approx(3 - 3 * e).margin(1e-8));
    CHECK(t.at(r, "signal.none") == Approx(3 + 3 * e).margin(1e-8));
    CHECK(t.at(r, "signal.proper") == Approx(15 - 9 * e).margin(1e-8));
  }
  CHECK(t.at(0, "signal.moved") == Approx(6).margin(1e-12));
  CHECK(t.at(0, "signal.behind") == Approx(1).margin(1e-12));
  const Outcome refused = shop.run({"run", shop.write("w.yaml", slide(R"YAML(signals:
  - {name: wrong, type: transfer-function, input: 3, numerator: [1, 0], denominator: [1, 0], initial: 2}
)YAML"))});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("does not depend on the first state"));
}

TEST_CASE("a pid with limits and a sampled input steps as its difference equation") {
  constexpr double kp = 0.5, ki = 4, bound = 1, interval = 0.1;
  const Workshop shop;
  const std::string model = shop.write("m.yaml", slide(R"YAML(signals:
  - {name: u, type: pid, input: "signal(e)", kp: 0.5, ki: 4, lower: -1, upper: 1}
  - {name: e, type: sampler, interval: 0.1, input: "1.7*sin(9*t + 0.4)"}
)YAML"));
  for (const std::string integrator : {"dopri5", "rk4", "radau5"}) {
    CAPTURE(integrator);
    const Table t = run(shop, model, {"--integrator", integrator, "--step", "0.02", "--output-interval", "0.05"});
    double integral = 0;
    for (std::size_t k = 0; k < 19; ++k) {
      const double e = 1.7 * std::sin(9 * interval * static_cast<double>(k) + 0.4);
      const auto after = [&](double time) {
        const double at_limit = ((e > 0 ? bound : -bound) - kp * e) / ki;
        const bool is_beyond = e > 0 ? integral >= at_limit : integral <= at_limit;
        if (is_beyond) return integral;
        return e > 0 ? std::min(integral + time * e, at_limit) : std::max(integral + time * e, at_limit);
      };
      const double half = after(interval / 2);
      CAPTURE(k, integral);
      CHECK(t.at(2 * k + 1, "time") == Approx(interval * (static_cast<double>(k) + 0.5)));
      CHECK(t.at(2 * k + 1, "signal.u") == Approx(std::clamp(kp * e + ki * half, -bound, bound)).margin(1e-8));
      integral = after(interval);
    }
  }
}

TEST_CASE("control loops with a limited pid settle at their setpoints") {
  const Workshop shop;
  const Table sampled = run(shop, shop.write("s.yaml", slide(R"YAML(signals:
  - {name: e, type: sampler, interval: 0.05, input: "1 - v(slide)"}
  - {name: u, type: pid, input: "signal(e)", kp: 2, ki: 4, lower: -1, upper: 1}
)YAML" + force("signal(u) - 0.2*v(slide)"))),
                            {"--duration", "30"});
  CHECK(sampled.at(sampled.rows.size() - 1, "slide.v") == Approx(1).margin(1e-6));
  const Table stepped = run(shop, shop.write("c.yaml", slide(R"YAML(signals:
  - {name: u, type: pid, input: "if(t<1,50,5) - v(slide)", kp: 1, ki: 2, lower: -10, upper: 10}
)YAML" + force("signal(u) - 0.5*v(slide)"))),
                            {"--duration", "60"});
  CHECK(stepped.at(stepped.rows.size() - 1, "slide.v") == Approx(5).margin(1e-6));
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
