// Forces on joint coordinates: joint-force and joint-spring-damper.
#include <catch2/catch.hpp>

#include "plugins/elements/forces/force_types.hpp"
#include "tests/elements/force_bench.hpp"
#include "tests/elements/joint_case.hpp"

namespace polyform::test {
namespace {

using Kind = Primitive::Kind;
const ForceType& motor = forces::joint_force();
const ForceType& spring = forces::joint_spring_damper();

const Primitive turn{Kind::rotation, {0, 0, 1}}, slide{Kind::translation, {0, 0, 1}}, ball{Kind::ball, {}};

FieldSet effort(JointIndex joint, std::vector<TimeFunction> functions) {
  FieldSet f(motor.fields());
  f.joint("joint", joint).functions("effort", std::move(functions));
  return f;
}
FieldSet spring_fields(JointIndex joint, std::vector<double> stiffness) {
  FieldSet f(spring.fields());
  f.joint("joint", joint).numbers("stiffness", std::move(stiffness));
  return f;
}
double delivered(const Load& load, std::span<const double> v) {
  double power = 0;
  for (std::size_t i = 0; i < v.size(); ++i) power += load.efforts[i] * v[i];
  return power;
}

/// Coordinates of several joints one after the other at random states, and near them in time under a constant v̇.
struct JointPath {
  std::vector<JointData> joints;
  std::vector<Coordinates> start;
  std::array<double, 6> vdot{1, -2, 3, -1, 2, -3};

  void add(const JointData& joint, Random& random) {
    joints.push_back(joint);
    start.push_back(random_coordinates(joint, random));
  }
  void restart(Random& random) {
    for (std::size_t i = 0; i < joints.size(); ++i) start[i] = random_coordinates(joints[i], random);
  }
  void at(double t, std::vector<double>& q, std::vector<double>& v) const {
    q.clear();
    v.clear();
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const Coordinates c = advanced(joints[i], start[i], vdot, t);
      q.insert(q.end(), c.q.begin(), c.q.begin() + static_cast<std::ptrdiff_t>(joints[i].nq));
      v.insert(v.end(), c.v.begin(), c.v.begin() + static_cast<std::ptrdiff_t>(joints[i].nv));
    }
  }
};

/// One joint of every type with a spring and damper, all in one batch.
struct SpringBench {
  struct Constants {
    std::vector<double> stiffness, damping, rest;
  };
  Random random{71};
  std::deque<JointCase> cases;
  std::vector<Constants> constants;
  ForceBench bench;
  JointPath path;
  std::vector<double> q, v;

  SpringBench() {
    for (const std::string_view name : joint_names) {
      const JointData& joint = cases.emplace_back(name, random).joint();
      if (joint.nv == 0) continue;
      Constants& c = constants.emplace_back();
      for (std::size_t k = 0; k < joint.nv; ++k) {
        c.stiffness.push_back(random.uniform(1, 20));
        c.damping.push_back(random.uniform(0, 3));
        c.rest.push_back(random.uniform(-0.5, 0.5));
      }
      if (!joint.primitives.empty() && joint.primitives.back().kind == Kind::ball)
        std::fill(c.stiffness.end() - 3, c.stiffness.end(), c.stiffness.back());
      path.add(joint, random);
      add_to(bench, path.joints.size() - 1);
    }
  }
  /// Joint and spring i of this bench in another one.
  void add_to(ForceBench& other, std::size_t i) const {
    const JointData& joint = path.joints[i];
    const JointIndex index = joint.kernel != nullptr
                                 ? other.add_code_joint(joint.nq, joint.nv)
                                 : other.add_joint({joint.primitives.begin(), joint.primitives.end()});
    FieldSet fields = spring_fields(index, constants[i].stiffness);
    fields.numbers("damping", constants[i].damping).numbers("rest", constants[i].rest);
    REQUIRE(other.add(spring, std::move(fields)));
  }
  Load load(double t) {
    path.at(t, q, v);
    return bench.load(t, {}, q, v);
  }
};

}  // namespace

TEST_CASE("a joint-force is its functions' values, one per velocity coordinate, and does their power") {
  ForceBench bench;
  const JointIndex a = bench.add_joint({slide, ball}), b = bench.add_joint({turn});
  REQUIRE(bench.add(motor, effort(b, {sine(3, 0.5)})));
  REQUIRE(bench.add(motor, effort(a, {constant(1), constant(2), sine(1, 0), constant(4)})));
  const std::vector<double> q{0.1, 1, 0, 0, 0, 0.2}, v{1, 2, 3, 4, 5};
  const double t = 0.8;
  const Load load = bench.load(t, {}, q, v);
  const double s = sine(1, 0)(t).value, m = sine(3, 0.5)(t).value;
  CHECK(load.efforts == std::vector<double>{1, 2, s, 4, m});
  CHECK(load.power == Approx(1 + 4 + 3 * s + 16 + 5 * m));
  CHECK(load.potential_energy == 0);
}

TEST_CASE("a joint-force wants one effort per velocity coordinate") {
  ForceBench bench;
  RecordingSink sink(motor.fields());
  CHECK_FALSE(bench.add(motor, effort(bench.add_joint({slide, turn}), {constant(1)}), sink));
  CHECK_FALSE(bench.add(motor, effort(bench.add_joint({turn}), {constant(1), constant(2), constant(3)}), sink));
  CHECK_FALSE(bench.add(motor, effort(bench.add_joint({}), {constant(1)}), sink));
  REQUIRE(sink.reports.size() == 3);
  CHECK(sink.reports[0] ==
        "effort: 1 effort given, but the joint has 2 velocity coordinates | Give 2 efforts, in the order of the "
        "joint's velocity coordinates.");
  CHECK(sink.reports[1] ==
        "effort: 3 efforts given, but the joint has 1 velocity coordinate | Give 1 effort, in the order of the "
        "joint's velocity coordinates.");
  CHECK(sink.reports[2] ==
        "joint: the joint has no velocity coordinates, so no effort can act in it | Name a joint that can move, "
        "or use a point-force.");
}

TEST_CASE("a joint-spring-damper in a hinge or slider is -stiffness (q - rest) - damping v") {
  ForceBench bench;
  const JointIndex joint = bench.add_joint({slide, turn});
  FieldSet fields = spring_fields(joint, {10, 20});
  fields.numbers("damping", {2, 3}).numbers("rest", {0.1, -0.2});
  REQUIRE(bench.add(spring, std::move(fields)));
  const Load load = bench.load(0, {}, std::vector<double>{0.4, 0.3}, std::vector<double>{1, -2});
  CHECK(load.efforts[0] == Approx(-10 * 0.3 - 2));
  CHECK(load.efforts[1] == Approx(-20 * 0.5 + 6));
  CHECK(load.potential_energy == Approx(5 * 0.09 + 10 * 0.25));
  CHECK(load.power == Approx(-2 - 12));
}

TEST_CASE("one stiffness, damping and rest stand for all coordinates, and damping and rest for zero") {
  ForceBench bench;
  REQUIRE(bench.add(spring, spring_fields(bench.add_joint({slide, turn}), {10})));
  const Load load = bench.load(0, {}, std::vector<double>{0.4, 0.3}, std::vector<double>{1, -2});
  CHECK(load.efforts[0] == Approx(-4));
  CHECK(load.efforts[1] == Approx(-3));
  CHECK(load.power == 0);
}

TEST_CASE("a joint-spring-damper in a ball turns it back along the rotation vector from rest") {
  ForceBench bench;
  const JointIndex joint = bench.add_joint({ball});
  FieldSet fields = spring_fields(joint, {5});
  fields.numbers("rest", {0, 0, 0.5}).numbers("damping", {1, 2, 3});
  REQUIRE(bench.add(spring, std::move(fields)));
  const std::vector<double> v{0.1, 0.2, 0.3};
  SECTION("at rest only the damper acts") {
    const Quat Q = from_rotation_vector({0, 0, 0.5});
    for (const double sign : {1.0, -1.0}) {
      const Load load = bench.load(0, {}, std::vector<double>{sign * Q.w, sign * Q.x, sign * Q.y, sign * Q.z}, v);
      CHECK(load.efforts[0] == Approx(-0.1));
      CHECK(load.efforts[1] == Approx(-0.4));
      CHECK(load.efforts[2] == Approx(-0.9));
      CHECK(load.potential_energy < 1e-28);
      CHECK(load.power == Approx(-0.01 - 0.08 - 0.27));
    }
  }
  SECTION("away from it the torque is -stiffness times the rotation vector in base axes") {
    const Vec3 angle{0.3, -0.6, 0.2};
    const Quat Q = from_rotation_vector(angle) * from_rotation_vector({0, 0, 0.5});
    for (const double length : {1.0, -1.0, 1.001}) {  // either sign, and an integrator's drift
      const Load load = bench.load(0, {}, std::vector<double>{length * Q.w, length * Q.x, length * Q.y, length * Q.z},
                                   std::vector<double>(3));
      for (std::size_t k = 0; k < 3; ++k) CHECK(load.efforts[k] == Approx(-5 * angle[k]));
      CHECK(load.potential_energy == Approx(2.5 * dot(angle, angle)));
    }
  }
  SECTION("a quaternion without length counts as identity") {
    const Load load = bench.load(0, {}, std::vector<double>(4), std::vector<double>(3));
    CHECK(load.efforts[2] == Approx(2.5));
  }
}

TEST_CASE("the power of joint-spring-dampers is what their potential energy loses and the dampers take") {
  SpringBench s;
  for (int sample = 0; sample < 20; ++sample) {
    s.path.restart(s.random);
    const double energy_rate = rate([&](double t) { return s.load(t).potential_energy; });
    const Load load = s.load(0);
    CHECK(load.power < 0);
    CHECK(delivered(load, s.v) == Approx(load.power - energy_rate).epsilon(1e-8));
  }
}

TEST_CASE("joint-spring-dampers in one batch give what each gives alone") {
  SpringBench together;
  const Load all = together.load(0);
  double energy = 0, power = 0;
  std::size_t q = 0, v = 0;
  for (std::size_t i = 0; i < together.path.joints.size(); ++i) {
    const JointData& joint = together.path.joints[i];
    ForceBench alone;
    together.add_to(alone, i);
    const Load one =
        alone.load(0, {}, std::span(together.q).subspan(q, joint.nq), std::span(together.v).subspan(v, joint.nv));
    for (std::size_t k = 0; k < joint.nv; ++k) CHECK(one.efforts[k] == all.efforts[v + k]);
    energy += one.potential_energy;
    power += one.power;
    q += joint.nq;
    v += joint.nv;
  }
  CHECK(energy == Approx(all.potential_energy));
  CHECK(power == Approx(all.power));
}

TEST_CASE("a joint-spring-damper wants numbers that fit the joint") {
  ForceBench bench;
  RecordingSink sink(spring.fields());
  SECTION("as many as velocity coordinates, or one") {
    FieldSet fields = spring_fields(bench.add_joint({slide, turn}), {1, 2, 3});
    fields.numbers("rest", {1, 2, 3, 4});
    CHECK_FALSE(bench.add(spring, std::move(fields), sink));
    CHECK_FALSE(bench.add(spring, spring_fields(bench.add_joint({turn}), {1, 2}), sink));
    CHECK_FALSE(bench.add(spring, spring_fields(bench.add_joint({turn}), {}), sink));
    REQUIRE(sink.reports.size() == 4);
    CHECK(sink.reports[0] ==
          "stiffness: 3 values given for stiffness, but the joint has 2 velocity coordinates | Give one value for "
          "all, or 2.");
    CHECK(sink.reports[1] ==
          "rest: 4 values given for rest, but the joint has 2 velocity coordinates | Give one value for all, or 2.");
    CHECK(sink.reports[2] ==
          "stiffness: 2 values given for stiffness, but the joint has 1 velocity coordinate | Give one value.");
    CHECK(sink.reports[3] ==
          "stiffness: 0 values given for stiffness, but the joint has 1 velocity coordinate | Give one value.");
  }
  SECTION("one stiffness for the three of a ball") {
    CHECK_FALSE(bench.add(spring, spring_fields(bench.add_joint({slide, ball}), {9, 1, 2, 1}), sink));
    REQUIRE(sink.reports.size() == 1);
    CHECK(sink.reports[0] ==
          "stiffness: the stiffnesses 1, 2, 1 of the joint's ball differ: such a spring has no potential energy | "
          "Give the three the same value.");
    CHECK(bench.add(spring, spring_fields(bench.add_joint({slide, ball}), {9, 2, 2, 2})));
  }
  SECTION("a joint that moves, with coordinates it can read") {
    CHECK_FALSE(bench.add(spring, spring_fields(bench.add_joint({}), {1}), sink));
    CHECK_FALSE(bench.add(spring, spring_fields(bench.add_code_joint(4, 3), {1}), sink));
    REQUIRE(sink.reports.size() == 2);
    CHECK(sink.reports[0] ==
          "joint: the joint has no velocity coordinates, so no spring or damper can act in it | Name a joint that "
          "can move.");
    CHECK(sink.reports[1] ==
          "joint: the joint has 4 position and 3 velocity coordinates: only the plugin that defines it knows its "
          "deflections | Use a force of that plugin, or a spring-damper between two points.");
  }
}

}  // namespace polyform::test
