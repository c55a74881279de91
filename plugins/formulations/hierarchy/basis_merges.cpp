#include "basis_merges.hpp"

#include <algorithm>
#include <cmath>

#include "enforcement/kernel.hpp"
#include "enforcement/reduction.hpp"

namespace polyform::hierarchy {
namespace {

Kernel kernel_of(Node& node, const Scratch& scratch) {
  Node::Basis& b = node.basis;
  const Matrix B(b.B, node.count, b.columns);
  return {B,
          {node.residual, B.rows()},
          node.weights,
          b.C,
          {b.particular, B.cols()},
          b.R,
          b.order.data(),
          scratch.work,
          scratch.more_work};
}

/// Squared length of a row of S, in units of the blocks, that is rounding.
constexpr double held = 1e-24;

}  // namespace

/// A covariance P = S Sᵀ as a reduced model of unit inertia: x = x̄ + S ν with ν = Sᵀ F. What counts as zero is judged
/// in units of the blocks: in others, what a light body does would hide what a heavy one does.
void BasisMerges::describe_by_basis(SubsystemModel& m) noexcept {
  Matrix P(models_.scratch().product, m.width, m.width);
  const Vector units(m.units, m.width);
  P = units.cwiseInverse().asDiagonal() * m.P_matrix() * units.cwiseInverse().asDiagonal();
  const double least_pivot = 1e-14 * P.diagonal().maxCoeff();
  Matrix S(m.S, m.width, m.width);
  for (m.columns = 0; m.columns < m.width; ++m.columns) {
    Index pivot = 0;
    if (!(P.diagonal().maxCoeff(&pivot) > least_pivot)) break;
    S.col(m.columns) = P.col(pivot) / std::sqrt(P(pivot, pivot));
    P.noalias() -= S.col(m.columns) * S.col(m.columns).transpose();
  }
  for (Index i = 0; i < m.width; ++i)  // what is held is held exactly
    if (!(m.S_matrix().row(i).squaredNorm() > held)) m.S_matrix().row(i).setZero();
  m.S_matrix() = units.asDiagonal() * m.S_matrix();
  m.M_matrix().setIdentity();
  m.f_vector().setZero();
}

/// B = Ã S: the rows on the admissible motions of the parts.
void BasisMerges::set_rows(Node& node) noexcept {
  node.basis.columns = 0;
  for (const Node::Part& part : node.parts) {
    if (!models_.of(part).by_basis) describe_by_basis(models_.of(part));
    node.basis.columns += models_.of(part).columns;
  }
  const Matrix H = node.H_matrix();
  Matrix B(node.basis.B, node.count, node.basis.columns);
  B.setZero();
  Index column = 0;
  for (std::size_t p = 0; p < node.parts.size(); ++p) {
    const SubsystemModel& part = models_.of(node.parts[p]);
    for (const NodeMember& t : node.touched)
      if (t.part == p)
        with_size(t.size, [&](auto n) {
          B.middleCols(column, part.columns) +=
              H.middleCols(t.first, n).lazyProduct(part.S_matrix().middleRows(t.place, n));
        });
    column += part.columns;
  }
}

/// S ← S C with C onto ker(B) (Theorem 3.2), and the equations of motion on the new admissible motions (Eq 3.4).
bool BasisMerges::enforce(Node& node) noexcept {
  const Scratch& scratch = models_.scratch();
  set_rows(node);
  Kernel kernel = kernel_of(node, scratch);
  kernel.tolerance = node.closes_loop ? dependent_row : 0;
  switch (models_.method()) {
    case Method::orthonormalization: orthonormalization(kernel); break;
    case Method::generalized_inverse: generalized_inverse(kernel); break;
    case Method::oblique_projector: oblique_projector(kernel); break;
    default: orthogonal_complement(kernel); break;
  }
  node.basis.rank = kernel.rank;
  if (node.closes_loop) smallest_pivot_ = std::min(smallest_pivot_, kernel.smallest);
  node.basis.admissible = kernel.columns();

  SubsystemModel& subsystem = models_.of(node);
  const Index n = subsystem.width, d = node.basis.admissible;
  Matrix C = kernel.C(), S(scratch.basis_S, n, d), M(scratch.basis_M, d, d), MC(scratch.product, node.basis.columns, d);
  Vector f(scratch.basis_f, d), balance(scratch.g, node.basis.columns), free_lengths(scratch.vector, n);
  Index column = 0;
  for (std::size_t p = 0; p < node.parts.size(); ++p) {
    const SubsystemModel& part = models_.of(node.parts[p]);
    const Index k = part.columns;
    MC.middleRows(column, k).noalias() = part.M_matrix() * C.middleRows(column, k);
    balance.segment(column, k) = part.f_vector();
    balance.segment(column, k).noalias() -= part.M_matrix() * kernel.particular.segment(column, k);
    for (const NodeMember& member : node.interface) {
      if (member.part != p) continue;
      with_size(member.size, [&](auto size) {
        const auto S_part = part.S_matrix().middleRows(member.place, size);
        S.middleRows(member.first, size).noalias() = S_part.lazyProduct(C.middleRows(column, k));
        free_lengths.segment(member.first, size) = S_part.rowwise().squaredNorm();
        auto x = subsystem.x_vector().segment(member.first, size);
        x = part.x_vector().segment(member.place, size);
        x += S_part.lazyProduct(kernel.particular.segment(column, k));
      });
    }
    column += k;
  }
  M.noalias() = C.transpose() * MC;
  f.noalias() = C.transpose() * balance;

  Reduction reduction{S, M, f, C, free_lengths.data(), node.basis.follow, node.basis.offset};
  const bool regular = d == 0 || condense(reduction, scratch.work, scratch.more_work);
  node.basis.kept = reduction.kept;
  lightest_ = std::min(lightest_, reduction.lightest);
  subsystem.columns = node.basis.kept;
  subsystem.S_matrix() = S.leftCols(node.basis.kept);
  subsystem.M_matrix() = M.topLeftCorner(node.basis.kept, node.basis.kept);
  subsystem.f_vector() = f.head(node.basis.kept);
  return regular;
}

/// ν of the parts, and the multipliers of Bᵀ λ = M ν − f − SᵀF.
Vector BasisMerges::multipliers(Node& node) noexcept {
  const Scratch& scratch = models_.scratch();
  const SubsystemModel& subsystem = models_.of(node);
  const Index kept = node.basis.kept, eliminated = node.basis.admissible - kept;
  Vector nu(scratch.nu, node.basis.columns), g(scratch.g, node.basis.columns);
  const Matrix C(node.basis.C, node.basis.columns, node.basis.admissible);
  nu = Vector(node.basis.particular, node.basis.columns);
  nu.noalias() += C.leftCols(kept) * subsystem.nu_vector();
  Vector answer(scratch.basis_f, eliminated);
  answer = Vector(node.basis.offset, eliminated);
  answer.noalias() -= Matrix(node.basis.follow, eliminated, kept) * subsystem.nu_vector();
  nu.noalias() += C.rightCols(eliminated) * answer;

  Index column = 0;
  for (std::size_t p = 0; p < node.parts.size(); ++p) {
    SubsystemModel& part = models_.of(node.parts[p]);
    const Index k = part.columns;
    part.nu_vector() = nu.segment(column, k);
    g.segment(column, k).noalias() = part.M_matrix() * part.nu_vector();
    g.segment(column, k) -= part.f_vector();
    for (const NodeMember& member : node.interface)
      if (member.part == p)
        with_size(member.size, [&](auto n) {
          g.segment(column, k) -= part.S_matrix()
                                      .middleRows(member.place, n)
                                      .transpose()
                                      .lazyProduct(subsystem.force_vector().segment(member.first, n));
        });
    column += k;
  }
  Kernel kernel = kernel_of(node, scratch);
  kernel.rank = node.basis.rank;
  const Vector lambda(scratch.vector, node.count);
  hierarchy::multipliers(kernel, g, lambda);
  return lambda;
}

}  // namespace polyform::hierarchy
