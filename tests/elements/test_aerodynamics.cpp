// Aerodynamic forces: aerodynamic-body and blade-elements.
#include <catch2/catch.hpp>
#include <numbers>

#include "plugins/elements/aerodynamics/aerodynamic_types.hpp"
#include "tests/elements/force_bench.hpp"

namespace polyform::test {
namespace {

constexpr double pi = std::numbers::pi;
const ForceType& whole = aerodynamics::aerodynamic_body();
const ForceType& blades = aerodynamics::blade_elements();

constexpr double rho = 1.2, S = 16, c = 1.5, b = 11;

FieldSet body_fields(BodyIndex body) {
  FieldSet f(whole.fields());
  f.marker("body", body).number("density", rho).number("area", S).number("chord", c).number("span", b);
  return f;
}
/// All fields set, every derivative to some value.
FieldSet full_fields(BodyIndex body, Random& random) {
  FieldSet f = body_fields(body);
  for (const char* coefficient : {"CL", "CD", "CY", "Cl", "Cm", "Cn"})
    for (const char* variable : {"0", "alpha", "beta", "p", "q", "r"})
      f.number(std::string(coefficient) + "_" + variable, random.uniform(-1, 1));
  f.number("CD_CL2", 0.05).functions("controls", {constant(0.1), sine(0.2, 0.3)});
  f.numbers("CL_control", {0.3, 0.1}).numbers("Cm_control", {-1, 0.2}).numbers("Cn_control", {0, 0.4});
  f.vector("point", random.vector(1)).functions("wind", {constant(1), sine(2, 0.4), constant(-1)});
  return f;
}

/// A flat plate at any angle: lift and drag of 2 sin²α normal to it.
std::vector<double> plate_polar(std::size_t rows) {
  std::vector<double> out;
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = -pi + 2 * pi * static_cast<double>(i) / static_cast<double>(rows - 1);
    for (const double x : {a, std::sin(2 * a), 0.01 + 2 * std::sin(a) * std::sin(a), -0.1 * std::sin(a)})
      out.push_back(x);
  }
  return out;
}
FieldSet blade_fields(BodyIndex body, std::vector<double> strips, std::size_t rows = 37) {
  FieldSet f(blades.fields());
  f.marker("body", body).number("density", rho).matrix("polar", rows, plate_polar(rows));
  const std::size_t count = strips.size() / 4;
  f.matrix("strips", count, std::move(strips));
  return f;
}
const std::vector<double> two_strips{1, 0.5, 0.2, 0.1, 2, 1, 0.3, -0.05};

void check_power_and_frame(const ForceType& type, auto make_fields) {
  Random random(83);
  for (int i = 0; i < 20; ++i) {
    ForceBench bench;
    REQUIRE(bench.add(type, make_fields(bench.add_body(random.pose()), random)));
    const std::vector<BodyMotion> bodies{SmoothMotion(random).at(0.3)};
    const Load load = bench.load(0.4, bodies);
    CHECK(norm(load.wrenches[0].linear) > 0.01);
    CHECK(load.power == Approx(delivered(load, bodies)).epsilon(1e-11).margin(1e-11));
    CHECK(load.potential_energy == 0);
  }
}

}  // namespace

TEST_CASE("an aircraft in level flight has the lift, drag and moments that its coefficients say") {
  // Textbook expressions at α = 0.05, β = 0, with q only; body axes forward, right, down.
  ForceBench bench;
  FieldSet f = body_fields(bench.add_body({}));
  f.number("CL_0", 0.3).number("CL_alpha", 5).number("CL_q", 4).number("CD_0", 0.03).number("CD_CL2", 0.06);
  f.number("Cm_0", 0.02).number("Cm_alpha", -0.8).number("Cm_q", -12);
  f.functions("controls", {constant(-0.04)}).numbers("CL_control", {0.4}).numbers("Cm_control", {-1.1});
  REQUIRE(bench.add(whole, std::move(f)));
  const double V = 50, alpha = 0.05, q = 0.1, Q = 0.5 * rho * V * V * S, qhat = q * c / (2 * V);
  const BodyMotion flying{Mat3::identity(), {}, {{0, q, 0}, {V * std::cos(alpha), 0, V * std::sin(alpha)}}};
  const double CL_static = 0.3 + 5 * alpha - 0.4 * 0.04, L = Q * (CL_static + 4 * qhat),
               D = Q * (0.03 + 0.06 * CL_static * CL_static), M = Q * c * (0.02 - 0.8 * alpha - 12 * qhat + 1.1 * 0.04);
  const Vec3 force{-D * std::cos(alpha) + L * std::sin(alpha), 0, -D * std::sin(alpha) - L * std::cos(alpha)};
  CHECK(distance(bench.load(0, {&flying, 1}).wrenches[0], Spatial{{0, M, 0}, force}) < 1e-9);
}

TEST_CASE("sideslip, roll and yaw make side force and lateral moments") {
  ForceBench bench;
  FieldSet f = body_fields(bench.add_body({}));
  f.number("CY_beta", -0.6).number("Cl_beta", -0.1).number("Cl_p", -0.4).number("Cl_r", 0.1);
  f.number("Cn_beta", 0.07).number("Cn_r", -0.12);
  REQUIRE(bench.add(whole, std::move(f)));
  const double V = 50, beta = 0.1, p = 0.3, r = -0.2, Q = 0.5 * rho * V * V * S;
  const BodyMotion flying{Mat3::identity(), {}, {{p, 0, r}, {V * std::cos(beta), V * std::sin(beta), 0}}};
  const double phat = p * b / (2 * V), rhat = r * b / (2 * V);
  CHECK(distance(bench.load(0, {&flying, 1}).wrenches[0],
                 Spatial{{Q * b * (-0.1 * beta - 0.4 * phat + 0.1 * rhat), 0, Q * b * (0.07 * beta - 0.12 * rhat)},
                         {0, Q * -0.6 * beta, 0}}) < 1e-9);
}

TEST_CASE("a polar in place of coefficients is linear between its rows and held beyond") {
  ForceBench bench;
  FieldSet f = body_fields(bench.add_body({}));
  f.matrix("polar", 3, {-0.2, -1, 0.1, 0.05, 0, 0.2, 0.02, 0, 0.3, 1.7, 0.2, -0.1});
  REQUIRE(bench.add(whole, std::move(f)));
  const double V = 10, Q = 0.5 * rho * V * V * S;
  struct Point {
    double alpha, lift, drag, moment;
  };
  for (const Point& at :
       {Point{-0.1, -0.4, 0.06, 0.025}, {0.15, 0.95, 0.11, -0.05}, {1, 1.7, 0.2, -0.1}, {-3, -1, 0.1, 0.05}}) {
    const double co = std::cos(at.alpha), si = std::sin(at.alpha);
    const BodyMotion flying{Mat3::identity(), {}, {{}, {V * co, 0, V * si}}};
    CHECK(distance(bench.load(0, {&flying, 1}).wrenches[0],
                   Spatial{{0, Q * c * at.moment, 0},
                           {Q * (-at.drag * co + at.lift * si), 0, Q * (-at.drag * si - at.lift * co)}}) < 1e-10);
  }
}

TEST_CASE("the air does work on an aerodynamic-body and on blade-elements, and stores none") {
  check_power_and_frame(whole, full_fields);
  check_power_and_frame(blades, [](BodyIndex body, Random& random) {
    FieldSet f = blade_fields(body, two_strips);
    f.vector("point", random.vector(1)).functions("wind", {constant(1), sine(2, 0.4), constant(-1)});
    f.functions("pitch", {sine(0.2, 0.1)});
    return f;
  });
}

TEST_CASE("in still air aerodynamic forces turn with everything and do not see where ground is") {
  Random random(84);
  for (int i = 0; i < 20; ++i) {
    ForceBench bench;
    const BodyIndex body = bench.add_body({}), blade = bench.add_body({});
    FieldSet still = full_fields(body, random);
    still.functions("wind", {constant(0), constant(0), constant(0)});
    REQUIRE(bench.add(whole, std::move(still)));
    REQUIRE(bench.add(blades, blade_fields(blade, two_strips)));
    const std::vector<BodyMotion> here{SmoothMotion(random).at(0), SmoothMotion(random).at(0)};
    const Mat3 G = rotation_matrix(random.quaternion());
    const Load a = bench.load(0, here), t = bench.load(0, in_other_frame(here, G, {1, 2, 3}));
    for (std::size_t k = 0; k < 2; ++k)
      CHECK(distance(t.wrenches[k], Spatial{G * a.wrenches[k].angular, G * a.wrenches[k].linear}) < 1e-10);
    CHECK(t.power == Approx(a.power));
  }
}

TEST_CASE("wind on a body at rest acts as the body's motion against it through still air") {
  Random random(85);
  ForceBench windy, still;
  const Vec3 v = random.vector(5);
  const BodyIndex body = windy.add_body({});
  still.add_body({});
  FieldSet f = full_fields(body, random), g = blade_fields(body, two_strips);
  f.functions("wind", {constant(-v.x), constant(-v.y), constant(-v.z)});
  g.functions("wind", {constant(-v.x), constant(-v.y), constant(-v.z)});
  REQUIRE(windy.add(whole, std::move(f)));
  REQUIRE(windy.add(blades, std::move(g)));
  Random again(85);
  (void)again.vector(5);
  FieldSet h = full_fields(body, again);
  h.functions("wind", {constant(0), constant(0), constant(0)});
  REQUIRE(still.add(whole, std::move(h)));
  REQUIRE(still.add(blades, blade_fields(body, two_strips)));
  const Mat3 R = rotation_matrix(random.quaternion());
  const BodyMotion rest{R, {}, {}}, moving{R, {}, {{}, v}};
  CHECK(distance(windy.load(0, {&rest, 1}).wrenches[0], still.load(0, {&moving, 1}).wrenches[0]) < 1e-11);
  CHECK(windy.load(0, {&rest, 1}).power == 0);
}

TEST_CASE(
    "without airspeed, backwards, sideways and upside down aerodynamic forces are finite and go to zero with it") {
  Random random(86);
  ForceBench bench;
  const BodyIndex body = bench.add_body({}), blade = bench.add_body({});
  FieldSet f = full_fields(body, random);
  f.functions("wind", {constant(0), constant(0), constant(0)});
  f.vector("point", {});
  REQUIRE(bench.add(whole, std::move(f)));
  REQUIRE(bench.add(blades, blade_fields(blade, two_strips)));
  for (const Vec3& d : {Vec3{1, 0, 0}, Vec3{-1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, -1, 0}, Vec3{0, 0, 1}, Vec3{0, 0, -1}}) {
    double before = 0;
    for (const double speed : {0.0, 1e-300, 1e-8, 1.0}) {
      const BodyMotion m{Mat3::identity(), {}, {{0, 0, 0}, speed * d}};
      const std::vector<BodyMotion> both{m, m};
      for (const Spatial& w : bench.load(0, both).wrenches) {
        const double size = norm(w.linear) + norm(w.angular);
        CHECK(std::isfinite(size));
        CHECK(size <= 1000 * speed * speed);
        before = std::max(before, size);
      }
    }
    CHECK(before > 0);
  }
  // Turning on the spot: the damping of a body vanishes with its airspeed, that of strips off the axis does not.
  const BodyMotion turning{Mat3::identity(), {}, {{1, 2, 3}, {}}};
  const std::vector<BodyMotion> both{turning, turning};
  CHECK(distance(bench.load(0, both).wrenches[0], Spatial{}) == 0);
  CHECK(dot(bench.load(0, both).wrenches[1].angular, turning.V.angular) < 0);
}

TEST_CASE("strips of a turning rotor in axial flow are the blade-element sum") {
  // Blade along body y, nose towards x, that turns about −z (its nose goes ahead): independent sums by the angles of
  // blade-element theory, inflow φ = atan(U / Ω r), α = φ + θ for a flow up through the disc.
  ForceBench bench;
  const BodyIndex body = bench.add_body({});
  const double pitch = 0.06, omega = 20, up = 3;
  std::vector<double> strips;
  for (int i = 0; i < 10; ++i)
    for (const double x : {0.55 + 0.1 * i, 0.1, 0.2 - 0.005 * i, 0.1 - 0.01 * i}) strips.push_back(x);
  FieldSet f = blade_fields(body, strips, 2881);
  f.functions("pitch", {constant(pitch)}).functions("wind", {constant(0), constant(0), constant(-up)});
  REQUIRE(bench.add(blades, std::move(f)));
  const BodyMotion spinning{Mat3::identity(), {}, {{0, 0, -omega}, {}}};
  const Spatial w = bench.load(0, {&spinning, 1}).wrenches[0];
  double thrust = 0, torque = 0;  // thrust along −z, the torque that drives on
  for (int i = 0; i < 10; ++i) {
    const double r = 0.55 + 0.1 * i, chord = 0.2 - 0.005 * i, phi = std::atan2(up, omega * r),
                 alpha = phi + pitch + 0.1 - 0.01 * i, W2 = up * up + omega * r * omega * r;
    const double cl = std::sin(2 * alpha), cd = 0.01 + 2 * std::pow(std::sin(alpha), 2),
                 q = 0.5 * rho * W2 * chord * 0.1;
    thrust += q * (cl * std::cos(phi) + cd * std::sin(phi));
    torque += q * r * (cl * std::sin(phi) - cd * std::cos(phi));
  }
  CHECK(-w.linear.z == Approx(thrust).epsilon(1e-4));  // the polar is linear between rows an eighth of a degree apart
  CHECK(-w.angular.z == Approx(torque).epsilon(1e-4));
}

TEST_CASE("mistakes in aerodynamic fields are told with their remedy") {
  ForceBench bench;
  const BodyIndex body = bench.add_body({});
  RecordingSink sink(whole.fields());
  FieldSet f = body_fields(body);
  f.functions("controls", {constant(0)}).numbers("Cm_control", {1, 2}).matrix("polar", 2, {0, 0, 0, 1, 1, 1});
  f.number("CL_0", 1);
  CHECK_FALSE(bench.add(whole, std::move(f), sink));
  REQUIRE(sink.reports.size() == 2);
  CHECK(sink.reports[0] ==
        "Cm_control: 2 values given for Cm_control, but there is 1 control | Give one derivative for each of the "
        "`controls`, 0 where it has no effect.");
  CHECK(sink.reports[1] == "CL_0: CL_0 is given besides the polar, which has it already | Leave one of the two out.");
  RecordingSink blade(blades.fields());
  CHECK_FALSE(bench.add(blades, blade_fields(body, {1, 0, 0.2, 0}), blade));
  FieldSet narrow = blade_fields(body, two_strips);
  narrow.matrix("polar", 2, {-0.3, 0, 0, 0.3, 0, 0});
  CHECK_FALSE(bench.add(blades, std::move(narrow), blade));
  FieldSet unsorted = blade_fields(body, two_strips);
  unsorted.matrix("polar", 2, {0.3, 0, 0, -0.3, 0, 0});
  CHECK_FALSE(bench.add(blades, std::move(unsorted), blade));
  FieldSet windless = blade_fields(body, two_strips);
  windless.functions("wind", {constant(1)});
  CHECK_FALSE(bench.add(blades, std::move(windless), blade));
  REQUIRE(blade.reports.size() == 4);
  CHECK(blade.reports[0] ==
        "strips: strip 1 has the width 0 m and the chord 0.2 m | Give a positive width and chord; a blade to the other "
        "side has negative distances.");
  CHECK(blade.reports[1] ==
        "polar: the polar goes from -0.3 to 0.3 rad, expected from -3.1416 to 3.1416 | Add rows up to a half turn on "
        "either side: sections of a blade meet the air at every angle.");
  CHECK(blade.reports[2] ==
        "polar: the angles of the polar do not increase: -0.3 in row 2 follows 0.3 | Sort the rows by the angle of "
        "attack and give each angle once.");
  CHECK(blade.reports[3] ==
        "wind: 1 component given for the wind, expected 3 | Give a list [x, y, z] of numbers or functions of time.");
}

}  // namespace polyform::test
