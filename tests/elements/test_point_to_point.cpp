// Forces at points of bodies: spring-damper and point-force.
#include <catch2/catch.hpp>

#include "plugins/elements/forces/force_types.hpp"
#include "polyform/helpers/element_test.hpp"
#include "tests/elements/force_bench.hpp"

namespace polyform::test {
namespace {

const ForceType& pull = forces::spring_damper();
const ForceType& point_force = forces::point_force();

FieldSet spring_fields(BodyIndex a, const Vec3& at_a, BodyIndex b, const Vec3& at_b, double stiffness, double damping) {
  FieldSet f(pull.fields());
  f.marker("a", a, at_a).marker("b", b, at_b).number("stiffness", stiffness).number("damping", damping);
  return f;
}
FieldSet force_fields(BodyIndex body, const Vec3& point, std::vector<TimeFunction> force,
                      std::vector<TimeFunction> moment, std::string_view axes) {
  FieldSet f(point_force.fields());
  f.marker("body", body)
      .vector("point", point)
      .functions("force", std::move(force))
      .functions("moment", std::move(moment))
      .text("axes", axes);
  return f;
}

/// Springs between two moving bodies, and between one of them and ground.
struct LineBench {
  Random random{61};
  ForceBench bench;
  std::vector<SmoothMotion> motions{SmoothMotion(random), SmoothMotion(random)};

  explicit LineBench(bool to_ground) {
    const BodyIndex a = bench.add_body(random.pose()), b = bench.add_body(random.pose());
    bench.add(pull, spring_fields(a, random.vector(1), b, random.vector(1), 40, 3));
    bench.add(pull,
              std::move(spring_fields(b, random.vector(1), a, random.vector(1), 7, 0).number("free_length", 0.3)));
    if (to_ground) bench.add(pull, spring_fields(BodyIndex::ground, random.vector(1), b, random.vector(1), 11, 5));
  }
};

}  // namespace

TEST_CASE("a spring-damper pulls along the line with stiffness (l - free_length) + damping l'") {
  ForceBench bench;
  const BodyIndex body = bench.add_body({{}, {3, 0, 0}});
  bench.add(pull,
            std::move(spring_fields(BodyIndex::ground, {0, 1, 0}, body, {0, 1, 0}, 100, 10).number("free_length", 2)));
  const BodyMotion moving{Mat3::identity(), {5, 0, 0}, {{}, {0.5, 9, 0}}};
  const Load load = bench.load(0, {&moving, 1});
  CHECK(distance(load.wrenches[0], Spatial{{0, 0, 305}, {-305, 0, 0}}) < 1e-12);
  CHECK(load.potential_energy == Approx(450));
  CHECK(load.power == Approx(-2.5));
}

TEST_CASE("a spring-damper is free of force as drawn unless a free length is given") {
  Random random(62);
  ForceBench bench;
  const Pose drawn = random.pose();
  const BodyIndex body = bench.add_body(drawn);
  bench.add(pull, spring_fields(BodyIndex::ground, random.vector(1), body, random.vector(1), 100, 0));
  const BodyMotion as_drawn{rotation_matrix(drawn.orientation), drawn.position, {}};
  const Load load = bench.load(0, {&as_drawn, 1});
  CHECK(distance(load.wrenches[0], Spatial{}) < 1e-12);
  CHECK(load.potential_energy < 1e-20);
}

TEST_CASE("the ends of a spring coincide up to the rounding of the bodies' places, at the ground origin too") {
  const Vec3 arm{1.3, 0.2, 0.1};
  ForceBench bench;
  const BodyIndex body = bench.add_body({{}, -arm});
  bench.add(pull, std::move(spring_fields(BodyIndex::ground, {}, body, arm, 30, 1).number("free_length", 0.5)));
  for (const double off : {0.0, 1e-16, 3e-13}) {
    const BodyMotion moving{Mat3::identity(), Vec3{0, -off, off} - arm, {{1, 2, 3}, {4, 5, 6}}};
    CHECK(distance(bench.load(0, {&moving, 1}).wrenches[0], Spatial{}) == 0);
  }
  const BodyMotion apart{Mat3::identity(), Vec3{0, 0, 1e-9} - arm, {}};
  CHECK(bench.load(0, {&apart, 1}).wrenches[0].linear.z == Approx(15));
}

// Numbers near 1e9 are multiples of 2^-23: the ends of 2^-9 m are exact there.
TEST_CASE("a spring and a cable of 2 mm pull by their laws a million kilometres from the ground origin") {
  constexpr double far = 1e9, length = 0x1p-9;
  ForceBench bench;
  const BodyIndex body = bench.add_body({{}, {far + 1, 0, 0}});
  bench.add(pull, std::move(spring_fields(BodyIndex::ground, {far, 0, 0}, body, {}, 1e6, 0).number("free_length", 0)));
  const BodyMotion near{Mat3::identity(), {far + length, 0, 0}, {}};
  CHECK(bench.load(0, {&near, 1}).wrenches[0].linear.x == -1e6 * length);

  testing::ElementTest cable(forces::cable());
  cable.set("stiffness", 1e6).set("free_length", 0.0).attach("points").attach("points");
  cable.create();
  cable.marker(0).position = {far, 0, 0};
  cable.marker(1).position = {far + length, 0, 0};
  CHECK(cable.evaluate().wrenches[1].linear.x == -1e6 * length);
}

TEST_CASE("the length of a spring that is rounding as drawn, in part or in whole, is told") {
  const auto said = [](const Vec3& anchor, const Vec3& end, double free_length) {
    ForceBench bench;
    const BodyIndex body = bench.add_body({{}, end});
    RecordingSink sink(pull.fields());
    bench.add(pull,
              std::move(spring_fields(BodyIndex::ground, anchor, body, {}, 1, 0).number("free_length", free_length)),
              sink);
    std::string all;
    for (const std::string& r : sink.reports) all += r;
    return all;
  };
  // 2^-53 of 1e9 m is 1.1e-7 m.
  CHECK_THAT(said({1e9, 0, 0}, {1e9 + 0x1p-9, 0, 0}, 0),
             Catch::Contains("1.1e-07 m: that is 5.7e-05 of their distance"));
  CHECK(said({1e9, 0, 0}, {1e9 + 10, 0, 0}, 0).empty());
  CHECK(said({1, 0, 0}, {1.002, 0, 0}, 0).empty());
  CHECK_THAT(said({1, 0, 0}, {1, 0, 0}, 0.5), Catch::Contains("the ends coincide as drawn"));
  CHECK(said({1, 0, 0}, {1, 0, 0}, 0).empty());  // no force acts there
}

TEST_CASE("a spring-damper without length has no force and keeps its energy") {
  ForceBench bench;
  const BodyIndex body = bench.add_body({});
  bench.add(pull, std::move(spring_fields(BodyIndex::ground, {}, body, {}, 100, 10).number("free_length", 0.5)));
  const BodyMotion moving{Mat3::identity(), {}, {{1, 2, 3}, {4, 5, 6}}};
  const Load load = bench.load(0, {&moving, 1});
  CHECK(distance(load.wrenches[0], Spatial{}) == 0);
  CHECK(load.potential_energy == Approx(12.5));
  CHECK(load.power == 0);
}

TEST_CASE("the power of spring-dampers is what their potential energy loses and the dampers take") {
  LineBench s(true);
  for (double t = 0; t < 1; t += 0.1) {
    const std::vector<BodyMotion> bodies = at(s.motions, t);
    const Load load = s.bench.load(t, bodies);
    const double energy_rate =
        rate([&](double h) { return s.bench.load(t + h, at(s.motions, t + h)).potential_energy; });
    CHECK(load.power < 0);
    CHECK(delivered(load, bodies) == Approx(load.power - energy_rate).epsilon(1e-8));
  }
}

TEST_CASE("spring-dampers between two bodies act equal and opposite") {
  LineBench s(false);
  const std::vector<BodyMotion> bodies = at(s.motions, 0.4);
  const Load load = s.bench.load(0, bodies);
  CHECK(norm(load.wrenches[0].linear) > 1);
  Spatial sum;  // about the ground origin
  for (std::size_t i = 0; i < 2; ++i)
    sum += Spatial{load.wrenches[i].angular + cross(bodies[i].p, load.wrenches[i].linear), load.wrenches[i].linear};
  CHECK(distance(sum, Spatial{}) < 1e-12);
}

TEST_CASE("spring-dampers do not see where ground is") {
  LineBench s(false);
  const Mat3 G = rotation_matrix(s.random.quaternion());
  const std::vector<BodyMotion> bodies = at(s.motions, 0.4);
  const Load here = s.bench.load(0, bodies), there = s.bench.load(0, in_other_frame(bodies, G, {1, 2, 3}));
  for (std::size_t i = 0; i < 2; ++i)
    CHECK(distance(there.wrenches[i], Spatial{G * here.wrenches[i].angular, G * here.wrenches[i].linear}) < 1e-11);
  CHECK(there.potential_energy == Approx(here.potential_energy));
  CHECK(there.power == Approx(here.power));
}

TEST_CASE("a spring-damper with both ends in one body is an error") {
  ForceBench bench;
  const BodyIndex body = bench.add_body({});
  RecordingSink sink(pull.fields());
  CHECK_FALSE(bench.add(pull, spring_fields(body, {}, body, {1, 0, 0}, 1, 0), sink));
  CHECK_FALSE(bench.add(pull, spring_fields(BodyIndex::ground, {}, BodyIndex::ground, {1, 0, 0}, 1, 0), sink));
  REQUIRE(sink.reports.size() == 2);
  CHECK(sink.reports[0] ==
        "b: both ends of the spring-damper are fixed in the same body: it does nothing | Attach one end to another "
        "body.");
  CHECK(sink.reports[1] ==
        "b: both ends of the spring-damper are fixed in ground: it does nothing | Attach one end to another body.");
  CHECK(sink.instances == std::vector<std::size_t>{0, 1});
}

TEST_CASE("a point-force acts at its point, in the axes it says, as its functions say") {
  Random random(63);
  const SmoothMotion motion(random);
  const BodyMotion body = motion.at(0.2);
  const Vec3 point{0.3, -0.2, 0.5};
  const double t = 0.7;
  const Vec3 force{sine(2, 0.1)(t).value, -3, 4}, moment{0.5, sine(1, 1)(t).value, 0};
  for (const bool in_body : {false, true}) {
    ForceBench bench;
    bench.add(point_force, force_fields(bench.add_body({}), point, {sine(2, 0.1), constant(-3), constant(4)},
                                        {constant(0.5), sine(1, 1), constant(0)}, in_body ? "body" : "ground"));
    const Load load = bench.load(t, {&body, 1});
    const Vec3 F = in_body ? body.R * force : force, M = in_body ? body.R * moment : moment, arm = body.R * point;
    CHECK(distance(load.wrenches[0], Spatial{M + cross(arm, F), F}) < 1e-13);
    CHECK(load.potential_energy == 0);
    CHECK(load.power == Approx(dot(F, body.V.linear + cross(body.V.angular, arm)) + dot(M, body.V.angular)));
    CHECK(load.power == Approx(delivered(load, {&body, 1})));
  }
}

TEST_CASE("a point-force without force, moment and point does nothing at the frame origin") {
  Random random(64);
  const BodyMotion body = SmoothMotion(random).at(0);
  ForceBench bench;
  FieldSet fields(point_force.fields());
  fields.marker("body", bench.add_body({}));
  REQUIRE(bench.add(point_force, std::move(fields)));
  const Load load = bench.load(0, {&body, 1});
  CHECK(distance(load.wrenches[0], Spatial{}) == 0);
  CHECK(load.power == 0);
}

TEST_CASE("a point-force in body axes turns with everything, one in ground axes stays") {
  Random random(65);
  const std::vector<BodyMotion> body{SmoothMotion(random).at(0)};
  const Mat3 G = rotation_matrix(random.quaternion());
  for (const bool in_body : {false, true}) {
    ForceBench bench;
    bench.add(point_force, force_fields(bench.add_body({}), {}, {constant(1), constant(2), constant(3)},
                                        {constant(4), constant(5), constant(6)}, in_body ? "body" : "ground"));
    const Spatial here = bench.load(0, body).wrenches[0],
                  there = bench.load(0, in_other_frame(body, G, {1, 1, 1})).wrenches[0];
    CHECK(distance(there, in_body ? Spatial{G * here.angular, G * here.linear} : here) < 1e-13);
  }
}

TEST_CASE("a point-force with other than three components is an error, one on ground a warning") {
  ForceBench bench;
  const BodyIndex body = bench.add_body({});
  RecordingSink sink(point_force.fields());
  CHECK_FALSE(
      bench.add(point_force, force_fields(body, {}, {constant(1)}, {constant(1), constant(2)}, "ground"), sink));
  CHECK(bench.add(point_force, FieldSet(point_force.fields()), sink));
  REQUIRE(sink.reports.size() == 3);
  CHECK(sink.reports[0] ==
        "force: 1 component given for the force, expected 3 | Give a list [x, y, z] of numbers or functions of time.");
  CHECK(
      sink.reports[1] ==
      "moment: 2 components given for the moment, expected 3 | Give a list [x, y, z] of numbers or functions of time.");
  CHECK(sink.reports[2] == "body: the force acts on ground: it moves nothing | Name a body that can move.");
  CHECK(sink.severities == std::vector{Severity::error, Severity::error, Severity::warning});
}

}  // namespace polyform::test
