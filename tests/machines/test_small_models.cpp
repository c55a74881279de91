// Small models of apps/models, one for each element type that no larger machine has, against closed forms.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tests/machines/machine_run.hpp"

using namespace polyform::test;

TEST_CASE("a moonlet keeps its angular momentum and energy, and swings about the line to its asteroid") {
  const double m = 4.3e9, a = 105, b = 69, c = 58, mu = 35.4, r0 = 1190, n = std::sqrt(mu / (r0 * r0 * r0));
  const double Ia = m / 5 * (b * b + c * c), Ib = m / 5 * (a * a + c * c), Ic = m / 5 * (a * a + b * b);
  in_formulations(shipped("binary_asteroid"), [&](const Table& rows) {
    const auto turned = [&](std::size_t k) {
      const double angle = std::atan2(rows.at(k, "moonlet.y"), rows.at(k, "moonlet.x"));
      return std::remainder(rows.at(k, "orbit.q[2]") - angle, 2 * pi);
    };
    const auto momentum = [&](std::size_t k) {
      return m * (rows.at(k, "moonlet.x") * rows.at(k, "moonlet.vy") -
                  rows.at(k, "moonlet.y") * rows.at(k, "moonlet.vx")) +
             Ic * rows.at(k, "moonlet.wz");
    };
    std::vector<double> zeros;  // times at which the swing passes the line
    for (std::size_t k = 0; k < rows.rows.size(); ++k) {
      CHECK(momentum(k) == Approx(momentum(0)).epsilon(1e-9));
      // The potential of MacCullagh, with the inertia about the line to the asteroid.
      const double r = std::hypot(rows.at(k, "moonlet.x"), rows.at(k, "moonlet.y")), t = turned(k);
      const double along = Ia * std::cos(t) * std::cos(t) + Ib * std::sin(t) * std::sin(t);
      const double potential = -mu * m / r - mu * (Ia + Ib + Ic - 3 * along) / (2 * r * r * r);
      CHECK(rows.at(k, "energy.potential") == Approx(potential).epsilon(1e-10));
      if (k > 0 && turned(k - 1) * t < 0) zeros.push_back(rows.at(k, "time") - 600 * t / (t - turned(k - 1)));
    }
    CHECK(rows.at(rows.rows.size() - 1, "energy.total") == Approx(rows.at(0, "energy.total")).epsilon(1e-9));
    REQUIRE(zeros.size() >= 4);
    const double swing = 2 * (zeros.back() - zeros.front()) / static_cast<double>(zeros.size() - 1);
    CHECK(2 * pi / swing == Approx(n * std::sqrt(3 * (Ib - Ia) / Ic)).epsilon(0.05));
  });
}

TEST_CASE("the needle of Gauss's magnetometer swings about the sum of two fields, with a pendulum's period") {
  const double beside = 1e-7 * 2 / (0.3 * 0.3 * 0.3), north = 2e-5, rest = std::atan2(beside, north);
  const double square = 0.02 * std::hypot(beside, north) / 1e-7;  // m B/J
  double x = 1, y = std::cos(rest / 2);                           // the period by the arithmetic-geometric mean
  for (int k = 0; k < 10; ++k) {
    const double mean = (x + y) / 2;
    y = std::sqrt(x * y);
    x = mean;
  }
  const double period = 2 * pi / (x * std::sqrt(square));
  in_formulations(
      shipped("magnetometer"),
      [&](const Table& rows) {
        for (std::size_t k = 0; k < rows.rows.size(); ++k) {
          const double q = rows.at(k, "pin.q"), v = rows.at(k, "pin.v");
          CHECK(v * v == Approx(2 * square * (std::cos(q - rest) - std::cos(rest))).margin(1e-9));
        }
        CHECK(rows.at(1, "pin.q") == Approx(2 * rest).margin(1e-8));
        CHECK(rows.at(2, "pin.q") == Approx(0).margin(1e-8));
      },
      {"--output-interval", fmt::format("{:.17g}", period / 2), "--duration", fmt::format("{:.17g}", period)});
}

TEST_CASE("a falling body in air nears its final speed by the hyperbolic tangent") {
  const double final_speed = std::sqrt(2 * 80 * g / (1.2 * 1.0 * 0.7));
  in_formulations(shipped("skydiver"), [&](const Table& rows) {
    for (std::size_t k = 0; k < rows.rows.size(); ++k)
      CHECK(rows.at(k, "fall.v") == Approx(final_speed * std::tanh(g * rows.at(k, "time") / final_speed)).margin(1e-7));
  });
}

TEST_CASE("a freewheel drives its wheel, and lets it run on when the torque turns back") {
  const double Jw = 0.14, Js = 0.01, t1 = 2;
  in_formulations(shipped("bicycle_hub"), [&](const Table& rows) {
    for (std::size_t k = 0; k < rows.rows.size(); ++k) {
      const double t = rows.at(k, "time"), driven = std::min(t, t1), after = std::max(0.0, t - t1);
      CHECK(rows.at(k, "axle.v") == Approx(3 * (driven - driven * driven / (2 * t1)) / (Jw + Js)).margin(1e-7));
      CHECK(rows.at(k, "hub.v") == Approx(-3 * after * after / (2 * t1 * Js)).margin(1e-6));
      if (t < t1) CHECK(std::abs(rows.at(k, "pawls.effort")) == Approx(3 * (1 - t / t1) * Jw / (Jw + Js)).margin(1e-7));
    }
  });
}

TEST_CASE("hard stops take a fifth of the speed at each impact, springs nothing") {
  in_formulations(shipped("carriages_between_stops"), [](const Table& rows) {
    const double w = std::sqrt(1000.0), touch = pi / w;
    for (std::size_t k = 0; k < rows.rows.size(); ++k) {
      const double t = rows.at(k, "time");
      double begin = 0, from = 0, speed = 1, impacts = 0;
      for (double end = 0.5; end <= t; end = begin + 1 / std::abs(speed)) {
        begin = end;
        from = speed > 0 ? 0.5 : -0.5;
        speed *= -0.8;
        ++impacts;
      }
      CHECK(rows.at(k, "hard_track.q") == Approx(from + speed * (t - begin)).margin(1e-8));
      if (t - begin > 1e-6) CHECK(rows.at(k, "hard_stops.impacts") == impacts);  // a row at an impact may be before it
      // Half a period between the springs: half a metre, a half swing in the spring, and half a metre back.
      const double half = 1 + touch, phase = std::fmod(t, half), sign = std::fmod(t, 2 * half) < half ? 1 : -1;
      const double way = phase < 0.5           ? phase
                         : phase < 0.5 + touch ? 0.5 + std::sin(w * (phase - 0.5)) / w
                                               : half - phase;
      CHECK(rows.at(k, "soft_track.q") == Approx(sign * way).margin(1e-7));
    }
  });
}

// A ball on a bar: its momentum about the vertical is that of its point, and J ω of its own.
TEST_CASE("a lamp within a cone keeps its momentum about the vertical, and loses energy at impacts alone") {
  const double m = 1.5, r = 0.8, J = 0.01;
  in_formulations(shipped("hanging_lamp"), [&](const Table& rows) {
    const auto momentum = [&](std::size_t k) {
      const double w = rows.at(k, "lamp.qw"), x = rows.at(k, "lamp.qx"), y = rows.at(k, "lamp.qy"),
                   z = rows.at(k, "lamp.qz");
      const double px = -2 * r * (x * z + w * y), py = -2 * r * (y * z - w * x), pz = -r * (1 - 2 * (x * x + y * y));
      const double wx = rows.at(k, "lamp.wx"), wy = rows.at(k, "lamp.wy"), wz = rows.at(k, "lamp.wz");
      CHECK(-pz / r > std::cos(0.6) - 1e-9);
      return m * (px * (wz * px - wx * pz) - py * (wy * pz - wz * py)) + J * wz;
    };
    for (std::size_t k = 1; k < rows.rows.size(); ++k) {
      CHECK(momentum(k) == Approx(momentum(0)).epsilon(1e-8));
      CHECK(rows.at(k, "energy.total") + rows.at(k, "socket.lost") == Approx(rows.at(0, "energy.total")).epsilon(1e-8));
    }
    CHECK(rows.at(rows.rows.size() - 1, "socket.impacts") >= 3);
  });
}

TEST_CASE("a fusee makes an even torque of a spring's falling one") {
  const double k = 0.02, p0 = 30, T = 0.1, J = 0.002, Jd = 2e-5;
  in_formulations(shipped("fusee"), [&](const Table& rows) {
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
      const double p = rows.at(r, "barrel.q"), q = rows.at(r, "arbor.q"), slope = T / (k * (p0 - p));
      CHECK(q == Approx(k / T * (p0 * p - p * p / 2)).margin(1e-8));
      CHECK(std::pow(rows.at(r, "arbor.v"), 2) == Approx(2 * T * q / (J + Jd * slope * slope)).margin(1e-6));
    }
    CHECK(rows.at(rows.rows.size() - 1, "barrel.q") > 10);  // the spring is at two thirds of its torque
  });
}

TEST_CASE("a bar on two rods rises as it turns, and its rods carry weight and path") {
  const double L = 1.2, d = 0.3, J = 0.167, m = 2;
  in_formulations(shipped("bifilar_pendulum"), [&](const Table& rows) {
    double least = 0, greatest = 0;
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
      const double angle = 2 * std::atan2(rows.at(r, "bar.qz"), rows.at(r, "bar.qw"));
      const double sine = std::sin(angle / 2), height = std::sqrt(L * L - 4 * d * d * sine * sine);
      const double slope = d * d * std::sin(angle) / height;  // of the rise over the angle
      CHECK(rows.at(r, "bar.z") == Approx(-height).margin(1e-8));
      CHECK(std::pow(rows.at(r, "bar.wz"), 2) ==
            Approx((J * 4 - 2 * m * g * (L - height)) / (J + m * slope * slope)).margin(1e-7));
      least = std::min(least, angle);
      greatest = std::max(greatest, angle);
    }
    CHECK(least == Approx(-greatest).epsilon(0.01));
    for (const char* rod : {"left.force", "right.force"})
      CHECK(rows.at(0, rod) == Approx(-m * (g + 4 * d * d / L) / 2).epsilon(1e-9));
  });
}

TEST_CASE("a sluice gate rises as planetary gear, rack and its own weight let it") {
  in_formulations(shipped("sluice_gate"), [](const Table& rows) {
    const double weight = 200 * g;
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
      const double q = 50 * std::pow(rows.at(r, "time"), 2);
      CHECK(rows.at(r, "motor_shaft.q") == Approx(q).margin(1e-8));
      CHECK(rows.at(r, "pinion.q") == Approx(q / 4).margin(1e-8));
      CHECK(rows.at(r, "guide.q") == Approx(q / 40).margin(1e-9));
      CHECK(rows.at(r, "ring_seat.q") == Approx(0).margin(1e-12));
      CHECK(std::abs(rows.at(r, "rack.tooth_force")) == Approx(weight + 200 * 2.5).epsilon(1e-8));
      // What the motor does not need for its own inertia goes into the teeth, on the sun's radius.
      CHECK(std::abs(rows.at(r, "planets.tooth_force")) == Approx((65.05 - 0.02 * 100) / 0.02).epsilon(1e-8));
    }
  });
}

TEST_CASE("a fly press falls by its thread and presses as deep as its energy goes") {
  const double k = 0.15 / (2 * pi), m = 20, J = 1.5, c = 2e6, a = g * m / (m + J / (k * k));
  const double energy = 0.5 * (J + m * k * k) * 64 + m * g * 0.1;
  const double depth = (m * g + std::sqrt(m * m * g * g + 2 * c * energy)) / c;
  in_formulations(shipped("fly_press"),
                  [&](const Table& rows) {
                    double deepest = 0;
                    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
                      const double t = rows.at(r, "time"), way = rows.at(r, "thread.q[0]");
                      CHECK(rows.at(r, "thread.q[1]") == Approx(way / k).margin(1e-7));
                      deepest = std::max(deepest, rows.at(r, "work.compression"));
                      if (deepest > 0) continue;
                      CHECK(way == Approx(-8 * k * t - a * t * t / 2).margin(1e-9));
                      // The thread holds what does not fall.
                      CHECK(std::abs(rows.at(r, "nut.force")) == Approx(m * (g - a)).epsilon(1e-8));
                    }
                    CHECK(deepest == Approx(depth).epsilon(1e-5));
                  },
                  {"--output-interval", "0.0001", "--duration", "0.6"});
}

TEST_CASE("a spindle on a cam goes through the table, and its drive carries weight, slope and curvature") {
  const double m = 2, w = 10, lift = 0.02, h = pi / 6;
  // A periodic cubic spline through equal steps h of a cosine is known at its knots.
  const double slopes = lift * 3 * std::sin(h) / (h * (2 + std::cos(h)));
  const double curvatures = lift * 6 * (1 - std::cos(h)) / (h * h * (2 + std::cos(h)));
  in_formulations(shipped("cam_spindle"), [&](const Table& rows) {
    for (std::size_t k = 0; k <= 24; ++k) {
      const std::size_t row = 2 * k;
      const double q = static_cast<double>(k) * h;
      CHECK(rows.at(row, "face.q") == Approx(q).margin(1e-9));
      CHECK(rows.at(row, "spindle.z") == Approx(lift * (1 - std::cos(q))).margin(1e-9));
      CHECK(rows.at(row, "spindle.vz") == Approx(w * slopes * std::sin(q)).margin(1e-8));
      CHECK(rows.at(row, "drive.force") ==
            Approx(m * (g + w * w * curvatures * std::cos(q)) * slopes * std::sin(q)).margin(1e-7));
    }
  });
}

TEST_CASE(
    "a pendulum on a wire, a box that keeps upright and a top that keeps its tilt move as one constraint lets them") {
  const double m = 2, l = 0.5, J = 0.16, spin = 20, turn = 1.5;
  in_formulations(shipped("single_constraints"), [&](const Table& rows) {
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
      const double t = rows.at(r, "time");
      // The pendulum starts level. Its body axis x points by `a` below the level; the mass centre stays at x = l.
      const double a = 2 * std::atan2(rows.at(r, "pendulum.qy"), rows.at(r, "pendulum.qw"));
      CHECK(rows.at(r, "pendulum.x") + l * std::cos(a) == Approx(l).margin(1e-8));
      const double square = 2 * m * g * l * std::sin(a) / (J + m * l * l * std::cos(a) * std::cos(a));
      CHECK(std::pow(rows.at(r, "pendulum.wy"), 2) == Approx(square).margin(1e-6));
      CHECK(rows.at(r, "box.x") == Approx(-1 + t).margin(1e-9));
      CHECK(rows.at(r, "box.z") == Approx(-1 + 3 * t - g * t * t / 2).margin(1e-9));
      CHECK(rows.at(r, "upright.q[3]") == Approx(4 * t).margin(1e-8));
      CHECK(rows.at(r, "top.z") == Approx(3 * t - g * t * t / 2).margin(1e-9));
      CHECK(rows.at(r, "tilt.v[3]") == Approx(turn).margin(1e-7));
      CHECK(rows.at(r, "tilt.v[4]") == Approx(spin).margin(1e-7));
      const double moment = std::hypot(rows.at(r, "tilt.mx"), rows.at(r, "tilt.my"), rows.at(r, "tilt.mz"));
      CHECK(moment == Approx(0.02 * spin * turn).epsilon(1e-6));
    }
  });
}

TEST_CASE("the rotor behind a gear adds its inertia and friction times the square of the ratio") {
  in_formulations(shipped("robot_armature"), [](const Table& rows) {
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
      const double fading = std::exp(-rows.at(r, "time") / 1.5);
      CHECK(rows.at(r, "shoulder.v") == Approx(3 * (1 - fading)).margin(1e-8));
      CHECK(rows.at(r, "armature.speed") == Approx(300 * (1 - fading)).margin(1e-6));
      // On the rotor: what speeds it up and what its friction takes.
      CHECK(rows.at(r, "armature.torque") == Approx(1e-4 * 200 * fading + 1e-4 * 300 * (1 - fading)).margin(1e-9));
    }
  });
}

TEST_CASE("an arm swings against a rotor that is an FMU, as two equal inertias on a spring") {
  const Workshop shop;
  const std::string folder = std::string(POLYFORM_MODELS) + "/fmus/";
  const Outcome made = shop.run({"export", "--fmi", "2", "--kind", "me", folder + "rotor.yaml", "-o", "rotor.fmu"});
  INFO(made.err);
  REQUIRE(made.code == 0);
  const std::string model = shop.write("arm.yaml", shop.read(folder + "arm_with_rotor.yaml"));
  const Outcome run = shop.run({"run", model, "--output", "arm.csv", "--columns", "joints,elements", "--quiet"});
  INFO(run.err);
  REQUIRE(run.code == 0);
  const Table rows = read_table(shop.read("arm.csv"));
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    const double t = rows.at(r, "time");
    CHECK(rows.at(r, "pin.q") == Approx(t / 2 - std::sin(2 * t) / 4).margin(1e-8));
  }
}

TEST_CASE("two level rods begin to move as the theory pages compute by hand") {
  in_formulations(shipped("two_level_rods"), [](const Table& rows) {
    CHECK(rows.at(0, "wall.a") == Approx(12.6).epsilon(1e-12));
    CHECK(rows.at(0, "pin.a") == Approx(-4.2 - 12.6).epsilon(1e-12));
    CHECK(rows.at(0, "wall.fz") == Approx(33.6).epsilon(1e-10));
    CHECK(rows.at(0, "pin.fz") == Approx(-8.4).epsilon(1e-10));
  });
}
