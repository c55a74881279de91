// Systems with flexible bodies that several tests share.
#pragma once

#include <memory>
#include <random>

#include "plugins/formulations/cartesian/cartesian.hpp"
#include "tests/support/hand_built.hpp"
#include "tests/support/lumped_body.hpp"

namespace polyform::test {

inline constexpr BodyIndex ground = BodyIndex::ground;

struct Report final : DiagnosticSink {
  std::string text;
  void report(const Diagnostic& d) noexcept override { text += d.message; }
};
struct Destroy {
  void operator()(Solver* s) const { s->destroy(); }
};
using SolverPointer = std::unique_ptr<Solver, Destroy>;

inline SolverPointer make_cartesian(const SystemView& view) {
  FieldValue options[2];
  options[0].integer = 0;
  options[1].number = 1e-10;
  Report report;
  return SolverPointer(cartesian::formulation().compile(view, options, report));
}

/// Six particles with three spatial modes, which bend, twist and stretch what they are on; attachments turn as well.
inline LumpedBody spatial_body(double damping = 0) {
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto vector = [&](double size) {
    return Vec3{size * uniform(engine), size * uniform(engine), size * uniform(engine)};
  };
  std::vector<LumpedBody::Particle> particles;
  for (const Vec3& point : {Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0.5, 0.2, 0}, Vec3{0.5, -0.1, 0.3}, Vec3{0.8, 0, -0.2},
                            Vec3{0.2, 0.1, 0.1}}) {
    LumpedBody::Particle p{0.3, point, {}, {}};
    for (int k = 0; k < 3; ++k) {
      p.displacement.push_back(vector(0.5));
      p.rotation.push_back(vector(1));
    }
    particles.push_back(p);
  }
  return {particles, {40, 60, 90}, {damping, damping, damping}};
}

/// A spatial chain ground - rigid - flexible - rigid on ball and hinge joints; the second joint is reversed.
struct SpatialChain {
  LumpedBody flexible;
  HandBuilt m{{0, 0, -9.81}};
  explicit SpatialChain(double damping = 0) : flexible(spatial_body(damping)) {
    const Sym3 inertia{0.02, 0.05, 0.04, 0.002, 0, 0.001};
    const BodyIndex a = m.add_body("a", {}, 1.2, {0.4, 0, 0.1}, inertia);
    const BodyIndex b = m.add_body("b", {axis_angle(Vec3{0, 0, 1}, 0.4), {1, 0, 0}}, 0.7, {0.1, 0.1, 0}, inertia);
    const Vec3 end = Vec3{1, 0, 0} + rotation_matrix(axis_angle(Vec3{0, 0, 1}, 0.4)) * Vec3{1, 0, 0};
    const BodyIndex c = m.add_body("c", {axis_angle(Vec3{1, 0, 0}, 0.3), end}, 0.9, {0.3, -0.2, 0}, inertia);
    m.spherical("ground_a", ground, a, {});
    const JointIndex ab = m.spherical("ab", b, a, {1, 0, 0});
    m.joint(ab).reversed = true;
    m.revolute("bc", b, c, end, {0, 1, 1});
    m.set_flexible(b, flexible);
  }
  /// A state of no special symmetry.
  State state() {
    State s(m.view());
    std::mt19937 engine(5);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (double& v : s.v) v = uniform(engine);
    for (double& v : s.eta) v = 0.2 * uniform(engine);
    for (double& v : s.etadot) v = uniform(engine);
    for (const JointData& joint : m.view().joints) {
      for (std::size_t k = joint.q_offset; k < joint.q_offset + joint.nq; ++k) s.q[k] += 0.4 * uniform(engine);
      joint_normalize(joint, s.q.data() + joint.q_offset);
    }
    return s;
  }
};

/// Largest difference of two vectors of equal length.
inline double distance(std::span<const double> a, std::span<const double> b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

}  // namespace polyform::test
