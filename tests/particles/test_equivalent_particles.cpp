// Ten particles for a rigid body: Eqs 2.1, 2.5 and 2.6.
#include <catch2/catch.hpp>

#include "bodies.hpp"
#include "tests/elements/random.hpp"

using namespace polyform;
using namespace polyform::test;
using particles::EquivalentParticles;
using particles::Representation;

TEST_CASE("ten particles have the mass, the mass centre and the inertia tensor of the body, Eqs 2.1") {
  Random random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const SolidBody body = random_body(random);
    Vec3 place[4];
    random_places(random, place);
    EquivalentParticles p;
    REQUIRE(particles::find_masses(body.mass, body.center, body.inertia, place, p));
    CHECK(p.representation == Representation::four);
    double mass = 0;
    Vec3 moment;
    Sym3 inertia;  // about the frame origin, as in the paper
    const auto add = [&](double m, const Vec3& r) {
      const Sym3 unit = unit_mass_inertia(r);
      mass += m;
      moment += m * r;
      inertia += Sym3{m * unit.xx, m * unit.yy, m * unit.zz, m * unit.xy, m * unit.xz, m * unit.yz};
    };
    for (std::size_t i = 0; i < 4; ++i) {
      add(mass_at(p, i), place[i]);
      for (std::size_t j = 0; j < i; ++j) add(mass_between(p, i, j), 0.5 * (place[i] + place[j]));
    }
    const Sym3 unit = unit_mass_inertia(body.center);
    const double m = body.mass;
    const Sym3 expected =
        body.inertia + Sym3{m * unit.xx, m * unit.yy, m * unit.zz, m * unit.xy, m * unit.xz, m * unit.yz};
    double size = 0;  // of the masses, which grow as the places come near a plane
    for (std::size_t i = 0; i < 4; ++i) size = std::max(size, std::abs(mass_at(p, i)));
    const double tolerance = 1e-13 * (m + size);
    CHECK(std::abs(mass - m) < tolerance);
    CHECK(norm(moment - m * body.center) < tolerance);
    CHECK(distance(inertia.full(), expected.full()) < 10 * tolerance);
  }
}

TEST_CASE("weights of the primary particles are the sums of Eqs 2.6") {
  Random random(2);
  const SolidBody body = random_body(random);
  EquivalentParticles p;
  Vec3 place[4];
  random_places(random, place);
  REQUIRE(particles::find_masses(body.mass, body.center, body.inertia, place, p));
  for (std::size_t i = 0; i < 4; ++i) {
    double once = mass_at(p, i), twice = mass_at(p, i);
    for (std::size_t j = 0; j < 4; ++j) {
      if (j == i) continue;
      once += mass_between(p, i, j) / 2;
      twice += mass_between(p, i, j) / 4;
    }
    CHECK(p.total[i] == Approx(once));
    CHECK(p.weight[i][i] == Approx(twice));
  }
}

TEST_CASE("particles have positive kinetic energy in every motion, though masses may be negative") {
  Random random(3);
  bool any_negative = false;
  for (int trial = 0; trial < 100; ++trial) {
    const SolidBody body = random_body(random);
    EquivalentParticles p;
    Vec3 place[4];
    random_places(random, place);
    REQUIRE(particles::find_masses(body.mass, body.center, body.inertia, place, p));
    for (std::size_t i = 0; i < 4; ++i) any_negative = any_negative || mass_at(p, i) < 0;
    double size = 0, energy = 0, v[4];
    for (double& x : v) x = random.uniform(-1, 1);
    for (std::size_t i = 0; i < 4; ++i)
      for (std::size_t j = 0; j < 4; ++j) {
        energy += p.weight[i][j] * v[i] * v[j];
        size += std::abs(p.weight[i][j] * v[i] * v[j]);
      }
    CHECK(energy > -1e-12 * size);
  }
  CHECK(any_negative);
}

TEST_CASE("coplanar places are refused") {
  Random random(4);
  for (int trial = 0; trial < 50; ++trial) {
    const Vec3 o = random.vector(1), a = random.vector(1), b = random.vector(1);
    const Vec3 flat[4] = {o, o + a, o + b, o + random.uniform(-1, 1) * a + random.uniform(-1, 1) * b};
    const Vec3 line[4] = {o, o + a, o - a, o + b}, point[4] = {o, o, o + a, o + b};
    const SolidBody body = random_body(random);
    EquivalentParticles p;
    CHECK_FALSE(particles::find_masses(body.mass, body.center, body.inertia, flat, p));
    CHECK_FALSE(particles::find_masses(body.mass, body.center, body.inertia, line, p));
    CHECK_FALSE(particles::find_masses(body.mass, body.center, body.inertia, point, p));
  }
}

TEST_CASE("a rod on two particles and a plate in the plane of three need no others") {
  const Vec3 place[4] = {{0, 0, 0}, {1, 0, 0}, {0.2, 0.3, 0.9}, {0.1, 1, 0}};
  EquivalentParticles p;
  REQUIRE(particles::find_masses(2, {0.5, 0, 0}, {0, 1.0 / 6, 1.0 / 6, 0, 0, 0}, place, p));
  CHECK(p.representation == Representation::two);
  // A uniform rod: a sixth at each end, two thirds in the middle.
  CHECK(mass_at(p, 0) == Approx(2.0 / 6));
  CHECK(mass_at(p, 1) == Approx(2.0 / 6));
  CHECK(mass_between(p, 0, 1) == Approx(2 * 4.0 / 6));
  REQUIRE(particles::find_masses(2, {0.5, 0.3, 0}, {0.1, 0.2, 0.3, 0, 0, 0}, place, p));
  CHECK(p.representation == Representation::three);
  REQUIRE(particles::find_masses(2, place[1], {}, place, p));
  CHECK(p.representation == Representation::two);
  CHECK(mass_at(p, 1) == Approx(2));
}

TEST_CASE("momenta of the particles are those of the rigid body, Eqs 2.2, 2.3 and 2.5") {
  Random random(5);
  for (int trial = 0; trial < 50; ++trial) {
    const SolidBody body = random_body(random);
    EquivalentParticles p;
    Vec3 place[4];
    random_places(random, place);
    REQUIRE(particles::find_masses(body.mass, body.center, body.inertia, place, p));
    const SmoothMotion motion(random);
    const BodyMotion m = motion.at(0);
    const Spatial a = motion.acceleration(0);
    const Vec3 w = m.V.angular;
    const auto acceleration = [&](const Vec3& s) {
      const Vec3 r = m.R * s;
      return a.linear + cross(a.angular, r) + cross(w, cross(w, r));
    };
    Vec3 force, moment;  // about particle 1
    for (std::size_t i = 0; i < 4; ++i) {
      Vec3 lever;  // A_i r̈ = lever × r̈
      for (std::size_t j = 0; j < 4; ++j) lever += p.weight[i][j] * (m.R * (place[j] - place[0]));
      force += p.total[i] * acceleration(place[i]);
      moment += cross(lever, acceleration(place[i]));
    }
    const Sym3 J = rotate(m.R, body.inertia);
    const Vec3 a_C = acceleration(body.center), r_C1 = m.R * (body.center - place[0]);
    CHECK(norm(force - body.mass * a_C) < 1e-10);
    CHECK(norm(moment - (J * a.angular + cross(w, J * w) + body.mass * cross(r_C1, a_C))) < 1e-10);
  }
}
