// The law of the tyre: the forces of the road on a wheel in a given motion.
#include <catch2/catch.hpp>
#include <cmath>

#include "plugins/elements/tyres/tyre_types.hpp"
#include "tests/elements/force_bench.hpp"

namespace polyform::test {
namespace {

const ForceType& tyre = tyres::radial_tyre();

/// Radius 0.3 m, 1e5 N/m; the spin axis is y of the body.
FieldSet tyre_fields(BodyIndex wheel, double damping, const Vec3& center = {}, const Vec3& axis = {0, 1, 0}) {
  FieldSet f(tyre.fields());
  f.marker("wheel", wheel, center).vector("axis", axis).number("radius", 0.3).number("stiffness", 1e5);
  f.number("damping", damping);
  return f;
}

/// A wheel without spin above the road z = 0, upright unless cambered about x.
BodyMotion wheel_at(double height, double rise = 0, double camber = 0) {
  return {axis_rotation({1, 0, 0}, std::cos(camber), std::sin(camber)), {1, 2, height}, {{}, {0, 0, rise}}};
}

Load load_on(FieldSet fields, const BodyMotion& motion) {
  ForceBench bench;
  bench.add_body({{}, {0, 0, 1}});
  bench.add(tyre, std::move(fields));
  return bench.load(0, {&motion, 1});
}
Load load_of(double damping, const BodyMotion& motion) { return load_on(tyre_fields(body_index(0), damping), motion); }

/// A wheel that rolls, steers, sways in camber and bounces over a sloped road; its velocities are differences of the
/// pose.
struct WobblingWheel {
  Mat3 slope;
  Vec3 normal, axis, center;  ///< axis and centre in the body
  double road = 0.7;

  explicit WobblingWheel(Random& random)
      : slope(rotation_matrix(random.quaternion())),
        normal(slope * Vec3{0, 0, 1}),
        axis(random.direction()),
        center(random.vector(0.5)) {}

  /// Orientation that takes `axis` to the wheel's y axis, then spin, camber, steering, slope.
  Mat3 orientation(double t) const {
    const auto about = [](const Vec3& a, double angle) { return axis_rotation(a, std::cos(angle), std::sin(angle)); };
    const Vec3 half = axis + Vec3{0, 1, 0};
    const Mat3 to_y = about((1 / norm(half)) * half, 3.14159265358979323846);
    return slope *
           (about({0, 0, 1}, 2 * t) * (about({1, 0, 0}, 0.4 * std::sin(5 * t)) * (about({0, 1, 0}, 7 * t) * to_y)));
  }
  Vec3 origin(double t) const {
    const double height = road + 0.25 + 0.02 * std::sin(9 * t);
    return slope * Vec3{3 * t, std::cos(t), height} - orientation(t) * center;
  }
  BodyMotion at(double t) const {
    const Mat3 R = orientation(t);
    const Mat3 R_rate = rate([&](double h) { return orientation(t + h); });
    return {R, origin(t), {angular_velocity(R, R_rate), rate([&](double h) { return origin(t + h); })}};
  }
  Load load(double t) const {
    ForceBench bench;
    const BodyIndex wheel = bench.add_body({quaternion_of(orientation(0)), origin(0)});
    FieldSet fields = tyre_fields(wheel, 2e3, center, axis);
    fields.vector("road_normal", normal).number("road_height", road).number("onset", 0.05);
    bench.add(tyre, std::move(fields));
    const BodyMotion motion = at(t);
    return bench.load(0, {&motion, 1});
  }
};

}  // namespace

TEST_CASE("an upright wheel is pushed at its centre with stiffness compression + damping rate") {
  const Load load = load_of(2e3, wheel_at(0.29, -0.1));
  CHECK(distance(load.wrenches[0], Spatial{{}, {0, 0, 1e5 * 0.01 + 2e3 * 0.1}}) < 1e-9);
  CHECK(load.potential_energy == Approx(0.5 * 1e5 * 0.01 * 0.01));
  CHECK(load.power == Approx(-2e3 * 0.01));
}

TEST_CASE("off the road a tyre does nothing") {
  const Load load = load_of(2e3, wheel_at(0.3, -5));
  CHECK(distance(load.wrenches[0], Spatial{}) == 0);
  CHECK(load.potential_energy == 0);
  CHECK(load.power == 0);
}

TEST_CASE("a tyre never pulls, and loses energy where its damper outweighs its spring") {
  // 1000 N of the spring against 2000 N of the damper.
  const Load load = load_of(2e3, wheel_at(0.29, 1));
  CHECK(distance(load.wrenches[0], Spatial{}) == 0);
  CHECK(load.potential_energy == Approx(5));
  CHECK(load.power == Approx(-1000));
}

TEST_CASE("landing is no jump: the damping grows over the onset") {
  const double touch = 1e-9, speed = 5;
  CHECK(load_of(2e3, wheel_at(0.3 - touch, -speed)).wrenches[0].linear.z == Approx(1e5 * touch).epsilon(1e-3));
  const auto with_onset = [&](double onset, double compression) {
    FieldSet fields = tyre_fields(body_index(0), 2e3);
    fields.number("onset", onset);
    return load_on(std::move(fields), wheel_at(0.3 - compression, -speed)).wrenches[0].linear.z;
  };
  CHECK(with_onset(0.02, 0.01) == Approx(1e5 * 0.01 + 2e3 * speed / 2));
  CHECK(with_onset(0.02, 0.02) == Approx(1e5 * 0.02 + 2e3 * speed));
  CHECK(with_onset(0, touch) == Approx(1e5 * touch + 2e3 * speed));
}

TEST_CASE("a cambered wheel is compressed along the shortest of its radii that reach the road") {
  // The radii of the disc by trial: the end of the radius at the angle psi is on the road at the length found.
  const double height = 0.25, camber = 0.3;
  const BodyMotion motion = wheel_at(height, 0, camber);
  double shortest = 1e300;
  Vec3 radius;
  for (int i = 0; i < 100000; ++i) {
    const double psi = 2 * 3.14159265358979323846 * i / 100000;
    const Vec3 u = motion.R * Vec3{std::cos(psi), 0, std::sin(psi)};
    if (u.z < 0 && -height / u.z < shortest) {
      shortest = -height / u.z;
      radius = u;
    }
  }
  const Load load = load_of(0, motion);
  const Vec3 force = load.wrenches[0].linear;
  const double compression = 0.3 - shortest;
  CHECK(compression > 0.02);
  CHECK(load.potential_energy == Approx(0.5e5 * compression * compression));
  CHECK(-dot(force, radius) == Approx(1e5 * compression));
  CHECK(std::hypot(force.x, force.y) == 0);
  CHECK(distance(load.wrenches[0].angular, cross(shortest * radius, force)) < 1e-3 * norm(force) * shortest);
}

TEST_CASE("the road has no friction: it neither drives a wheel nor pushes it along") {
  Random random(71);
  const WobblingWheel wheel(random);
  for (double t = 0; t < 2; t += 0.1) {
    const Load load = wheel.load(t);
    const BodyMotion motion = wheel.at(t);
    const Vec3 force = load.wrenches[0].linear, arm = motion.R * wheel.center;
    const Vec3 moment = load.wrenches[0].angular - cross(arm, force);  // about the centre
    CHECK(norm(cross(wheel.normal, force)) < 1e-9 * (1 + norm(force)));
    CHECK(std::abs(dot(motion.R * wheel.axis, moment)) < 1e-9 * (1 + norm(force)));
  }
}

TEST_CASE("the power of a tyre is what its potential energy loses and its damper takes, however the wheel moves") {
  Random random(72);
  for (int i = 0; i < 5; ++i) {
    const WobblingWheel wheel(random);
    for (double t = 0; t < 2; t += 0.1) {
      const Load load = wheel.load(t);
      const double energy_rate = rate([&](double h) { return wheel.load(t + h).potential_energy; });
      CHECK(load.potential_energy > 0);
      CHECK(load.power <= 0);
      CHECK(dot(load.wrenches[0], wheel.at(t).V) ==
            Approx(load.power - energy_rate).epsilon(1e-7).margin(1e-6 * load.potential_energy));
    }
  }
}

TEST_CASE("a wheel that comes to lie flat is left alone") {
  const Load load = load_of(2e3, wheel_at(0.1, 0, 0.5 * 3.14159265358979323846));
  CHECK(distance(load.wrenches[0], Spatial{}) == 0);
}

}  // namespace polyform::test
