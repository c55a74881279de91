// Particle 3 and other points from particles 1, 2 and 4: Eqs 2.10 to 2.14 with their signs and their velocity term.
#include <catch2/catch.hpp>

#include "tests/elements/random.hpp"
#include "triangle.hpp"

using namespace polyform;
using namespace polyform::test;
using namespace polyform::particles;

namespace {

struct Points {
  Vec3 place[3], other;
  explicit Points(Random& random) {
    for (Vec3& p : place) p = random.vector(1);
    other = random.vector(1);
  }
  Invariants invariants() const { return Triangle(place[0], place[1], place[2]).invariants(other - place[0]); }
};
Vec3 at(const BodyMotion& m, const Vec3& place) { return m.p + m.R * place; }

}  // namespace

TEST_CASE("signed invariants find particle 3 on either side of the plane, wherever the body has gone, Eq 2.10") {
  Random random(1);
  int below = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const Points points(random);
    const Invariants k = points.invariants();
    below += k.lambda < 0;
    const BodyMotion m = SmoothMotion(random).at(0.3);
    const Triangle t(at(m, points.place[0]), at(m, points.place[1]), at(m, points.place[2]));
    CHECK(norm(at(m, points.place[0]) + t.point(k) - at(m, points.other)) < 1e-12);
  }
  CHECK(below > 20);  // where |λ| would put it on the wrong side
}

TEST_CASE("the acceleration of particle 3 is Eq 2.14 and the velocity term that it drops") {
  Random random(2);
  for (int trial = 0; trial < 50; ++trial) {
    const Points points(random);
    const Invariants k = points.invariants();
    const SmoothMotion motion(random);
    const BodyMotion m = motion.at(0);
    const Spatial a = motion.acceleration(0);
    const Vec3 w = m.V.angular;
    const auto velocity = [&](const Vec3& s) { return m.V.linear + cross(w, m.R * s); };
    const auto acceleration = [&](const Vec3& s) {
      return a.linear + cross(a.angular, m.R * s) + cross(w, cross(w, m.R * s));
    };
    const auto& [s1, s2, s4] = points.place;
    const Triangle t(at(m, s1), at(m, s2), at(m, s4));
    const PointRows rows(t, k);
    const Vec3 term = velocity_term(k, velocity(s2) - velocity(s1), velocity(s4) - velocity(s1));
    const double size = 1 + std::abs(k.lambda) + std::abs(k.mu) + std::abs(k.tau);
    CHECK(norm(rows(velocity(s1), velocity(s2), velocity(s4)) - velocity(points.other)) < 1e-11 * size);
    CHECK(norm(rows(acceleration(s1), acceleration(s2), acceleration(s4)) + term - acceleration(points.other)) <
          1e-10 * size);
    CHECK(norm(term) > 1e-6);
    for (std::size_t i = 0; i < 3; ++i) {
      const Vec3 x = random.vector(1);
      CHECK(norm(rows.matrix(i) * x - (rows.s[i] * x + cross(rows.u[i], x))) < 1e-12 * size);
    }
  }
}

TEST_CASE("forces on three particles do the work of the wrench that they stand for") {
  Random random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const Vec3 r1 = random.vector(1), r2 = random.vector(1), r4 = random.vector(1);
    const Triangle t(r1, r2, r4);
    const Vec3 w = random.vector(1), v1 = random.vector(1);
    const Spatial wrench{random.vector(1), random.vector(1)};
    Vec3 f1, f2, f4;
    t.distribute(wrench, f1, f2, f4);
    const double work = dot(f1, v1) + dot(f2, v1 + cross(w, t.r21)) + dot(f4, v1 + cross(w, t.r41));
    CHECK(work == Approx(dot(wrench.angular, w) + dot(wrench.linear, v1)));
    CHECK(norm(t.rotation(cross(w, t.r21), cross(w, t.r41)) - w) < 1e-11);
    CHECK(norm(cross(t.r21, f2) + cross(t.r41, f4) - wrench.angular) < 1e-9);
  }
}
