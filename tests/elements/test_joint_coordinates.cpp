// From a pose back to coordinates.
#include <catch2/catch.hpp>

#include <numbers>

#include "tests/elements/joint_case.hpp"

namespace polyform::test {
namespace {

/// Coordinates that differ from q by less than half a turn and by the sign of no quaternion.
Coordinates near(const JointData& joint, const Coordinates& c, Random& random) {
  Coordinates hint = c;
  double* q = hint.q.data();
  if (joint.kernel != nullptr) q[0] += random.uniform(-3, 3);
  for (const Primitive& p : joint.primitives) {
    for (std::size_t k = 0; k < position_count(p.kind); ++k)
      q[k] += p.kind == Primitive::Kind::rotation ? random.uniform(-3, 3) : random.uniform(-0.2, 0.2);
    q += position_count(p.kind);
  }
  return hint;
}

double largest_difference(const JointData& joint, const Coordinates& a, const Coordinates& b) {
  double worst = 0;
  for (std::size_t k = 0; k < joint.nq; ++k) worst = std::max(worst, std::abs(a.q[k] - b.q[k]));
  return worst;
}

}  // namespace

TEST_CASE("every joint finds its coordinates from a pose, with the turns and signs of the hint") {
  for (const std::string_view name : joint_names) {
    INFO(name);
    Random random(21);
    for (int i = 0; i < 200; ++i) {
      const JointCase made(name, random);
      const JointData& joint = made.joint();
      const Coordinates c = random_coordinates(joint, random);
      const JointMotion m = motion(joint, c);
      Coordinates found = near(joint, c, random);
      joint_coordinates(joint, m.R_FM, m.p_FM, found.q.data());
      CHECK(largest_difference(joint, found, c) < 1e-11);
    }
  }
}

TEST_CASE("sequences without a closed form find their coordinates from a hint nearby") {
  using Kind = Primitive::Kind;
  const std::vector<std::vector<Kind>> sequences{{Kind::rotation, Kind::translation, Kind::rotation},
                                                 {Kind::rotation, Kind::rotation, Kind::rotation},
                                                 {Kind::rotation, Kind::translation, Kind::translation},
                                                 {Kind::ball, Kind::translation},
                                                 {Kind::translation, Kind::ball, Kind::translation}};
  Random random(25);
  for (std::size_t s = 0; s < sequences.size(); ++s)
    for (int i = 0; i < 20; ++i) {
      INFO("sequence " << s << ", sample " << i);
      std::vector<Primitive> primitives;
      const Mat3 axes = rotation_matrix(random.quaternion());
      for (std::size_t k = 0; k < sequences[s].size(); ++k) primitives.push_back({sequences[s][k], axes.column(k)});
      HandBuilt system;
      const BodyIndex body = system.add_body("body", random.pose(), 1, {}, {});
      system.add_joint("joint", BodyIndex::ground, body, random.vector(1), primitives);
      const JointData& joint = system.view().joints[0];
      Coordinates c, found;  // away from where axes line up
      for (double& q : c.q) q = random.uniform(0.3, 0.6);
      joint_normalize(joint, c.q.data());
      const JointMotion m = motion(joint, c);
      for (std::size_t k = 0; k < joint.nq; ++k) found.q[k] = c.q[k] + random.uniform(-0.1, 0.1);
      joint_coordinates(joint, m.R_FM, m.p_FM, found.q.data());
      CHECK(largest_difference(joint, found, c) < 1e-10);
    }
}

TEST_CASE("a hint a turn further gives the angle a turn further") {
  for (const std::string_view name : {"revolute", "cylindrical", "planar", "universal"}) {
    INFO(name);
    Random random(22);
    const JointCase made(name, random);
    const JointData& joint = made.joint();
    Coordinates c = random_coordinates(joint, random);
    const JointMotion m = motion(joint, c);
    const std::size_t last = joint.nq - 1;  // an angle in all of these
    Coordinates found = c;
    found.q[last] += 7 * 2 * std::numbers::pi;
    joint_coordinates(joint, m.R_FM, m.p_FM, found.q.data());
    CHECK(found.q[last] == Approx(c.q[last] + 14 * std::numbers::pi).epsilon(1e-13));
  }
}

TEST_CASE("a hint of the other sign gives the quaternion of the other sign") {
  for (const std::string_view name : {"spherical", "free"}) {
    INFO(name);
    Random random(23);
    const JointCase made(name, random);
    const JointData& joint = made.joint();
    const Coordinates c = random_coordinates(joint, random);
    const JointMotion m = motion(joint, c);
    Coordinates found = c;
    for (std::size_t k = joint.nq - 4; k < joint.nq; ++k) found.q[k] = -c.q[k];
    joint_coordinates(joint, m.R_FM, m.p_FM, found.q.data());
    for (std::size_t k = joint.nq - 4; k < joint.nq; ++k) CHECK(found.q[k] == Approx(-c.q[k]).margin(1e-14));
  }
}

TEST_CASE("a screw tells its turns by its advance, without a hint") {
  Random random(24);
  for (int i = 0; i < 100; ++i) {
    const JointCase made("helical", random);
    const Coordinates c = random_coordinates(made.joint(), random);
    const JointMotion m = motion(made.joint(), c);
    Coordinates found;
    joint_coordinates(made.joint(), m.R_FM, m.p_FM, found.q.data());
    CHECK(found.q[0] == Approx(c.q[0]).epsilon(1e-13));
  }
}

}  // namespace polyform::test
