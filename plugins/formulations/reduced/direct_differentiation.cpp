// Algorithm 2: the Jacobian by direct differentiation, coordinate after coordinate from the root to the tips (Eqs. 47, 48).
// It is there to be compared with: its cost grows with the square of the number of bodies in a chain.
#include <algorithm>
#include <cmath>

#include "constraint_jacobian.hpp"

namespace polyform::reduced {

/// ∂r/∂q and ∂A/∂q of all bodies outboard of a joint by its k-th coordinate.
void ConstraintJacobian::differentiate(std::size_t body, std::size_t k, std::span<const BodyMotion> bodies) noexcept {
  const GroupTwo two = group_two(body, bodies);
  const Spatial& H = two.directions[k].H;
  const BodyMotion& motion = bodies[body];
  transfers_[body].A_q = skew(H.angular) * motion.R;
  transfers_[body].r_q = add_cross(H.linear, H.angular, motion.p - two.T);
  for (std::size_t j = body + 1; j < subtree_end_[body]; ++j) {
    Transfer& transfer = transfers_[j];
    const Transfer& inboard = transfers_[at(view_.joints[j].inboard())];
    transfer.A_q = inboard.A_q * transfer.A;
    transfer.r_q = add_product(inboard.r_q, inboard.A_q, transfer.l);
  }
}

/// Twist of a body at M by the derivatives that stand, zero where it does not move with the joint of body `of`.
Spatial ConstraintJacobian::derivative_at(BodyIndex body, const Vec3& M, std::span<const BodyMotion> bodies,
                                          std::size_t of) const noexcept {
  if (is_ground(body) || at(body) < of || at(body) >= subtree_end_[of]) return {};
  const BodyMotion& motion = bodies[at(body)];
  const Transfer& transfer = transfers_[at(body)];
  const Mat3 turn = times_transpose(transfer.A_q, motion.R);  // skew
  const Vec3 omega{turn(2, 1), turn(0, 2), turn(1, 0)};
  return {omega, add_product(transfer.r_q, transfer.A_q, transpose_times(motion.R, M - motion.p))};
}

void ConstraintJacobian::direct_differentiation(std::span<const BodyMotion> bodies) noexcept {
  calculate_group_one(bodies);
  for (std::size_t j = 0; j < bodies.size(); ++j) {
    const BodyMotion& inboard = motion_of(view_.joints[j].inboard(), bodies);
    transfers_[j].A = transpose_times(inboard.R, bodies[j].R);
    transfers_[j].l = transpose_times(inboard.R, bodies[j].p - inboard.p);
  }
  std::fill(terms_.begin(), terms_.end(), 1.0);
  for (std::size_t body = 0; body < bodies.size(); ++body) {
    if (first_use_[body] == first_use_[body + 1]) continue;
    for (std::size_t k = 0; k < view_.joints[body].nv; ++k) {
      differentiate(body, k, bodies);
      for (std::size_t u = first_use_[body]; u < first_use_[body + 1]; ++u) {
        const auto [block, loop] = uses_[u];
        const JointData& cut = view_.cut_joints()[loop];
        const GroupOne& one = group_one_[loop];
        const Spatial moved = derivative_at(cut.moving, one.M, bodies, body) - derivative_at(cut.base, one.M, bodies, body);
        double* value = values_.data() + blocks_[block].first + k * one.rows;
        for (std::size_t r = 0; r < one.rows; ++r) value[r] = dot(one.row[r], moved);
        const Vec3& slide = moved.linear;
        terms_[loop] = std::max(terms_[loop], 1 + std::abs(slide.x) + std::abs(slide.y) + std::abs(slide.z));
      }
    }
  }
}

}  // namespace polyform::reduced
