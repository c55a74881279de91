// The machines of apps/models against calculations by hand.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "tests/machines/machine_run.hpp"

using namespace polyform::test;

TEST_CASE("an engine: piston by the crank's formula, camshaft at half speed, energy in and out") {
  in_formulations(shipped("single_cylinder_engine"),
                  [](const Table& rows) {
                    const double r = 0.04, l = 0.14;
                    for (std::size_t k = 0; k < rows.rows.size(); ++k) {
                      const double f = rows.at(k, "main.q");
                      const double piston = r * std::cos(f) + std::sqrt(l * l - std::pow(r * std::sin(f), 2));
                      CHECK(rows.at(k, "piston.z") == Approx(piston).margin(1e-8));
                      CHECK(rows.at(k, "cam_bearing.q") == Approx(f / 2).margin(1e-8));
                      CHECK(rows.at(k, "energy.balance") == Approx(rows.at(0, "energy.balance")).margin(1e-4));
                    }
                    CHECK(rows.at(rows.rows.size() - 1, "main.q") > 20 * pi);  // it runs on
                  },
                  {"--output-interval", "0.002"});
}

TEST_CASE("an excavator: pressures hold its arm, and cylinders move with flow over area") {
  in_formulations(shipped("excavator"), [](const Table& rows) {
    for (const char* joint : {"foot", "elbow", "wrist"}) CHECK(std::abs(rows.at(0, joint + std::string(".a"))) < 1e-6);
    const std::size_t last = rows.rows.size() - 1;
    const double rates[] = {0.08, 0.05, 0.04};
    const char* cylinders[] = {"boom_cylinder", "stick_cylinder", "bucket_cylinder"};
    for (std::size_t k = 0; k < 3; ++k)
      CHECK(rows.at(last, std::string(cylinders[k]) + ".rate") == Approx(rates[k]).epsilon(0.03));
  });
}

TEST_CASE("a washing machine: the tub sways as the unbalanced rotor of the textbook") {
  const double w = 60, me = 12 * 0.05, k = 16000, c = 300, M = 52.001;
  const double side = me * w * w / std::hypot(k - M * w * w, c * w),
               up = me * w * w / std::hypot(k - 52 * w * w, c * w);
  in_formulations(shipped("washing_machine"),
                  [&](const Table& rows) {
                    double most_side = 0, most_up = 0;
                    for (std::size_t r = rows.rows.size() - 150; r < rows.rows.size(); ++r) {
                      most_side = std::max(most_side, std::abs(rows.at(r, "sway.q")));
                      most_up = std::max(most_up, std::abs(rows.at(r, "heave.q")));
                      CHECK(rows.at(r, "motor_shaft.q") == Approx(10 * rows.at(r, "shaft.q")).epsilon(1e-9));
                    }
                    CHECK(most_side == Approx(side).epsilon(0.01));
                    CHECK(most_up == Approx(up).epsilon(0.01));
                  },
                  {"--output-interval", "0.002", "--duration", "5"});
}

TEST_CASE("a robot with six joints follows its trajectory by computed torque") {
  const double amplitudes[] = {0.9, 0.7, -1.1, 1.5, -0.8, 2.0};
  in_formulations(shipped("robot_computed_torque"), [&](const Table& rows) {
    for (std::size_t r = 0; r < rows.rows.size(); ++r)
      for (std::size_t j = 0; j < 6; ++j)
        CHECK(rows.at(r, "j" + std::to_string(j + 1) + ".q") ==
              Approx(amplitudes[j] * std::pow(std::sin(2 * rows.at(r, "time")), 3)).margin(1e-8));
  });
  // Beside its trajectory it comes back as the critically damped law asks for: 0.1 (1 + w t) exp(-w t).
  in_formulations(shipped("robot_computed_torque"),
                  [&](const Table& rows) {
                    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
                      const double t = rows.at(r, "time"), back = 0.1 * (1 + 10 * t) * std::exp(-10 * t);
                      for (std::size_t j = 0; j < 6; ++j)
                        CHECK(rows.at(r, "j" + std::to_string(j + 1) + ".q") ==
                              Approx(amplitudes[j] * std::pow(std::sin(2 * t), 3) + back).margin(1e-8));
                    }
                  },
                  {"--set", "parameters.off=0.1", "--duration", "1"});
}

TEST_CASE("a robot whose motors are driven by signals follows its trajectory, and comes back to it") {
  const double amplitudes[] = {0.9, 0.7, -1.1, 1.5, -0.8, 2.0};
  for (const double off : {0.0, 0.1})
    in_formulations(shipped("robot_with_motors"),
                    [&](const Table& rows) {
                      for (std::size_t r = 0; r < rows.rows.size(); ++r) {
                        const double t = rows.at(r, "time"), back = off * (1 + 10 * t) * std::exp(-10 * t);
                        for (std::size_t j = 0; j < 6; ++j)
                          CHECK(rows.at(r, "j" + std::to_string(j + 1) + ".q") ==
                                Approx(amplitudes[j] * std::pow(std::sin(2 * t), 3) + back).margin(1e-8));
                      }
                    },
                    {"--set", "parameters.off=" + std::to_string(off), "--duration", "1.5"});
}

TEST_CASE("computed torque carries a chain that slides and turns") {
  in_formulations(shipped("driven_arm"), [](const Table& rows) {
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
      const double t = rows.at(r, "time"), q = 0.2 + 1.2 * t - 0.24 * std::sin(5 * t);
      CHECK(rows.at(r, "pin.q") == Approx(q).margin(1e-9));
      const double torque = (0.05 + 2 * 0.16) * 6 * std::sin(5 * t) + 2 * g * 0.4 * std::cos(q);
      CHECK(rows.at(r, "motor.power") == Approx(torque * rows.at(r, "pin.v")).margin(1e-8));
    }
  });
  // An arm on a carriage: its own equations, by Lagrange. m and J of the arm about its pin, M of both.
  const double M = 7, m = 2, c = 0.4, J = 0.05 + m * c * c;
  in_formulations(shipped("arm_on_carriage"), [&](const Table& rows) {
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
      const double t = rows.at(r, "time"), q = rows.at(r, "pin.q"), v = rows.at(r, "pin.v");
      const double a = 3 * std::sin(2 * pi * t), b = 6 * std::sin(5 * t);
      CHECK(rows.at(r, "slide.a") == Approx(a).margin(1e-9));
      CHECK(rows.at(r, "pin.a") == Approx(b).margin(1e-9));
      // The angle lifts the arm: x_c = x + c cos q, z_c = c sin q.
      const double force = M * a - m * c * (std::sin(q) * b + std::cos(q) * v * v);
      const double torque = J * b - m * c * std::sin(q) * a + m * g * c * std::cos(q);
      CHECK(rows.at(r, "motors.power") ==
            Approx(force * rows.at(r, "slide.v") + torque * v).epsilon(1e-9).margin(1e-9));
    }
  });
}

TEST_CASE("the torques of the robot's laws are those that move it without laws") {
  // Inverse and forward dynamics: at the start the torques of the laws, as given efforts, give the accelerations
  // wanted.
  const Table wanted =
      rows_of(shipped("robot_computed_torque"), "riccati", {"--set", "parameters.off=0.1", "--duration", "0.05"});
  const Workshop shop;
  std::string model = shop.read(shipped("robot_computed_torque"));
  model = model.substr(0, model.find("modules:")) + "forces:\n";
  for (int j = 1; j <= 6; ++j) {
    const std::string number = std::to_string(j);
    model += "  - {name: f" + number + ", type: joint-force, joint: j" + number +
             ", effort: " + fmt::format("{:.15g}", wanted.at(0, "law" + number + ".effort")) + "}\n";
  }
  model += "simulation: {duration: 0.01, integrator: dopri5, output_interval: 0.01}\n";
  const Table rows = rows_of(shop.write("free.yaml", model), "cartesian", {"--set", "parameters.off=0.1"});
  for (int j = 1; j <= 6; ++j) CHECK(rows.at(0, "j" + std::to_string(j) + ".a") == Approx(-100 * 0.1).epsilon(1e-4));
}

TEST_CASE("a sampler holds numbers of the state as one column") {
  in_formulations_of(R"yaml(
bodies:
  - {name: stone, mass: 1, inertia: {xx: 1, yy: 1, zz: 1}}
joints:
  - {name: fall, type: prismatic, base: ground, moving: stone, position: [0, 0, 0], axis: [0, 0, -1]}
signals:
  - {name: stairs, type: sampler, interval: 0.3, input: "v(fall)"}
simulation: {duration: 1, integrator: dopri5, tolerance: {relative: 1e-10, absolute: 1e-12}, output_interval: 0.05}
)yaml",
                     [](const Table& rows) {
                       for (std::size_t r = 0; r < rows.rows.size(); ++r) {
                         const double t = rows.at(r, "time");
                         const double steps = t / 0.3;
                         if (std::abs(steps - std::round(steps)) > 1e-6)
                           CHECK(rows.at(r, "signal.stairs") == Approx(g * 0.3 * std::floor(steps)).margin(1e-8));
                         for (const std::string& name : rows.names) CHECK(name.find("bits") == std::string::npos);
                       }
                     });
}

TEST_CASE("a model takes in what other files hold, with its own parameters before theirs") {
  const Workshop shop;
  shop.write("spring.yaml",
             "parameters: {k: 50, c: 0}\nforces:\n  - {name: spring, type: joint-spring-damper, joint: guide, "
             "stiffness: k, damping: c}\nsignals:\n  - {name: pull, value: \"k*q(guide)\"}\n");
  shop.write("body.yaml", "include: spring.yaml\nbodies:\n  - {name: mass, mass: 2, inertia: {xx: 1, yy: 1, zz: 1}}\n");
  const std::string joints =
      "joints:\n  - {name: guide, type: prismatic, base: ground, moving: mass, position: [0, 0, 0], axis: [1, 0, 0], "
      "initial: "
      "{position: 0.1}}\nsimulation: {duration: 1, integrator: dopri5, tolerance: {relative: 1e-10, absolute: 1e-12}, "
      "output_interval: 0.1}\n";
  const Table rows =
      rows_of(shop.write("m.yaml", "polyform: 1\nparameters: {k: 200}\ninclude: [body.yaml]\n" + joints), "riccati");
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    const double q = 0.1 * std::cos(10 * rows.at(r, "time"));
    CHECK(rows.at(r, "guide.q") == Approx(q).margin(1e-9));
    CHECK(rows.at(r, "signal.pull") == Approx(200 * q).margin(1e-6));
  }
  shop.write("spring.yaml", "forces:\n  - {name: spring, type: joint-spring-damper, joint: gide, stiffness: 1}\n");
  const Outcome wrong = shop.run({"check", shop.path("m.yaml").string()});
  CHECK(wrong.code == 2);
  CHECK_THAT(wrong.err, Catch::Contains("spring.yaml:2:") && Catch::Contains("Did you mean 'guide'?"));
  shop.write("spring.yaml", "include: body.yaml\n");
  const Outcome loop = shop.run({"check", shop.path("m.yaml").string()});
  CHECK(loop.code == 2);
  CHECK_THAT(loop.err, Catch::Contains("holds itself"));
}

TEST_CASE("files are named from the folder of the file that names them, or else of the model") {
  const Workshop shop;
  std::filesystem::create_directories(shop.path("legs/pads"));
  const auto body = [](const char* name) {
    return fmt::format("bodies: [{{name: {}, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}]\n", name);
  };
  shop.write("legs/pads/pad.yaml", body("pad"));
  shop.write("shared.yaml", body("shared"));
  shop.write("legs/leg.yaml", body("leg") +
                                  "parts:\n  - {name: pad, file: pads/pad.yaml}\n  - {name: s, file: shared.yaml}\n"
                                  "place: [{part: pad, name: a}, {part: s, name: b}]\n");
  shop.write("legs/list.yaml", "include: [pads/pad.yaml]\n");
  const std::string model =
      shop.write("m.yaml",
                 "polyform: 1\ninclude: legs/list.yaml\nparts: [{name: leg, file: legs/leg.yaml}]\n"
                 "place: [{part: leg, name: x}]\n");
  const Outcome all = shop.run({"check", model});
  INFO(all.out << all.err);
  CHECK(all.code == 0);
  for (const char* name : {"`x.leg`", "`x.a.pad`", "`x.b.shared`", "`pad`"}) CHECK_THAT(all.err, Catch::Contains(name));
  shop.write("legs/pads/pad.yaml", "include: ../list.yaml\n");
  const Outcome loop = shop.run({"check", model});
  CHECK(loop.code == 2);
  CHECK_THAT(loop.err, Catch::Contains("holds itself"));
  shop.write("legs/list.yaml", "include: [pads/nowhere.yaml]\n");
  const Outcome lost = shop.run({"check", model});
  CHECK(lost.code == 2);
  CHECK_THAT(lost.err, Catch::Contains("nowhere.yaml") && Catch::Contains("the file that names it"));
}
