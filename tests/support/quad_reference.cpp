#include "tests/support/quad_reference.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include "polyform/mechanics/constraint.hpp"
#include "polyform/mechanics/force_set.hpp"

namespace polyform::test {
namespace {

__extension__ typedef __float128 Quad;

Quad size_of(Quad x) { return x < 0 ? -x : x; }

/// A x = b in place, with complete pivoting.
std::vector<Quad> solved(std::vector<std::vector<Quad>> A, std::vector<Quad> b) {
  const std::size_t n = b.size();
  std::vector<std::size_t> unknown(n);
  for (std::size_t k = 0; k < n; ++k) unknown[k] = k;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t row = k, column = k;
    for (std::size_t i = k; i < n; ++i)
      for (std::size_t j = k; j < n; ++j)
        if (size_of(A[i][j]) > size_of(A[row][column])) row = i, column = j;
    REQUIRE(A[row][column] != 0);
    std::swap(A[k], A[row]);
    std::swap(b[k], b[row]);
    for (auto& r : A) std::swap(r[k], r[column]);
    std::swap(unknown[k], unknown[column]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const Quad l = A[i][k] / A[k][k];
      if (l == 0) continue;
      for (std::size_t j = k; j < n; ++j) A[i][j] -= l * A[k][j];
      b[i] -= l * b[k];
    }
  }
  std::vector<Quad> x(n);
  for (std::size_t k = n; k-- > 0;) {
    Quad sum = b[k];
    for (std::size_t j = k + 1; j < n; ++j) sum -= A[k][j] * x[unknown[j]];
    x[unknown[k]] = sum / A[k][k];
  }
  return x;
}

using Vector = Vector3<Quad>;
Vector wide(const Vec3& v) { return {v.x, v.y, v.z}; }
Matrix3<Quad> wide(const Mat3& m) {
  Matrix3<Quad> w;
  for (std::size_t k = 0; k < 9; ++k) w.m[k] = m.m[k];
  return w;
}

}  // namespace

std::vector<Spatial> quad_accelerations(const host::System& system) {
  const SystemView& view = system.view();
  const ConstStateView state = system.initial_state();
  const std::size_t bodies = view.bodies.size();
  TreeKinematics tree(view);
  tree.evaluate(state.q.data(), state.v.data());
  std::vector<double> q(state.q.begin(), state.q.end()), v(state.v.begin(), state.v.end());

  std::vector<JointConstraint> constraints(view.joints.size());
  std::size_t rows = 0;
  for (std::size_t j = 0; j < view.joints.size(); ++j) {
    const JointData& joint = view.joints[j];
    joint_constraint(joint, motion_of(joint.base, tree.bodies()), motion_of(joint.moving, tree.bodies()),
                     q.data() + joint.q_offset, v.data() + joint.v_offset, constraints[j]);
    rows += constraints[j].rows;
  }
  ForceSet forces(view);
  std::vector<Spatial> wrenches(bodies);
  std::vector<double> efforts(view.nv), rates(view.states);
  forces.evaluate(0, tree.bodies(), q, v, state.x, wrenches, efforts, rates);
  for (std::size_t j = 0; j < view.joints.size(); ++j) {
    const JointData& joint = view.joints[j];
    const Spatial effort = effort_wrench(constraints[j].motion, joint.nv, efforts.data() + joint.v_offset);
    const ConstraintRow w =
        constraint_row(joint, motion_of(joint.base, tree.bodies()), motion_of(joint.moving, tree.bodies()), effort);
    if (!is_ground(joint.base)) wrenches[at(joint.base)] += w.base;
    if (!is_ground(joint.moving)) wrenches[at(joint.moving)] += w.moving;
  }

  const std::size_t n = 6 * bodies + rows;
  std::vector<std::vector<Quad>> A(n, std::vector<Quad>(n));
  std::vector<Quad> b(n);
  for (std::size_t i = 0; i < bodies; ++i) {
    const BodyData& body = view.bodies[i];
    const BodyMotion& m = tree.bodies()[i];
    const Matrix3<Quad> R = wide(m.R);
    const Vector c = R * wide(body.center_of_mass), w = wide(m.V.angular);
    const Quad mass = body.mass;
    const Sym3& J = body.inertia;
    const Matrix3<Quad> own{{J.xx, J.xy, J.xz, J.xy, J.yy, J.yz, J.xz, J.yz, J.zz}};
    const Matrix3<Quad> about_center = R * own * transpose(R), lever = skew(c);
    const Matrix3<Quad> about_origin = about_center - mass * (lever * lever);
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t s = 0; s < 3; ++s) {
        A[6 * i + r][6 * i + s] = about_origin(r, s);
        A[6 * i + r][6 * i + 3 + s] = mass * lever(r, s);
        A[6 * i + 3 + r][6 * i + s] = -mass * lever(r, s);
      }
      A[6 * i + 3 + r][6 * i + 3 + r] = mass;
    }
    const Vector turning = cross(w, cross(w, c)), weight = mass * wide(view.gravity);
    const Vector moment =
        wide(wrenches[i].angular) + cross(c, weight) - cross(w, about_center * w) - mass * cross(c, turning);
    const Vector force = wide(wrenches[i].linear) + weight - mass * turning;
    for (std::size_t k = 0; k < 3; ++k) {
      b[6 * i + k] = moment[k];
      b[6 * i + 3 + k] = force[k];
    }
  }
  std::size_t row = 6 * bodies;
  for (std::size_t j = 0; j < view.joints.size(); ++j) {
    const JointData& joint = view.joints[j];
    const BodyMotion &base = motion_of(joint.base, tree.bodies()), &moving = motion_of(joint.moving, tree.bodies());
    const JointConstraint& c = constraints[j];
    const Spatial terms = c.motion.bias - relative_acceleration(joint, base, {}, moving, {});
    for (std::size_t r = 0; r < c.rows; ++r, ++row) {
      const ConstraintRow share = constraint_row(joint, base, moving, c.T[r]);
      for (const auto& [body, s] : {std::pair(joint.base, share.base), std::pair(joint.moving, share.moving)})
        for (std::size_t k = 0; k < 6 && !is_ground(body); ++k)
          A[row][6 * at(body) + k] = A[6 * at(body) + k][row] = s[k];
      b[row] = dot(c.T[r], terms);
    }
  }
  const std::vector<Quad> x = solved(std::move(A), std::move(b));
  std::vector<Spatial> out(bodies);
  for (std::size_t i = 0; i < bodies; ++i)
    for (std::size_t k = 0; k < 6; ++k) out[i][k] = static_cast<double>(x[6 * i + k]);
  return out;
}

}  // namespace polyform::test
