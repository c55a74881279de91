// Merges of subsystems that are described by bases of their admissible motions: Theorem 3.2 and Eq 3.4.
#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "recursion_detail.hpp"

namespace polyform::hierarchy {
namespace {

Kernel kernel_of(const Matrix& B, double* residual, double* weights, double* C, double* particular, double* R,
                 Index* order, double* work, double* more_work) {
  return {B, {residual, B.rows()}, weights, C, {particular, B.cols()}, R, order, work, more_work};
}

/// Squared length of a row of S, in units of the blocks, that is rounding.
constexpr double held = 1e-24;
/// Blocks that a message names.
constexpr std::size_t most_names = 5;

}  // namespace

/// A covariance P = S Sᵀ as a reduced model of unit inertia: x = x̄ + S ν with ν = Sᵀ F. What counts as zero is judged
/// in units of the blocks: in others, what a light body does would hide what a heavy one does.
void Recursion::describe_by_basis(Subsystem& m) noexcept {
  Matrix P(scratch_->product, m.width, m.width);
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
void Recursion::set_basis_rows(Node& node) noexcept {
  node.columns = 0;
  for (const Node::Part& part : node.parts) {
    if (!subsystems_[part.subsystem].by_basis) describe_by_basis(subsystems_[part.subsystem]);
    node.columns += subsystems_[part.subsystem].columns;
  }
  const Matrix H = node.H_matrix();
  Matrix B(node.B, node.count, node.columns);
  B.setZero();
  Index column = 0;
  for (std::size_t p = 0; p < node.parts.size(); ++p) {
    const Subsystem& part = subsystems_[node.parts[p].subsystem];
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
void Recursion::enforce_on_basis(Node& node) noexcept {
  set_basis_rows(node);
  Kernel kernel = kernel_of({node.B, node.count, node.columns}, node.residual, node.weights, node.C, node.particular,
                            node.R, node.order.data(), scratch_->work, scratch_->more_work);
  kernel.tolerance = node.closes_loop ? dependent_row : 0;
  switch (method_) {
    case Method::orthonormalization:
      orthonormalization(kernel);
      break;
    case Method::generalized_inverse:
      generalized_inverse(kernel);
      break;
    case Method::oblique_projector:
      oblique_projector(kernel);
      break;
    default:
      orthogonal_complement(kernel);
      break;
  }
  node.rank = kernel.rank;
  if (node.closes_loop) smallest_pivot_ = std::min(smallest_pivot_, kernel.smallest);
  node.admissible = kernel.columns();

  Subsystem& subsystem = subsystems_[node.subsystem];
  const Index n = subsystem.width, d = node.admissible;
  Matrix C = kernel.C(), S(scratch_->basis_S, n, d), M(scratch_->basis_M, d, d), MC(scratch_->product, node.columns, d);
  Vector f(scratch_->basis_f, d), balance(scratch_->g, node.columns), free_lengths(scratch_->vector, n);
  Index column = 0;
  for (std::size_t p = 0; p < node.parts.size(); ++p) {
    const Subsystem& part = subsystems_[node.parts[p].subsystem];
    const Index k = part.columns;
    MC.middleRows(column, k).noalias() = part.M_matrix() * C.middleRows(column, k);
    balance.segment(column, k) = part.f_vector();
    balance.segment(column, k).noalias() -= part.M_matrix() * kernel.particular.segment(column, k);
    for (const Member& member : node.interface) {
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

  Reduction reduction{S, M, f, C, free_lengths.data(), node.follow, node.offset};
  const bool regular = d == 0 || condense(reduction, scratch_->work, scratch_->more_work);
  node.kept = reduction.kept;
  lightest_ = std::min(lightest_, reduction.lightest);
  if (!regular) mark_free_blocks(node, scratch_->more_work);
  subsystem.columns = node.kept;
  subsystem.S_matrix() = S.leftCols(node.kept);
  subsystem.M_matrix() = M.topLeftCorner(node.kept, node.kept);
  subsystem.f_vector() = f.head(node.kept);
}

/// ν of the parts, and the multipliers of Bᵀ λ = M ν − f − SᵀF.
void Recursion::return_on_basis(Node& node) noexcept {
  const Subsystem& subsystem = subsystems_[node.subsystem];
  const Index kept = node.kept, eliminated = node.admissible - kept;
  Vector nu(scratch_->nu, node.columns), g(scratch_->g, node.columns);
  const Matrix C(node.C, node.columns, node.admissible);
  nu = Vector(node.particular, node.columns);
  nu.noalias() += C.leftCols(kept) * subsystem.nu_vector();
  Vector answer(scratch_->basis_f, eliminated);
  answer = Vector(node.offset, eliminated);
  answer.noalias() -= Matrix(node.follow, eliminated, kept) * subsystem.nu_vector();
  nu.noalias() += C.rightCols(eliminated) * answer;

  Index column = 0;
  for (std::size_t p = 0; p < node.parts.size(); ++p) {
    Subsystem& part = subsystems_[node.parts[p].subsystem];
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
                                      .lazyProduct(subsystem.force_vector().segment(member.first, n));
        });
    column += k;
  }
  Kernel kernel = kernel_of({node.B, node.count, node.columns}, node.residual, node.weights, node.C, node.particular,
                            node.R, node.order.data(), scratch_->work, scratch_->more_work);
  kernel.rank = node.rank;
  polyform::hierarchy::multipliers(kernel, g, {scratch_->vector, node.count});
  hand_down_forces(node);
}

/// Which blocks move when the eliminated coordinates of a merge do, in a way that nothing resists. No more are looked
/// for than can be named.
void Recursion::mark_free_blocks(Node& merge, const double* motion) noexcept {
  if (free_count_ > most_names) return;
  for (Subsystem& m : subsystems_) m.nu_vector().setZero();
  for (std::size_t i = merge.subsystem - system_.blocks() + 1; i-- > 0;) {
    Node& node = nodes_[i];
    if (!subsystems_[node.subsystem].by_basis) continue;
    const Index kept = node.kept, eliminated = node.admissible - kept;
    const Matrix C(node.C, node.columns, node.admissible);
    Vector nu(scratch_->nu, node.columns), answer(scratch_->basis_f, eliminated);
    if (&node == &merge) {
      nu.noalias() = C.rightCols(eliminated) * Eigen::Map<const Eigen::VectorXd>(motion, eliminated);
    } else {
      const Vector above = subsystems_[node.subsystem].nu_vector();
      if (above.isZero(0)) continue;
      answer.noalias() = Matrix(node.follow, eliminated, kept) * above;
      nu.noalias() = C.leftCols(kept) * above;
      nu.noalias() -= C.rightCols(eliminated) * answer;
    }
    Index column = 0;
    for (const Node::Part& p : node.parts) {
      Subsystem& part = subsystems_[p.subsystem];
      part.nu_vector() = nu.segment(column, part.columns);
      column += part.columns;
    }
  }
  const auto motion_of = [&](std::size_t i) {
    return subsystems_[i].by_basis && inertia_[i].singular ? subsystems_[i].nu_vector().norm() : 0.0;
  };
  double most = 0;
  for (std::size_t i = 0; i < system_.blocks(); ++i) most = std::max(most, motion_of(i));
  for (std::size_t i = 0; i < system_.blocks(); ++i) free_[i] = free_[i] || motion_of(i) > 0.1 * most;
  free_count_ = static_cast<std::size_t>(std::ranges::count(free_, 1));
}

/// Fails with the names of the blocks that were marked in this pass.
bool Recursion::name_free_blocks() noexcept {
  const std::size_t total = std::exchange(free_count_, 0);
  bool lacking = false;
  char names[400];
  std::size_t count = 0, modules = 0, used = 0;
  for (std::size_t i = 0; i < free_.size(); ++i) {
    if (free_[i] == 0) continue;
    modules += system_.is_module(i);
    lacking = lacking || system_.lacks_inertia(i);
    free_[i] = 0;
    if (++count > most_names) continue;
    const char* before = count == 1 ? "" : count == total ? " and " : ", ";
    const auto end =
        fmt::format_to_n(names + used, sizeof names - used, "{}`{:.50}`", before, system_.name_of_block(i));
    used = std::min(sizeof names, used + end.size);
  }
  const std::string_view listed(names, used), others = total > most_names ? " and others" : "";
  const char* how_much = lacking ? "no" : "hardly any";
  if (total == 1)
    return fail(
        "{} {} has {} mass or inertia for a motion that the constraints leave free: give it some, or a joint that "
        "holds it",
        modules > 0 ? "Module" : "Body", listed, how_much);
  const char* kind = modules == 0 ? "Bodies" : modules == total ? "Modules" : "Bodies and modules";
  return fail(
      "{} {}{} have {} mass or inertia for a motion that the constraints leave free: give them some, or joints that "
      "hold them",
      kind, listed, others, how_much);
}

}  // namespace polyform::hierarchy
