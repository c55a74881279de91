// Merges of modules that are described by bases of their admissible motions: Theorem 3.2 and Eq 3.4.
#include <cmath>

#include "recursion_detail.hpp"

namespace polyform::hierarchy {
namespace {

Kernel kernel_of(const Matrix& B, double* residual, double* weights, double* C, double* particular, double* R,
                 Index* order, double* work, double* more_work) {
  return {B, {residual, B.rows()}, weights, C, {particular, B.cols()}, R, order, work, more_work};
}

}  // namespace

/// A covariance P = S Sᵀ as a reduced model of unit inertia: x = x̄ + S ν with ν = Sᵀ F. What counts as zero is judged in
/// units of the blocks: in others, what a light body does would hide what a heavy one does.
void Recursion::describe_by_basis(Module& m) noexcept {
  Matrix P(scratch_->product, m.width, m.width);
  const Vector units(m.units, m.width);
  P = units.cwiseInverse().asDiagonal() * m.P_matrix() * units.cwiseInverse().asDiagonal();
  const double yardstick = 1e-14 * P.diagonal().maxCoeff();
  Matrix S(m.S, m.width, m.width);
  for (m.columns = 0; m.columns < m.width; ++m.columns) {
    Index pivot = 0;
    if (!(P.diagonal().maxCoeff(&pivot) > yardstick)) break;
    S.col(m.columns) = P.col(pivot) / std::sqrt(P(pivot, pivot));
    P.noalias() -= S.col(m.columns) * S.col(m.columns).transpose();
  }
  m.S_matrix() = units.asDiagonal() * m.S_matrix();
  m.M_matrix().setIdentity();
  m.f_vector().setZero();
}

/// B = Ã S: the rows on the admissible motions of the parts.
void Recursion::set_basis_rows(Node& node) noexcept {
  node.columns = 0;
  for (const Node::Part& part : node.parts) {
    if (!modules_[part.module].by_basis) describe_by_basis(modules_[part.module]);
    node.columns += modules_[part.module].columns;
  }
  const Matrix H = node.H_matrix();
  Matrix B(node.B, node.count, node.columns);
  B.setZero();
  Index column = 0;
  for (std::size_t p = 0; p < node.parts.size(); ++p) {
    const Module& part = modules_[node.parts[p].module];
    for (const Member& t : node.touched)
      if (t.part == p)
        with_size(t.size, [&](auto n) {
          B.middleCols(column, part.columns) +=
              H.middleCols(t.first, n).lazyProduct(part.S_matrix().middleRows(t.place, n));
        });
    column += part.columns;
  }
}

/// S ← S C with C onto ker(B) (Theorem 3.2), and the equations of motion on the new admissible motions (Eq 3.4).
bool Recursion::enforce_on_basis(Node& node) noexcept {
  set_basis_rows(node);
  Kernel kernel = kernel_of({node.B, node.count, node.columns}, node.residual, node.weights, node.C, node.particular,
                            node.R, node.order.data(), scratch_->work, scratch_->more_work);
  if (!node.closes_loop) kernel.tolerance = 0;
  switch (method_) {
    case Method::orthonormalization:
      orthonormalization(kernel);
      break;
    case Method::generalized_inverse:
      generalized_inverse(kernel);
      break;
    default:
      orthogonal_complement(kernel);
      break;
  }
  node.rank = kernel.rank;
  if (node.closes_loop) smallest_pivot_ = std::min(smallest_pivot_, kernel.smallest);
  node.admissible = kernel.columns();

  Module& module = modules_[node.module];
  const Index n = module.width, d = node.admissible;
  Matrix C = kernel.C(), S(scratch_->basis_S, n, d), M(scratch_->basis_M, d, d), MC(scratch_->product, node.columns, d);
  Vector f(scratch_->basis_f, d), balance(scratch_->g, node.columns);
  Index column = 0;
  for (std::size_t p = 0; p < node.parts.size(); ++p) {
    const Module& part = modules_[node.parts[p].module];
    const Index k = part.columns;
    MC.middleRows(column, k).noalias() = part.M_matrix() * C.middleRows(column, k);
    balance.segment(column, k) = part.f_vector();
    balance.segment(column, k).noalias() -= part.M_matrix() * kernel.particular.segment(column, k);
    for (const Member& member : node.interface) {
      if (member.part != p) continue;
      with_size(member.size, [&](auto size) {
        const auto S_part = part.S_matrix().middleRows(member.place, size);
        S.middleRows(member.first, size).noalias() = S_part.lazyProduct(C.middleRows(column, k));
        auto x = module.x_vector().segment(member.first, size);
        x = part.x_vector().segment(member.place, size);
        x += S_part.lazyProduct(kernel.particular.segment(column, k));
      });
    }
    column += k;
  }
  M.noalias() = C.transpose() * MC;
  f.noalias() = C.transpose() * balance;

  Reduction reduction{S, M, f, C, node.follow, node.offset};
  const bool regular = d == 0 || condense(reduction, scratch_->work);
  node.kept = reduction.kept;
  if (!regular) {
    name_free_blocks(node);
    return false;
  }
  module.columns = node.kept;
  module.S_matrix() = S.leftCols(node.kept);
  module.M_matrix() = M.topLeftCorner(node.kept, node.kept);
  module.f_vector() = f.head(node.kept);
  return true;
}

/// ν of the parts, and the multipliers of Bᵀ λ = M ν − f − SᵀF.
void Recursion::return_on_basis(Node& node) noexcept {
  const Module& module = modules_[node.module];
  const Index kept = node.kept, eliminated = node.admissible - kept;
  Vector nu(scratch_->nu, node.columns), g(scratch_->g, node.columns);
  const Matrix C(node.C, node.columns, node.admissible);
  nu = Vector(node.particular, node.columns);
  nu.noalias() += C.leftCols(kept) * module.nu_vector();
  Vector answer(scratch_->basis_f, eliminated);
  answer = Vector(node.offset, eliminated);
  answer.noalias() -= Matrix(node.follow, eliminated, kept) * module.nu_vector();
  nu.noalias() += C.rightCols(eliminated) * answer;

  Index column = 0;
  for (std::size_t p = 0; p < node.parts.size(); ++p) {
    Module& part = modules_[node.parts[p].module];
    const Index k = part.columns;
    part.nu_vector() = nu.segment(column, k);
    g.segment(column, k).noalias() = part.M_matrix() * part.nu_vector();
    g.segment(column, k) -= part.f_vector();
    for (const Member& member : node.interface)
      if (member.part == p)
        with_size(member.size, [&](auto n) {
          g.segment(column, k) -= part.S_matrix()
                                      .middleRows(member.place, n)
                                      .transpose()
                                      .lazyProduct(module.force_vector().segment(member.first, n));
        });
    column += k;
  }
  Kernel kernel = kernel_of({node.B, node.count, node.columns}, node.residual, node.weights, node.C, node.particular,
                            node.R, node.order.data(), scratch_->work, scratch_->more_work);
  kernel.rank = node.rank;
  polyform::hierarchy::multipliers(kernel, g, {scratch_->vector, node.count});
  hand_down_forces(node);
}

/// Says which blocks move in the motion that nothing resists (offset of the node).
void Recursion::name_free_blocks(Node& failed) noexcept {
  for (Module& m : modules_) m.nu_vector().setZero();
  for (std::size_t i = failed.module - system_.blocks() + 1; i-- > 0;) {
    Node& node = nodes_[i];
    if (!modules_[node.module].by_basis) continue;
    const Index kept = node.kept, eliminated = node.admissible - kept;
    const Matrix C(node.C, node.columns, node.admissible);
    Vector nu(scratch_->nu, node.columns), answer(scratch_->basis_f, eliminated);
    if (&node == &failed) {
      nu.noalias() = C.rightCols(eliminated) * Vector(node.offset, eliminated);
    } else {
      const Vector above = modules_[node.module].nu_vector();
      if (above.isZero(0)) continue;
      answer.noalias() = Matrix(node.follow, eliminated, kept) * above;
      nu.noalias() = C.leftCols(kept) * above;
      nu.noalias() -= C.rightCols(eliminated) * answer;
    }
    Index column = 0;
    for (const Node::Part& p : node.parts) {
      Module& part = modules_[p.module];
      part.nu_vector() = nu.segment(column, part.columns);
      column += part.columns;
    }
  }
  double most = 0;
  std::size_t first = 0, others = 0;
  const auto motion = [&](std::size_t i) {
    return modules_[i].by_basis && inertia_[i].singular ? modules_[i].nu_vector().norm() : 0.0;
  };
  for (std::size_t i = 0; i < system_.blocks(); ++i)
    if (motion(i) > most) {
      most = motion(i);
      first = i;
    }
  std::size_t second = first;
  for (std::size_t i = 0; i < system_.blocks(); ++i)
    if (i != first && motion(i) > 0.1 * most) {
      second = i;
      ++others;
    }
  const char* kind = system_.is_module(first) ? "Module" : "Body";
  if (others == 0) {
    fail(
        "{} `{}` has no mass or inertia for a motion that the constraints leave free: give it some, or a joint that "
        "holds it",
        kind, system_.name_of_block(first));
  } else {
    fail(
        "{} `{}`, with `{}`{}, has no mass or inertia for a motion that the constraints leave free: give it some, or a "
        "joint that holds it",
        kind, system_.name_of_block(first), system_.name_of_block(second), others > 1 ? " and others that move along" : "");
  }
}

}  // namespace polyform::hierarchy
