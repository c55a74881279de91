// Springs and dampers about Euler angles between two bodies.
#include <catch2/catch.hpp>
#include <numbers>

#include "plugins/elements/forces/force_types.hpp"
#include "tests/elements/force_bench.hpp"

namespace polyform::test {
namespace {

const ForceType& type = forces::rotational_spring_damper();

FieldSet spring_fields(BodyIndex a, BodyIndex b, const std::vector<Vec3>& axes, std::vector<double> stiffness,
                       std::vector<double> damping) {
  std::vector<double> rows;
  for (const Vec3& d : axes)
    for (std::size_t k = 0; k < 3; ++k) rows.push_back(d[k]);
  FieldSet f(type.fields());
  f.marker("a", a).marker("b", b).matrix("axes", axes.size(), std::move(rows));
  f.numbers("stiffness", std::move(stiffness)).numbers("damping", std::move(damping));
  return f;
}

/// Three axes: each is perpendicular to the one before, but the third may have any direction except that of the first.
std::vector<Vec3> random_axes(Random& random) {
  const auto across = [&](const Vec3& d) {
    const Vec3 v = cross(d, random.direction());
    return (1 / norm(v)) * v;
  };
  for (;;) {
    const Vec3 u = random.direction(), v = across(u), w = across(v);
    if (std::abs(dot(cross(u, v), w)) > 0.2) return {u, v, w};
  }
}

/// The motion of b, turned from a by the given angles; all axes as drawn, in ground.
BodyMotion turned(const Pose& a, const Pose& b, const BodyMotion& a_now, const std::vector<Vec3>& axes,
                  const Vec3& angles) {
  Mat3 R = Mat3::identity();
  for (std::size_t k = 0; k < axes.size(); ++k)
    R = R * axis_rotation(axes[k], std::cos(angles[k]), std::sin(angles[k]));
  return {a_now.R * (transpose_times(rotation_matrix(a.orientation), R * rotation_matrix(b.orientation))), {}, {}};
}

}  // namespace

TEST_CASE("a rotational spring-damper stores half stiffness times the square of each Euler angle") {
  Random random(71);
  for (int i = 0; i < 200; ++i) {
    const std::size_t count = 1 + static_cast<std::size_t>(i % 3);
    const Pose a = random.pose(), b = random.pose();
    std::vector<Vec3> axes = random_axes(random);
    axes.resize(count);
    ForceBench bench;
    const BodyIndex at_a = bench.add_body(a), at_b = bench.add_body(b);
    const std::vector<double> k{3, 5, 7}, rest{0.2, -0.1, 0.3};
    auto fields = spring_fields(at_a, at_b, axes, {k.begin(), k.begin() + static_cast<std::ptrdiff_t>(count)}, {0});
    fields.numbers("rest", {rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(count)});
    REQUIRE(bench.add(type, std::move(fields)));
    // Angles on the drawn side of the gimbal lock; with fewer than three axes the others stay zero.
    const Vec3 angles{random.uniform(-3, 3), random.uniform(-0.15, 0.15), random.uniform(-3, 3)};
    const BodyMotion now = SmoothMotion(random).at(0);
    const std::vector<BodyMotion> bodies{now, turned(a, b, now, axes, angles)};
    double energy = 0;
    for (std::size_t j = 0; j < count; ++j) energy += 0.5 * k[j] * (angles[j] - rest[j]) * (angles[j] - rest[j]);
    CHECK(bench.load(0, bodies).potential_energy == Approx(energy).epsilon(1e-11));
  }
}

TEST_CASE("a rotational spring-damper about one axis is the spring of that hinge") {
  ForceBench bench;
  const BodyIndex body = bench.add_body({});
  REQUIRE(bench.add(type, spring_fields(BodyIndex::ground, body, {{0, 0, 1}}, {10}, {2})));
  const BodyMotion moving{axis_rotation(Vec3{0, 0, 1}, std::cos(0.4), std::sin(0.4)), {}, {{0, 0, 3}, {}}};
  const Load load = bench.load(0, {&moving, 1});
  CHECK(distance(load.wrenches[0], Spatial{{0, 0, -10 * 0.4 - 2 * 3}, {}}) < 1e-13);
  CHECK(load.potential_energy == Approx(0.8));
  CHECK(load.power == Approx(-18));
}

TEST_CASE("the power of rotational spring-dampers is what their potential energy loses and the dampers take") {
  Random random(72);
  for (int i = 0; i < 30; ++i) {
    ForceBench bench;
    const std::vector<SmoothMotion> motions{SmoothMotion(random), SmoothMotion(random)};
    const BodyIndex a = bench.add_body(random.pose()), b = bench.add_body(random.pose());
    std::vector<Vec3> axes = random_axes(random);
    REQUIRE(bench.add(type, spring_fields(a, b, axes, {3, 5, 7}, {0.3, 0.2, 0.1})));
    axes.resize(2);
    REQUIRE(bench.add(type, spring_fields(b, a, axes, {4, 6}, {0.5})));
    const std::vector<BodyMotion> bodies = at(motions, 0);
    const Load load = bench.load(0, bodies);
    const double energy_rate = rate([&](double h) { return bench.load(h, at(motions, h)).potential_energy; });
    if (std::abs(energy_rate) > 300) continue;  // near the gimbal lock differences lose their digits
    CHECK(load.power < 0);
    CHECK(delivered(load, bodies) == Approx(load.power - energy_rate).epsilon(1e-6));
    CHECK(norm(load.wrenches[0].angular + load.wrenches[1].angular) < 1e-12 * (1 + norm(load.wrenches[0].angular)));
    const Mat3 G = rotation_matrix(random.quaternion());
    const Load there = bench.load(0, in_other_frame(bodies, G, {1, 2, 3}));
    CHECK(distance(there.wrenches[1], Spatial{G * load.wrenches[1].angular, {}}) <
          1e-9 * (1 + norm(load.wrenches[1].angular)));
    CHECK(there.potential_energy == Approx(load.potential_energy));
  }
}

TEST_CASE("a rotational spring-damper stays finite in gimbal lock") {
  ForceBench bench;
  const BodyIndex body = bench.add_body({});
  REQUIRE(bench.add(type, spring_fields(BodyIndex::ground, body, {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}}, {1}, {1})));
  const double quarter = std::numbers::pi / 2;
  const BodyMotion locked{axis_rotation(Vec3{0, 1, 0}, std::cos(quarter), std::sin(quarter)), {}, {{1, 2, 3}, {}}};
  const Load load = bench.load(0, {&locked, 1});
  CHECK(std::isfinite(norm(load.wrenches[0].angular)));
  CHECK(std::isfinite(load.power));
  CHECK(load.potential_energy == Approx(0.5 * quarter * quarter));
}

TEST_CASE("axes that make no Euler angles are errors that say why") {
  ForceBench bench;
  const BodyIndex body = bench.add_body({});
  const BodyIndex ground = BodyIndex::ground;
  struct Wrong {
    std::vector<Vec3> axes;
    std::string message;
  };
  for (const Wrong& wrong :
       {Wrong{{{0, 0, 0}}, "axes: axis 1 has no direction | Give a direction [x, y, z]."},
        Wrong{{{0, 0, 1}, {0, 0.6, 0.8}},
              "axes: axis 2 makes an angle of 0.643501 rad with axis 1, not π/2 | Make each axis perpendicular to the "
              "one before: only then do the turns reach every orientation."},
        Wrong{{{0, 0, 1}, {0, 1, 0}, {0, 0, 1}},
              "axes: the third axis is parallel to the first: the angles are in gimbal lock as drawn | Give three axes "
              "of which the third is not parallel to the first as drawn, such as z, y, x."}}) {
    RecordingSink sink(type.fields());
    CHECK_FALSE(bench.add(type, spring_fields(ground, body, wrong.axes, {1}, {0}), sink));
    REQUIRE(sink.reports.size() == 1);
    CHECK(sink.reports[0] == wrong.message);
  }
  RecordingSink sink(type.fields());
  FieldSet four(type.fields());
  four.marker("a", ground).marker("b", body).matrix("axes", 1, {0, 0, 1, 0}).numbers("stiffness", {1});
  CHECK_FALSE(bench.add(type, std::move(four), sink));
  CHECK_FALSE(bench.add(type, spring_fields(ground, body, {{0, 0, 1}}, {1, 2}, {0}), sink));
  CHECK_FALSE(bench.add(type, spring_fields(body, body, {{0, 0, 1}}, {1}, {0}), sink));
  REQUIRE(sink.reports.size() == 3);
  CHECK(sink.reports[0] ==
        "axes: 1 row of 4 numbers given for the axes | Give one to three axes as rows [x, y, z], in the order of the "
        "turns.");
  CHECK(sink.reports[1] == "stiffness: 2 values given for stiffness, but there is 1 axis of turns | Give one value.");
  CHECK(sink.reports[2] ==
        "b: both ends of the spring turn with the same body: it does nothing | Attach one end to another body.");
}

}  // namespace polyform::test
