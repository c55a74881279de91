// Which particles a system has, and which bodies share them: Sect. 2.4.
#include <catch2/catch.hpp>

#include "layout.hpp"
#include "tests/elements/random.hpp"
#include "tests/support/growth.hpp"
#include "tests/support/hand_built.hpp"

using namespace polyform;
using namespace polyform::test;
using particles::Layout;
using particles::none;

namespace {

Pose at(double x, double y = 0, double z = 0) { return {{}, {x, y, z}}; }
BodyIndex rod(HandBuilt& system, const Pose& pose) {
  return system.add_body("rod", pose, 1, {0.5, 0, 0}, {0.01, 0.09, 0.09, 0, 0, 0});
}
std::size_t fixed_particles(const Layout& layout) {
  std::size_t count = 0;
  for (const auto& p : layout.particles) count += p.slot == none;
  return count;
}
std::size_t dependents(const Layout& layout) {
  std::size_t count = 0;
  for (const auto& b : layout.bodies) count += b.dependents.size();
  return count;
}

}  // namespace

TEST_CASE("a chain of N bodies on ball joints keeps 2N + 1 of its 3N + 1 primary particles") {
  HandBuilt system;
  BodyIndex inboard = BodyIndex::ground;
  for (int i = 0; i < 7; ++i) {
    const BodyIndex body = rod(system, at(i));
    system.spherical("s", inboard, body, {static_cast<double>(i), 0, 0});
    inboard = body;
  }
  const Layout layout(system.view());
  CHECK(layout.moving == 14);
  CHECK(fixed_particles(layout) == 1);  // the one on ground
  CHECK(dependents(layout) == 0);
  for (std::size_t i = 1; i < 7; ++i) {
    CHECK(layout.bodies[i].inherited == 1);
    CHECK(layout.bodies[i].particle[0] == layout.bodies[i - 1].particle[1]);  // one particle of two bodies
  }
}

TEST_CASE("a revolute joint shares two particles on its axis, a fixed joint all") {
  HandBuilt system;
  const BodyIndex a = rod(system, at(0)), b = rod(system, at(1)), c = rod(system, at(2));
  system.revolute("ground", BodyIndex::ground, a, {0, 0, 0}, {0, 0, 1});
  system.revolute("ab", b, a, {1, 0, 0}, {0, 1, 0});
  system.joint(joint_index(1)).reversed = true;
  system.add_joint("bc", b, c, {2, 0, 0}, {});
  const Layout layout(system.view());
  CHECK(fixed_particles(layout) == 2);
  const auto& [first, second, third] = std::tie(layout.bodies[0], layout.bodies[1], layout.bodies[2]);
  CHECK(first.inherited == 2);
  CHECK(second.inherited == 2);
  CHECK(third.inherited == 3);
  // On the axis, in the axes of either body: (1, 0, 0) + l (0, 1, 0) in a, l (0, 1, 0) in b.
  for (const std::size_t k : {0u, 1u}) {
    CHECK(std::abs(second.place[k].x) + std::abs(second.place[k].z) < 1e-12);
    CHECK(third.particle[k] == second.particle[k]);
    CHECK(norm(third.place[k] + Vec3{1, 0, 0} - second.place[k]) < 1e-12);
  }
}

TEST_CASE("joints beyond the three particles of a body make further ones that depend on them") {
  HandBuilt system;
  const BodyIndex hub = system.add_body("hub", at(0), 3, {}, {1, 1, 1, 0, 0, 0});
  system.free("free", hub);
  const Vec3 points[6] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
  for (const Vec3& p : points) system.spherical("arm", hub, rod(system, at(p.x, p.y, p.z)), p);
  const Layout layout(system.view());
  CHECK(layout.bodies[0].dependents.size() == 3);
  CHECK(layout.moving == 6 + 6 * 2);  // of the hub: all shared; of each arm: two of its own
  for (std::size_t i = 1; i < 7; ++i) CHECK(layout.bodies[i].inherited == 1);
}

TEST_CASE("places are well spread for joints anywhere, also where they lie on a line or in a plane") {
  Random random(6);
  for (int trial = 0; trial < 200; ++trial) {
    HandBuilt system;
    const Vec3 direction = random.direction(), across = random.direction();
    const auto point = [&] {
      const Vec3 line = random.uniform(-1, 1) * direction;
      return trial % 4 == 0   ? line
             : trial % 4 == 1 ? line + random.uniform(-1, 1) * across
             : trial % 4 == 2 ? Vec3{}
                              : random.vector(1);
    };
    const BodyIndex hub =
        system.add_body("hub", at(0), 1, trial % 3 == 0 ? Vec3{} : random.vector(0.3), {0.1, 0.1, 0.1, 0, 0, 0});
    system.revolute("root", BodyIndex::ground, hub, point(), random.direction());
    for (int k = 0; k < trial % 5; ++k) {
      const BodyIndex arm = rod(system, at(0));
      if (k % 2 == 0)
        system.spherical("s", hub, arm, point());
      else
        system.revolute("r", hub, arm, point(), random.direction());
    }
    const Layout layout(system.view());
    CHECK(layout.degenerate == none);
    for (const auto& body : layout.bodies) {
      const particles::Triangle triangle(body.place[0], body.place[1], body.place[2]);
      CHECK(particles::spread(
                {body.place[0], body.place[1], body.place[0] + triangle.point(body.third), body.place[2]}) > 0.02);
    }
  }
}

TEST_CASE("rods take two particles and plates three wherever their joints leave the choice") {
  using particles::Representation;
  Random random(8);
  for (int trial = 0; trial < 60; ++trial) {
    // Mass on a line or in a plane, about a mass centre on the joint or off it.
    const Mat3 R =
        rotation_matrix(normalized(Quat{1, random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}));
    const bool line = trial % 2 == 0;
    const Sym3 inertia = rotate(R, line ? Sym3{0, 0.3, 0.3, 0, 0, 0} : Sym3{0.1, 0.3, 0.4, 0, 0, 0});
    const Vec3 along = R.column(0), in_plane = line ? along : R.column(1);
    const double off = trial % 3 == 0 ? 0 : random.uniform(-1, 1), across = trial % 5 == 0 ? 0 : random.uniform(-1, 1);
    HandBuilt system;
    const BodyIndex body = system.add_body("body", at(0), 1, off * along + across * in_plane, inertia);
    if (trial % 4 < 2)
      system.spherical("joint", BodyIndex::ground, body, {});
    else if (line || trial % 4 == 2)
      system.free("joint", body);
    else
      system.revolute("joint", BodyIndex::ground, body, {}, in_plane);
    const Layout layout(system.view());
    INFO("trial " << trial);
    CHECK(layout.bodies[0].masses.representation == (line ? Representation::two : Representation::three));
  }
}

TEST_CASE("ten thousand arms on one body are set up in linear time, each with the particle that it shares") {
  Random random(9);
  std::vector<Vec3> points;
  for (std::size_t k = 0; k < 10000; ++k)
    points.push_back(k % 10 == 9 ? points[k - 5] : random.vector(1));  // some share one point
  const auto hang_arms_on_hub = [&](HandBuilt& system, std::size_t arms) {
    const BodyIndex hub = system.add_body("hub", at(0), 3, {}, {1, 1, 1, 0, 0, 0});
    system.free("free", hub);
    for (std::size_t k = 0; k < arms; ++k)
      system.spherical("arm", hub, rod(system, at(points[k].x, points[k].y, points[k].z)), points[k]);
  };
  HandBuilt small, large;
  hang_arms_on_hub(small, 625);
  hang_arms_on_hub(large, 10000);
  const SystemView few = small.view(), view = large.view();
  CHECK(grows_linearly([&](std::size_t arms) { return Layout(arms == 625 ? few : view); }, 625));
  const Layout layout(view);
  CHECK(dependents(layout) == 9000 - 3);
  for (std::size_t k = 0; k < points.size(); ++k)
    CHECK(norm(layout.particles[layout.bodies[k + 1].particle[0]].place - points[k]) < 1e-9);
}
