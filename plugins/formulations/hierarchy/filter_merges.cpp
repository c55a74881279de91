#include "filter_merges.hpp"

#include <algorithm>

#include "enforcement/innovation.hpp"
#include "enforcement/kernel.hpp"

namespace polyform::hierarchy {

void FilterMerges::enforce(Node& node) noexcept {
  const Scratch& scratch = models_.scratch();
  SubsystemModel& subsystem = models_.of(node);
  const Index m = node.count, n = subsystem.width;
  const Matrix H = node.H_matrix();
  // P H̃ᵀ of all members; P is block diagonal over the parts.
  Matrix D(scratch.D, node.width, m), S(scratch.S, m, m), PHt(node.filter.PHt, n, m);
  D.setZero();
  for (const NodeMember& t : node.touched) {
    const Node::Part& part = node.parts[t.part];
    const Matrix P = models_.of(part).P_matrix();
    with_size(t.size, [&](auto k) {
      D.middleRows(part.member, P.rows()) += P.middleCols(t.place, k).lazyProduct(H.middleCols(t.first, k).transpose());
    });
  }
  S.setZero();
  for (const NodeMember& t : node.touched)
    with_size(t.size, [&](auto k) { S += H.middleCols(t.first, k).lazyProduct(D.middleRows(t.member, k)); });
  for (Index r = 0; r < m; ++r) S(r, r) += node.noise[static_cast<std::size_t>(r)];
  node.filter.S_inverse.factorize(S, node.weights, node.closes_loop ? dependent_row : 0);
  if (node.closes_loop) {
    smallest_pivot_ = std::min(smallest_pivot_, node.filter.S_inverse.smallest_pivot());
  } else if (node.filter.S_inverse.smallest_pivot() < stiffest_pivot_) {
    stiffest_pivot_ = node.filter.S_inverse.smallest_pivot();
    stiffest_ = &node;
  }

  Matrix P = subsystem.P_matrix();
  P.setZero();
  for (const NodeMember& a : node.interface) {
    const SubsystemModel& part = models_.of(node.parts[a.part]);
    with_size(a.size, [&](auto k) {
      subsystem.x_vector().segment(a.first, k) = part.x_vector().segment(a.place, k);
      PHt.middleRows(a.first, k) = D.middleRows(a.member, k);
      for (const NodeMember& b : node.interface) {
        if (a.part != b.part) continue;
        with_size(b.size,
                  [&](auto l) { P.block(a.first, b.first, k, l) = part.P_matrix().block(a.place, b.place, k, l); });
      }
    });
  }
  if (m == 0 || n == 0) return;
  const Innovation innovation{PHt, S, Vector(node.residual, m), node.filter.S_inverse};
  const InnovationScratch room{scratch.first, scratch.second, scratch.vector};
  if (models_.method() == Method::udwadia_kalaba)
    udwadia_kalaba(innovation, room, subsystem.x_vector(), P);
  else
    square_root_free(innovation, room, subsystem.x_vector(), P);
}

Vector FilterMerges::multipliers(const Node& node) const noexcept {
  const SubsystemModel& subsystem = models_.of(node);
  const Matrix PHt(node.filter.PHt, subsystem.width, node.count);
  Vector lambda(models_.scratch().vector, node.count);
  lambda = Vector(node.residual, node.count);
  lambda -= PHt.transpose().lazyProduct(subsystem.force_vector());
  node.filter.S_inverse.solve(lambda.data());
  return lambda;
}

}  // namespace polyform::hierarchy
