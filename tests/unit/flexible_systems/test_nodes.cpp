// Kinematics of nodes: against differences, for small and for large spatial rotations.
#include <catch2/catch.hpp>
#include <random>

#include "polyform/mechanics/flexible_nodes.hpp"

using namespace polyform;

namespace {

constexpr std::size_t modes = 3;

struct RandomNode {
  std::vector<double> displacement, rotation, eta, etadot;
  FlexibleNode node;

  /// turn: about the size of the node's rotation, rad.
  RandomNode(unsigned seed, double turn) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (std::size_t i = 0; i < 3 * modes; ++i) {
      displacement.push_back(uniform(engine));
      rotation.push_back(uniform(engine));
    }
    for (std::size_t k = 0; k < modes; ++k) {
      eta.push_back(turn * uniform(engine));
      etadot.push_back(uniform(engine));
    }
    node = {body_index(0), {0.3, -0.2, 0.5}, displacement, rotation};
  }
  /// The motion at η + η̇ t.
  NodeMotion at(double t, std::span<Spatial> H) const {
    std::vector<double> moved = eta;
    for (std::size_t k = 0; k < modes; ++k) moved[k] += t * etadot[k];
    NodeMotion m;
    node_motion(node, moved, etadot, m, H);
    return m;
  }
};

/// Angular velocity, in the axes of what R turns into, from two nearby orientations.
Vec3 turn_rate(const Mat3& before, const Mat3& after, double time) {
  return (1 / time) * rotation_vector(quaternion_of(times_transpose(after, before)));
}

}  // namespace

TEST_CASE("twist and bias of a node are the rates of its pose and twist", "[nodes]") {
  const double turn = GENERATE(0.0, 1e-6, 1e-2, 0.3, 0.6, 1.5, 3.0);
  const unsigned seed = GENERATE(range(0u, 8u));
  const RandomNode random(seed, turn);
  CAPTURE(turn, seed);
  Spatial H[modes], unused[modes];
  const double h = 1e-4;
  const NodeMotion now = random.at(0, H), before = random.at(-h, unused), after = random.at(h, unused);
  CHECK(norm(now.twist.linear - (0.5 / h) * (after.p - before.p)) < 1e-9);
  CHECK(norm(now.twist.angular - turn_rate(before.R, after.R, 2 * h)) < 2e-7);
  CHECK(norm(now.bias.angular - (0.5 / h) * (after.twist.angular - before.twist.angular)) < 2e-7);
  CHECK(norm(now.bias.linear) == 0);
  Spatial sum;
  for (std::size_t k = 0; k < modes; ++k) sum += random.etadot[k] * H[k];
  CHECK(norm(now.twist.angular - sum.angular) < 1e-14);
  CHECK(norm(now.twist.linear - sum.linear) < 1e-14);
  const Mat3 unit = times_transpose(now.R, now.R);
  for (std::size_t i = 0; i < 9; ++i) CHECK(std::abs(unit.m[i] - Mat3::identity().m[i]) < 1e-14);
}

TEST_CASE("the series of the left Jacobian and its closed form meet", "[nodes]") {
  // One rotation mode about a fixed axis and one across it: θ just below and just above 1 rad.
  const std::vector<double> displacement(6), rotation{1, 0, 0, 1, 0, 0}, etadot{0.3, 0.7};
  const FlexibleNode node{body_index(0), {}, displacement, rotation};
  NodeMotion below, above;
  Spatial H[2];
  const double step = 1e-9;
  node_motion(node, std::vector{1 - step, 0.0}, etadot, below, H);
  node_motion(node, std::vector{1 + step, 0.0}, etadot, above, H);
  CHECK(norm(above.twist.angular - below.twist.angular) < 3 * step);
  CHECK(norm(above.bias.angular - below.bias.angular) < 3 * step);
}

TEST_CASE("a body follows from its node as the node from its body", "[nodes]") {
  const RandomNode random(3, 0.8);
  Spatial H[modes];
  const NodeMotion m = random.at(0, H);
  const BodyMotion body{
      rotation_matrix(normalized(Quat{0.4, -0.3, 0.7, 0.2})), {1, 2, -3}, {{0.5, -1, 2}, {3, 0.1, 1}}};
  BodyMotion node, back;
  node_from_body(m, body, node);
  body_from_node(m, node, back);
  CHECK(norm(back.p - body.p) < 1e-14);
  CHECK(norm(back.V.angular - body.V.angular) < 1e-14);
  CHECK(norm(back.V.linear - body.V.linear) < 1e-14);
  const Spatial A{{1, -2, 0.5}, {0.3, 0.2, -4}}, relative{{0.1, 0.2, 0.3}, {-1, 0.5, 2}};
  const Spatial there = node_acceleration(m, body, A, relative), again = body_acceleration(m, body, there, relative);
  CHECK(norm(again.angular - A.angular) < 1e-14);
  CHECK(norm(again.linear - A.linear) < 1e-14);
}
