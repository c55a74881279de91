// A joint's motion: the pose that the interface promises, and H, Ḣv, N as its derivatives.
#include <catch2/catch.hpp>

#include "tests/elements/joint_case.hpp"

namespace polyform::test {
namespace {

constexpr int samples = 20;

void check_rates(const JointData& joint, const Coordinates& c) {
  const JointMotion m = motion(joint, c);
  const auto at = [&](double t) { return motion(joint, advanced(joint, c, {}, t)); };  // v is constant
  const Spatial twist{angular_velocity(m.R_FM, rate([&](double t) { return at(t).R_FM; })),
                      rate([&](double t) { return at(t).p_FM; })};
  CHECK(distance(m.twist, twist) < 1e-8);
  Spatial sum, bias;
  for (std::size_t k = 0; k < joint.nv; ++k) {
    sum += c.v[k] * m.H[k];
    bias += c.v[k] * rate([&](double t) { return at(t).H[k]; });
  }
  CHECK(distance(m.twist, sum) < 1e-13);
  CHECK(distance(m.bias, bias) < 1e-8);
  CHECK(distance(m.bias, rate([&](double t) { return at(t).twist; })) < 1e-8);
}

/// A ball among three rotations and translations, in any order: six freedoms.
std::vector<Primitive> random_sequence(Random& random) {
  std::vector<Primitive> sequence;
  const int ball = random.integer(0, 3);
  for (int k = 0; k < 4; ++k) {
    const auto kind = k == ball                   ? Primitive::Kind::ball
                      : random.integer(0, 1) == 0 ? Primitive::Kind::rotation
                                                  : Primitive::Kind::translation;
    sequence.push_back({kind, random.direction()});
  }
  return sequence;
}

}  // namespace

TEST_CASE("every joint puts the moving body where its coordinates promise") {
  for (const std::string_view name : joint_names) {
    INFO(name);
    Random random(11);
    for (int i = 0; i < samples; ++i) {
      const JointCase joint(name, random);
      const Coordinates c = random_coordinates(joint.joint(), random);
      const BodyMotion base = SmoothMotion(random).at(0);
      BodyMotion moving;
      outboard_motion(joint.joint(), motion(joint.joint(), c), base, moving);
      const Eigen::Isometry3d expected = joint.promised(base, c.q.data());
      for (std::size_t r = 0; r < 3; ++r) {
        const auto row = static_cast<Eigen::Index>(r);
        CHECK(moving.p[r] == Approx(expected.translation()[row]).margin(1e-12));
        for (std::size_t k = 0; k < 3; ++k)
          CHECK(moving.R(r, k) == Approx(expected.linear()(row, static_cast<Eigen::Index>(k))).margin(1e-12));
      }
    }
  }
}

TEST_CASE("every joint is as drawn at its neutral coordinates") {
  for (const std::string_view name : joint_names) {
    INFO(name);
    Random random(12);
    const JointCase joint(name, random);
    Coordinates c = random_coordinates(joint.joint(), random);
    joint_neutral(joint.joint(), c.q.data());
    const JointMotion m = motion(joint.joint(), c);
    CHECK(distance(m.R_FM, Mat3::identity()) == 0);
    CHECK(norm(m.p_FM) == 0);
  }
}

TEST_CASE("twist, H and bias of every joint are the rates of its pose") {
  for (const std::string_view name : joint_names) {
    INFO(name);
    Random random(13);
    for (int i = 0; i < samples; ++i) {
      const JointCase made(name, random);
      check_rates(made.joint(), random_coordinates(made.joint(), random));
    }
  }
}

TEST_CASE("so they are for any sequence of primitives") {
  Random random(16);
  for (int i = 0; i < 100; ++i) {
    INFO(i);
    HandBuilt system;
    const BodyIndex body = system.add_body("body", random.pose(), 1, {}, {});
    system.add_joint("joint", BodyIndex::ground, body, random.vector(1), random_sequence(random));
    const JointData& joint = system.view().joints[0];
    check_rates(joint, random_coordinates(joint, random));
  }
}

TEST_CASE("the orientation of every joint follows its coordinates over many turns") {
  for (const std::string_view name : joint_names) {
    INFO(name);
    Random random(14);
    const JointCase made(name, random);
    const JointData& joint = made.joint();
    Coordinates c = random_coordinates(joint, random);
    for (double& v : c.v) v = 10 * v;
    Quat before = joint_orientation(joint, c.q.data());
    for (int step = 0; step < 1000; ++step) {
      c = advanced(joint, c, {}, 0.01);
      const Quat now = joint_orientation(joint, c.q.data());
      CHECK(dot(now, before) > 0.9);
      CHECK(distance(rotation_matrix(now), motion(joint, c).R_FM) < 1e-12);
      before = now;
    }
  }
}

TEST_CASE("joints evaluated together give what each gives alone") {
  Random random(15);
  std::deque<JointCase> cases;
  std::vector<JointData> joints;
  std::vector<double> q, v;
  for (int round = 0; round < 3; ++round)
    for (const std::string_view name : joint_names) {
      JointData joint = cases.emplace_back(name, random).joint();
      const Coordinates c = random_coordinates(joint, random);
      joint.q_offset = q.size();
      joint.v_offset = v.size();
      q.insert(q.end(), c.q.begin(), c.q.begin() + static_cast<std::ptrdiff_t>(joint.nq));
      v.insert(v.end(), c.v.begin(), c.v.begin() + static_cast<std::ptrdiff_t>(joint.nv));
      joints.push_back(joint);
    }
  JointMotions together(joints);
  together.evaluate(q.data(), v.data());
  for (std::size_t i = 0; i < joints.size(); ++i) {
    JointMotion alone;
    joint_motion(joints[i], q.data() + joints[i].q_offset, v.data() + joints[i].v_offset, alone);
    CHECK(distance(together[i].R_FM, alone.R_FM) == 0);
    CHECK(distance(together[i].p_FM, alone.p_FM) == 0);
    CHECK(distance(together[i].twist, alone.twist) == 0);
    CHECK(distance(together[i].bias, alone.bias) == 0);
  }
}

}  // namespace polyform::test
