// Rolling tyres: slip laws, roads, and cars on them against closed forms.
#include <algorithm>
#include <cmath>
#include <complex>

#include "plugins/elements/tyres/magic_formula.hpp"
#include "plugins/elements/tyres/tyre_types.hpp"
#include "polyform/helpers/element_test.hpp"
#include "tests/machines/machine_run.hpp"

using namespace polyform;
using namespace polyform::test;

namespace {

/// A wheel of 0.3 m at its height with 4000 N on it, rolling along x.
void place(testing::ElementTest<ForceType>& wheel) {
  wheel.set("axis", Vec3{0, 1, 0}).set("radius", 0.3).set("rolling_radius", 0.29).set("stiffness", 2e5);
  wheel.attach("wheel", Vec3{}, Pose{Quat{1, 0, 0, 0}, {0, 0, 0.28}});
}

}  // namespace

TEST_CASE("the brush model has its stiffness at no slip, and friction where everything slides") {
  testing::ElementTest wheel(tyres::brush_tyre());
  place(wheel);
  wheel.set("slip_stiffness", 6e4).set("cornering_stiffness", 5e4).set("friction", 0.8).set("half_length", 0.06);
  wheel.create();
  wheel.marker(0).velocity = {20, 0, 0};
  wheel.marker(0).angular_velocity = {0, 20 / 0.29, 0};
  CHECK(wheel.outputs()[0] == Approx(4000));
  wheel.states = {0, 1e-5};
  CHECK(wheel.outputs()[6] == Approx(0.5).epsilon(1e-3));
  CHECK(wheel.outputs()[7] == Approx(-0.5 * 0.02).epsilon(1e-3));  // a third of the half length behind
  wheel.states = {0, 1};
  CHECK(wheel.outputs()[6] == Approx(0.8 * 4000));
  CHECK(wheel.outputs()[7] == Approx(0).margin(1e-9));
  // Half of the slip at which all slides: ψ = 1/2 gives 3 (1/2)(1 − 1/2 + 1/12) = 7/8 of the friction.
  wheel.states = {0, 0.5 * 3 * 0.8 * 4000 / 5e4};
  CHECK(wheel.outputs()[6] == Approx(0.875 * 0.8 * 4000));
  // The slip follows that of the rim over the relaxation length.
  wheel.states = {0, 0};
  wheel.marker(0).velocity = {20, -0.2, 0};
  CHECK(wheel.evaluate().state_rates[1] == Approx(0.2 / 0.3).epsilon(1e-6));
}

TEST_CASE("the magic formula has the slope, the peak and the trail that its coefficients name") {
  tyres::MagicFormula f;
  REQUIRE_FALSE(
      f.read("FNOMIN = 5000 $ load\nPKY1 = -20\nPKY2=1.5\n[X]\nPDY1 = 0.9\nPDY2 = 0\nPCY1=1.4\nPEY1=-1\nPEY2=0\n"
             "QDZ1 = 0.11\nQDZ2=0\n"));
  const double Fz = 4000, Ky = -20 * 5000 * std::sin(2 * std::atan(Fz / (1.5 * 5000))), small = 1e-7;
  CHECK(f.forces(Fz, 0, small, 0, 20).fy == Approx(Ky * small).epsilon(1e-6));
  double peak = 0;
  for (int k = 0; k < 4000; ++k) peak = std::max(peak, -f.forces(Fz, 0, k * 1e-4, 0, 20).fy);
  CHECK(peak == Approx(0.9 * Fz).epsilon(1e-6));
  CHECK(f.forces(Fz, 0, small, 0, 20).mz == Approx(-0.11 * Fz * 0.313 / 5000 * Ky * small).epsilon(1e-5));
  const double Kx = Fz * 21 * std::exp(0.2 * (Fz - 5000) / 5000);
  CHECK(f.forces(Fz, small, 0, 0, 20).fx == Approx(Kx * small).epsilon(1e-6));
  // Slip along x reduces the lateral force, and the other way round.
  CHECK(std::abs(f.forces(Fz, 0.1, 0.05, 0, 20).fy) < std::abs(f.forces(Fz, 0, 0.05, 0, 20).fy));
  CHECK(f.forces(Fz, 0.05, 0.1, 0, 20).fx < f.forces(Fz, 0.05, 0, 0, 20).fx);
  // A symmetric tyre is symmetric.
  CHECK(f.forces(Fz, 0.03, 0.07, 0, 20).fy == Approx(-f.forces(Fz, 0.03, -0.07, 0, 20).fy));
}

TEST_CASE("the magic formula 6.1 is 5.2 at nominal pressure, and changes with the pressure as its coefficients say") {
  const std::string common =
      "FNOMIN = 5000\nPKY1 = -20\nPKY2=1.5\nPDY1 = 0.9\nPDY2 = -0.1\nPCY1=1.4\nPEY1=-1\n"
      "RVY1=0.03\nRVY6=20\nQDZ1 = 0.11\nQSX3=0.05\nQSY1=0.01\nPVY1=0.01\nPHY1=0.003\nPHX1=-0.001\n";
  tyres::MagicFormula five, six;
  REQUIRE_FALSE(five.read("FITTYP = 52\n" + common));
  REQUIRE_FALSE(six.read("FITTYP = 61\n" + common));
  CHECK_FALSE(five.knows_pressure());
  CHECK(six.knows_pressure());
  for (const double load : {1500.0, 5000.0, 8000.0})
    for (const double kappa : {-0.2, 0.0, 0.05})
      for (const double alpha : {-0.3, -0.02, 0.0, 0.1}) {
        const tyres::MagicForces a = five.forces(load, kappa, std::tan(alpha), 0, 20),
                                 b = six.forces(load, kappa, alpha, 0, 20);
        CHECK(b.fx == Approx(a.fx).epsilon(1e-12).margin(1e-9));
        CHECK(b.fy == Approx(a.fy).epsilon(1e-12).margin(1e-9));
        CHECK(b.mx == Approx(a.mx).epsilon(1e-12).margin(1e-9));
        CHECK(b.my == Approx(a.my).epsilon(1e-12).margin(1e-9));
      }
  const double small = 1e-7, load = 4000;
  // Odd shifts away: slopes at no slip, and the peak of the friction.
  REQUIRE_FALSE(
      six.read("PVY1=0\nPHY1=0\nPHX1=0\nNOMPRES=220000\nINFLPRES=264000\nPPY1=0.4\nPPY2=1.1\nPPX1=-0.3\n"
               "PPX2=0.2\nPPY3=-0.15\nPPZ1=0.2\nPKY4=1.9\nPKY6=-0.9\nPKY7=-0.2\nPPY5=-0.3\nPVY3=0.1\n"));
  const double dpi = 0.2, dfz = -0.2;
  const double Ky = -20 * 5000 * (1 + 0.4 * dpi) * std::sin(1.9 * std::atan(load / 5000 / (1.5 * (1 + 1.1 * dpi))));
  CHECK(six.forces(load, 0, small, 0, 20).fy == Approx(Ky * small).epsilon(1e-6));
  const double Kx = load * 21 * std::exp(0.2 * dfz) * (1 - 0.3 * dpi + 0.2 * dpi * dpi);
  CHECK(six.forces(load, small, 0, 0, 20).fx == Approx(Kx * small).epsilon(1e-6));
  CHECK(six.forces(load, 0, small, 0, 20).mz ==
        Approx(-0.11 * (1 - 0.2 * dpi) * load * 0.313 / 5000 * Ky * small).epsilon(1e-5));
  double peak = 0;
  for (int k = 0; k < 4000; ++k) peak = std::max(peak, -six.forces(load, 0, k * 1e-4, 0, 20).fy);
  CHECK(peak == Approx((0.9 - 0.1 * dfz) * (1 - 0.15 * dpi) * load).epsilon(1e-5));
  // The stiffness of camber is its own, whatever the vertical shift is.
  const double Kyg = load * (-0.9 - 0.2 * dfz) * (1 - 0.3 * dpi);
  CHECK(six.forces(load, 0, 0, small, 20).fy == Approx(Kyg * small).epsilon(1e-5));
  // The longitudinal friction falls with the square of the camber, not of its sine.
  REQUIRE_FALSE(six.read("PDX3=2\n"));
  double along = 0;
  for (int k = 0; k < 4000; ++k) along = std::max(along, six.forces(load, k * 1e-4, 0, 0.3, 20).fx);
  CHECK(along == Approx((1.2 - 0.04 * dfz) * (1 - 2 * 0.09) * load).epsilon(1e-5));
  // Relaxation: stiffness of the slip over that of the carcass.
  REQUIRE_FALSE(six.read("LATERAL_STIFFNESS=1.6e5\nPCFY1=0.1\nPCFY3=0.5\nLONGITUDINAL_STIFFNESS=3e5\nPCFX3=0.2\n"));
  CHECK(six.length_y(load, 0) == Approx(-Ky / (1.6e5 * (1 + 0.1 * dfz) * (1 + 0.5 * dpi))));
  CHECK(six.length_x(load, 0) == Approx(Kx / (3e5 * (1 + 0.2 * dpi))));
}

TEST_CASE("a file of the magic formula in other units is the same tyre") {
  const std::string numbers = "FITTYP = 61\nPKY1 = -20\nQDZ1 = 0.11\nPPY1 = 0.4\nPPX1 = -0.3\n";
  tyres::MagicFormula si, other, english;
  REQUIRE_FALSE(
      si.read("[UNITS]\nLENGTH = 'meter'\nFORCE = 'newton'\nANGLE = 'radians'\nMASS = 'kg'\nTIME = 'second'\n"
              "[MODEL]\n" +
              numbers +
              "FNOMIN = 5000\nUNLOADED_RADIUS = 0.3\nLONGVL = 18\nNOMPRES = 200000\nINFLPRES = 240000\n"
              "LONGITUDINAL_STIFFNESS = 3e5\nLATERAL_STIFFNESS = 1.5e5\n"));
  // The units may stand behind what has them.
  REQUIRE_FALSE(other.read("[MODEL]\n" + numbers +
                           "FNOMIN = 5\nUNLOADED_RADIUS = 300\nLONGVL = 18\nNOMPRES = 2e-4\nINFLPRES = 2.4e-4\n"
                           "LONGITUDINAL_STIFFNESS = 0.3\nLATERAL_STIFFNESS = 0.15\n"
                           "[UNITS]\nLENGTH = 'mm' $ small\nFORCE = \"kN\"\nTIME = 'millisecond'\n"));
  REQUIRE_FALSE(english.read("[UNITS]\nLENGTH = 'inch'\nFORCE = 'pound_force'\n[VERTICAL]\n" + numbers +
                             "FNOMIN = 1124.0447154855\nUNLOADED_RADIUS = 11.811023622047\nLONGVL = 708.66141732283\n"
                             "NOMPRES = 29.007547546042\nINFLPRES = 34.80905705525\n"
                             "LONGITUDINAL_STIFFNESS = 1713.044146400\nLATERAL_STIFFNESS = 856.5220732\n"));
  for (tyres::MagicFormula* const f : {&other, &english}) {
    const tyres::MagicForces a = si.forces(4000, 0.02, 0.05, 0.03, 20), b = f->forces(4000, 0.02, 0.05, 0.03, 20);
    CHECK(b.fx == Approx(a.fx).epsilon(1e-9));
    CHECK(b.fy == Approx(a.fy).epsilon(1e-9));
    CHECK(b.mz == Approx(a.mz).epsilon(1e-9));
    CHECK(f->length_x(4000, 0) == Approx(si.length_x(4000, 0)).epsilon(1e-9));
    CHECK(f->length_y(4000, 0) == Approx(si.length_y(4000, 0)).epsilon(1e-9));
  }
  const auto angle = tyres::MagicFormula().read("[UNITS]\nANGLE = 'degrees'\n[MODEL]\nFNOMIN = 5000\n");
  REQUIRE(angle);
  CHECK(angle->line == 2);
  CHECK(angle->what == "the unit 'degrees' of ANGLE is not known here");
}

TEST_CASE("a tyre that was measured on the other side is its mirror image") {
  using Side = tyres::MagicFormula::Side;
  const auto tyre = [](const std::string& side, Side on) {
    tyres::MagicFormula f;
    REQUIRE_FALSE(f.read("TYRESIDE = '" + side + "'\nPHY1 = 0.004\nPVY1 = 0.03\nQDZ6 = 0.002\nQSX1 = 0.01\n"));
    f.mount(on);
    return f;
  };
  const tyres::MagicFormula measured = tyre("LEFT", Side::left), mirrored = tyre("left", Side::right);
  for (const double alpha : {-0.1, 0.0, 0.03})
    for (const double camber : {-0.05, 0.0}) {
      const tyres::MagicForces a = measured.forces(4000, 0.02, alpha, camber, 20),
                               b = mirrored.forces(4000, 0.02, -alpha, -camber, 20);
      CHECK(b.fx == a.fx);
      CHECK(b.fy == -a.fy);
      CHECK(b.mx == -a.mx);
      CHECK(b.my == a.my);
      CHECK(b.mz == -a.mz);
    }
  // Ply steer: running straight the two push against each other.
  CHECK(std::abs(measured.forces(4000, 0, 0, 0, 20).fy) > 100);
  CHECK(tyre("RIGHT", Side::right).forces(4000, 0, 0.01, 0, 20).fy == measured.forces(4000, 0, 0.01, 0, 20).fy);
  CHECK(tyre("SYMMETRIC", Side::right).forces(4000, 0, 0.01, 0, 20).fy == measured.forces(4000, 0, 0.01, 0, 20).fy);
  const auto wrong = tyres::MagicFormula().read("TYRESIDE = 'INSIDE'\n");
  REQUIRE(wrong);
  CHECK(wrong->what == "TYRESIDE is 'INSIDE', not LEFT, RIGHT or SYMMETRIC");
}

TEST_CASE("files of the magic formula that cannot be are refused with their line") {
  const auto wrong = [](const char* text) {
    tyres::MagicFormula f;
    const auto mistake = f.read(text);
    REQUIRE(mistake);
    return std::to_string(mistake->line) + ": " + mistake->what;
  };
  CHECK(wrong("PKY1 = a lot\n") == "1: PKY1 is a lot, which is no number");
  CHECK(wrong("\nFITTYP = 62\n") == "2: the file is for version 62 of the formula, not 5.2 or 6.1");
  CHECK_THAT(wrong("FITTYP = 61\nNOMPRES = 0\n"), Catch::Contains("NOMPRES has to be greater than zero"));
  CHECK(wrong("PKY1 = -20\nFNOMIN = 0\nPKY2 = 2\n") == "2: FNOMIN has to be greater than zero");
  CHECK(wrong("PDX1 = 1.1\nPKY1 = -20\nPDX1 = 1.3\n") == "3: PDX1 has another value here than in line 1");
  CHECK(wrong("") == "1: the file gives no coefficient of the magic formula");
  CHECK_THAT(wrong("hello\n"), Catch::Contains("no coefficient"));
  const Workshop shop;
  const std::string model = shop.write(
      "m.yaml",
      "polyform: 1\nbodies:\n  - {name: w, position: [0, 0, 0.3], mass: 1, inertia: {xx: 1, yy: 1, zz: "
      "1}}\nforces:\n  - {name: t, type: magic-formula-tyre, wheel: {body: w}, axis: [0, 1, 0], radius: 0.3, "
      "stiffness: 1e5, tir: none.tir}\n");
  const Outcome outcome = shop.run({"check", model});
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err,
             Catch::Contains("none.tir") && Catch::Contains("cannot be read") && Catch::Contains("m.yaml:5:"));
}

TEST_CASE("a steady turn is that of the bicycle model") {
  const double m = 1500, a = 1.2, b = 1.4, L = 2.6, u = 20, Cf = 80000, Cr = 90000;
  const double K = m / L * (b / Cf - a / Cr);
  for (const double steer : {1e-4, -2e-4}) {
    const double yaw = u * steer / (L + K * u * u), slip = (b - m * a * u * u / (L * Cr)) * steer / (L + K * u * u);
    in_formulations(shipped("steady_turn"),
                    [&](const Table& rows) {
                      const std::size_t last = rows.rows.size() - 1;
                      CHECK(rows.at(last, "car.wz") == Approx(yaw).epsilon(2e-4));
                      const double heading = rows.at(last, "road.q[2]");
                      const double sideways =
                          -std::sin(heading) * rows.at(last, "car.vx") + std::cos(heading) * rows.at(last, "car.vy");
                      CHECK(sideways / u == Approx(slip).epsilon(2e-3));
                      CHECK(rows.at(last, "front.fy") + rows.at(last, "rear.fy") == Approx(m * u * yaw).epsilon(3e-4));
                    },
                    {"--set", "parameters.steer=" + std::to_string(steer), "--set", "parameters.mu=100"});
  }
}

TEST_CASE("a lane change with small steering is that of the linear bicycle model with relaxation") {
  // ẏ', r and both slips, by small steps of the classical Runge-Kutta method.
  const double m = 1500, a = 1.2, b = 1.4, J = 2500, u = 25, steer = 1e-4, L = a + b;
  const double Ff = m * g * b / L, Fr = m * g * a / L;
  const auto stiffness = [](double load) { return 16 * 8000 * std::sin(2 * std::atan(load / (1.7 * 8000))); };
  const auto length = [](double load) { return 1.6 * std::sin(2 * std::atan(load / (1.7 * 8000))) * 0.32; };
  const double Cf = stiffness(Ff), Cr = stiffness(Fr), lf = length(Ff), lr = length(Fr);
  const double tf = 0.1 * Ff / 8000 * 0.32, tr = 0.1 * Fr / 8000 * 0.32;  // pneumatic trails
  using State = std::array<double, 6>;                                    // lateral speed, yaw rate, slips, heading, y
  const auto rate = [&](double t, const State& s) {
    const double d = t > 0.5 && t < 2.5 ? steer * std::pow(std::sin(pi * (t - 0.5)), 3) : 0;
    const double F = Cf * s[2], R = Cr * s[3];
    return State{(F + R) / m - u * s[1],
                 ((a - tf) * F - (b + tr) * R) / J,
                 (u * d - s[0] - a * s[1] - u * s[2]) / lf,
                 (-s[0] + b * s[1] - u * s[3]) / lr,
                 s[1],
                 s[0] + u * s[4]};
  };
  State s{};
  const double h = 1e-3;
  for (int k = 0; k < 5000; ++k) {
    const auto moved = [&](const State& by, double f) {
      State x = s;
      for (std::size_t i = 0; i < 6; ++i) x[i] += f * by[i];
      return x;
    };
    const double t = k * h;
    const State k1 = rate(t, s), k2 = rate(t + h / 2, moved(k1, h / 2)), k3 = rate(t + h / 2, moved(k2, h / 2)),
                k4 = rate(t + h, moved(k3, h));
    for (std::size_t i = 0; i < 6; ++i) s[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  in_formulations(shipped("lane_change"),
                  [&](const Table& rows) {
                    const std::size_t last = rows.rows.size() - 1;
                    CHECK(rows.at(last, "car.y") == Approx(s[5]).epsilon(1e-3));
                    CHECK(rows.at(last, "road.q[2]") == Approx(s[4]).margin(1e-3 * steer));
                  },
                  {"--set", "parameters.steer=1e-4"});
}

TEST_CASE("on a random road a quarter car shakes with the spectrum that ISO 8608 and its frequency response give") {
  // Linear about its height: sprung and unsprung mass, strut of 21000 N/m and 1000 N s/m, tyre of 120000 N/m.
  const double ms = 127.0833333, mu = 25, k = 21000, c = 1000, kt = 120000, v = 20, G0 = 16 * 16e-6, n0 = 0.1;
  // Mean square of the acceleration of the body between two frequencies, Hz: |H|^2 times the density of the road.
  const auto expected = [&](double first, double last) {
    double square = 0;
    const double ratio = std::pow(last / first, 1.0 / 2000);
    for (double f = first; f < last * (1 - 1e-9); f *= ratio) {
      const double w = 2 * pi * f * std::sqrt(ratio), n = w / (2 * pi * v);
      const std::complex<double> i(0, 1), strut = k + i * c * w;
      const std::complex<double> body = strut / (strut - ms * w * w);  // over the wheel
      const std::complex<double> wheel = kt / (kt - mu * w * w + strut * (1.0 - body));
      square += std::norm(-w * w * body * wheel) * G0 * (n0 / n) * (n0 / n) * f * (ratio - 1) / v;
    }
    return square;
  };
  const Table rows =
      rows_of(shipped("quarter_car"), "riccati", {"--duration", "62", "--set", "forces.stop.length=0.05"});
  const double rate = 100, settled = 2;  // rows per second; s until the start has died away
  std::vector<double> a;
  for (auto r = static_cast<std::size_t>(settled * rate); r < rows.rows.size(); ++r) a.push_back(rows.at(r, "heave.a"));
  double sum = 0;
  for (const double x : a) sum += x * x;
  CHECK(sum / static_cast<double>(a.size()) == Approx(expected(0.2, 50)).epsilon(0.1));
  // A window of Hann keeps 3/8 of the power, and a spectrum over T has (2/3) B T independent numbers in a band B.
  const double T = static_cast<double>(a.size()) / rate;
  for (std::size_t m = 0; m < a.size(); ++m)
    a[m] *= 0.5 - 0.5 * std::cos(2 * pi * static_cast<double>(m) / static_cast<double>(a.size()));
  for (const auto& [first, last] : {std::pair(0.8, 3.2), std::pair(3.2, 12.8), std::pair(12.8, 40.0)}) {
    double power = 0;
    for (auto line = static_cast<std::size_t>(first * T); static_cast<double>(line) < last * T; ++line) {
      const std::complex<double> turn = std::polar(1.0, -2 * pi * static_cast<double>(line) / (T * rate));
      std::complex<double> here = 1, found = 0;
      for (const double x : a) {
        found += x * here;
        here *= turn;
      }
      power += 2 * std::norm(found) / std::pow(static_cast<double>(a.size()), 2) / (3.0 / 8);
    }
    CAPTURE(first, last);
    const double error = 3 / std::sqrt(2.0 / 3 * (last - first) * T);
    CHECK(power == Approx(expected(first, last)).epsilon(error + 0.02));  // the gas spring is not quite linear
  }
}

TEST_CASE("all formulations agree on an uneven road, and a grid of heights is a smooth one") {
  std::vector<double> ends;
  in_formulations(shipped("quarter_car"),
                  [&](const Table& rows) { ends.push_back(rows.at(rows.rows.size() - 1, "body.z")); },
                  {"--duration", "0.5", "--rtol", "1e-9"});
  for (const double z : ends) CHECK(z == Approx(ends[0]).margin(1e-7));
  // A slope of 0.1 by a grid: the wheel stands on it as on a plane.
  testing::ElementTest wheel(tyres::brush_tyre());
  place(wheel);
  wheel.set("slip_stiffness", 0.0).set("cornering_stiffness", 0.0);
  std::vector<double> heights;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 5; ++j) heights.push_back(0.1 * (i - 2));
  wheel.set("road_grid", heights, 6);
  wheel.set("road_grid_origin", std::vector<double>{-2, -2});
  wheel.create();
  wheel.marker(0).position = {0.3, 0.1, 0.03 + 0.28 * std::sqrt(1.01)};
  const auto force = wheel.evaluate().wrenches[0].linear;
  CHECK(norm(force) == Approx(2e5 * 0.02).epsilon(1e-9));
  CHECK(force.x / force.z == Approx(-0.1).epsilon(1e-9));
}
