// One pass up and down the hierarchy, and the merges of subsystems that are described by a covariance (section 4).
#include "recursion.hpp"

#include <cmath>

#include "recursion_detail.hpp"

namespace polyform::hierarchy {
namespace {

void store(const Spatial& s, double* x) {
  for (std::size_t i = 0; i < 6; ++i) x[i] = s[i];
}
Spatial load_from(const double* x) { return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }

}  // namespace

/// Goes up and down the hierarchy once, with right_ on the right-hand side of the rows.
bool Recursion::pass(std::span<const double> loads) noexcept {
  const std::size_t n = system_.blocks();
  for (std::size_t i = 0; i < n; ++i) {
    const double* load = loads.data() + system_.offset(i);
    if (inertia_[i].rigid)
      start_body(i, load_from(load));
    else if (!start_block(i, load))
      return false;
  }
  for (Node& node : nodes_) {
    read_rows(node);
    if (subsystems_[node.subsystem].by_basis)
      enforce_on_basis(node);
    else
      enforce_by_filter(node);
  }
  if (free_count_ > 0) return name_free_blocks();
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    Node& node = nodes_[k];
    if (subsystems_[node.subsystem].by_basis)
      return_on_basis(node);
    else
      return_by_filter(node);
  }
  for (std::size_t i = 0; i < n; ++i) finish_block(i);
  return true;
}

/// Starts the model of level 1, M x = f + φ of a free rigid body, or its solution.
void Recursion::start_body(std::size_t i, const Spatial& load) noexcept {
  const BlockInertia& body = inertia_[i];
  const Mat3& R = system_.frames()[i].R;
  Subsystem& m = subsystems_[i];
  m.force_vector().setZero();
  if (m.by_basis) {
    // x in units of the body's size, or as it is with S to these units.
    const bool scaled = method_ != Method::square_root_free;
    turn_[i] = Sym3::diagonal(scaled ? body.turn : 1);
    move_[i] = scaled ? body.move : 1;
    m.columns = 6;
    m.x_vector().setZero();
    m.S_matrix().setZero();
    m.M_matrix().setZero();
    const Mat3 J = system_.inertia(i).full();
    for (std::size_t r = 0; r < 3; ++r) {
      const Index a = static_cast<Index>(r), b = a + 3;
      m.S_matrix()(a, a) = scaled ? 1 : body.turn;
      m.S_matrix()(b, b) = scaled ? 1 : body.move;
      for (std::size_t c = 0; c < 3; ++c) m.M_matrix()(a, static_cast<Index>(c)) = body.turn * body.turn * J(r, c);
      m.M_matrix()(b, b) = body.move * body.move * body.mass;
    }
    store({body.turn * load.angular, body.move * load.linear}, m.f);
    return;
  }
  Matrix P = m.P_matrix();
  if (method_ == Method::udwadia_kalaba) {  // a₀ = M^{-1/2} (f + φ), P₀ = I
    turn_[i] = rotate(R, body.inverse_root);
    move_[i] = body.move;
    store({turn_[i] * load.angular, move_[i] * load.linear}, m.x);
    P.setIdentity();
    return;
  }
  const Sym3 inverse = rotate(R, body.inverse);  // α₀ = M⁻¹ (f + φ), Π₀ = M⁻¹
  store({inverse * load.angular, (1 / body.mass) * load.linear}, m.x);
  const Mat3 full = inverse.full();
  P.setZero();
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 3; ++c) P(static_cast<Index>(r), static_cast<Index>(c)) = full(r, c);
    P(static_cast<Index>(r) + 3, static_cast<Index>(r) + 3) = 1 / body.mass;
  }
}

/// Does the same for a flexible body or a module. False if its mass matrix has lost its inverse.
bool Recursion::start_block(std::size_t i, const double* load) noexcept {
  const BlockInertia& block = inertia_[i];
  Subsystem& m = subsystems_[i];
  m.force_vector().setZero();
  const Index size = m.width;
  const Eigen::Map<const Eigen::MatrixXd> M(system_.mass_matrix(i).data(), size, size);  // symmetric
  const Eigen::Map<const Eigen::VectorXd> f(load, size), units(block.units.data(), size);
  Matrix N = m.N_matrix();
  const bool as_is = method_ == Method::square_root_free;
  if (as_is) N.setIdentity();
  if (m.by_basis) {
    if (!as_is) N = units.asDiagonal();
    m.columns = size;
    m.x_vector().setZero();
    m.S_matrix().setZero();
    m.S_matrix().diagonal().setOnes();
    if (as_is) m.S_matrix().diagonal() = units;
    m.M_matrix() = units.asDiagonal() * M * units.asDiagonal();
    m.f_vector() = units.cwiseProduct(f);
    return true;
  }
  // M = L Lᵀ; with N = L⁻ᵀ:  a₀ = Lᵀ M⁻¹ (f + φ) = L⁻¹ (f + φ),  P₀ = I;  without:  Π₀ = M⁻¹ = L⁻ᵀ L⁻¹
  Matrix L(scratch_->product, size, size), P = m.P_matrix();
  for (Index j = 0; j < size; ++j) {
    for (Index r = j; r < size; ++r) {
      double left = M(r, j);
      for (Index k = 0; k < j; ++k) left -= L(r, k) * L(j, k);
      if (r == j && !(left > 0))
        return fail("The mass matrix of `{}` is not positive definite in this state", system_.name_of_block(i));
      L(r, j) = r == j ? std::sqrt(left) : left / L(j, j);
    }
  }
  Matrix inverse(scratch_->work, size, size);  // L⁻¹
  inverse.setIdentity();
  for (Index c = 0; c < size; ++c)
    for (Index r = c; r < size; ++r) {
      for (Index k = c; k < r; ++k) inverse(r, c) -= L(r, k) * inverse(k, c);
      inverse(r, c) /= L(r, r);
    }
  Vector x = m.x_vector();
  if (as_is) {
    P = inverse.transpose().lazyProduct(inverse);
    x = P.lazyProduct(f);
    return true;
  }
  N = inverse.transpose();
  x = inverse.lazyProduct(f);
  P.setIdentity();
  return true;
}

/// Finds H̃ = Ã N, the innovation b̃ − H̃ x̄ and the scales of the rows.
void Recursion::read_rows(Node& node) noexcept {
  Matrix H = node.H_matrix();
  H.setZero();
  for (const Rows& rows : node.rows) {
    std::copy_n(right_.data() + system_.first_row(rows.constraint), rows.count, node.residual + rows.first);
    std::fill_n(node.weights + rows.first, rows.count, 0.0);
    for (std::size_t i = 0; i < rows.touched.size(); ++i) {
      const Member& touched = node.touched[rows.touched[i]];
      const std::size_t block = touched.block;
      const BlockInertia& size = inertia_[block];
      const AbsoluteEquations::Coefficients c = system_.coefficients(rows.constraint, i);
      if (!size.rigid) {
        set_full_rows(node, rows, touched, c);
        continue;
      }
      for (Index r = 0; r < rows.count; ++r) {
        const Spatial& a = c.frame[static_cast<std::size_t>(r)];
        const Spatial h{turn_[block] * a.angular, move_[block] * a.linear};
        for (Index k = 0; k < 6; ++k) H(rows.first + r, touched.first + k) = h[static_cast<std::size_t>(k)];
        node.weights[rows.first + r] +=
            size.turn * size.turn * dot(a.angular, a.angular) + size.move * size.move * dot(a.linear, a.linear);
      }
    }
  }
  Vector residual(node.residual, node.count);
  for (const Member& t : node.touched)
    with_size(t.size, [&](auto n) {
      const Vector x = subsystems_[node.parts[t.part].subsystem].x_vector();
      residual -= H.middleCols(t.first, n).lazyProduct(x.segment(t.place, n));
    });
}

/// Sets the rows of a block with a full mass matrix.
void Recursion::set_full_rows(Node& node, const Rows& rows, const Member& touched,
                              const AbsoluteEquations::Coefficients& c) noexcept {
  const Index size = touched.size, own = c.frame.empty() ? size : size - 6;
  const std::vector<double>& units = inertia_[touched.block].units;
  const Matrix N = subsystems_[touched.block].N_matrix();
  Vector a(scratch_->vector, size);
  Matrix H = node.H_matrix();
  for (Index r = 0; r < rows.count; ++r) {
    for (Index k = 0; k < size - own; ++k) a[k] = c.frame[static_cast<std::size_t>(r)][static_cast<std::size_t>(k)];
    for (Index k = 0; k < own; ++k) a[size - own + k] = c.own[static_cast<std::size_t>(r * own + k)];
    H.row(rows.first + r).segment(touched.first, size) = N.transpose().lazyProduct(a);
    for (Index k = 0; k < size; ++k)
      node.weights[rows.first + r] += std::pow(units[static_cast<std::size_t>(k)] * a[k], 2);
  }
}

/// Does Eqs 4.14–4.18 on the interface of the merged subsystem.
void Recursion::enforce_by_filter(Node& node) noexcept {
  Subsystem& subsystem = subsystems_[node.subsystem];
  const Index m = node.count, n = subsystem.width;
  const Matrix H = node.H_matrix();
  // P H̃ᵀ of all members; P is block diagonal over the parts.
  Matrix D(scratch_->D, node.width, m), S(scratch_->S, m, m), PHt(node.PHt, n, m);
  D.setZero();
  for (const Member& t : node.touched) {
    const Node::Part& part = node.parts[t.part];
    const Matrix P = subsystems_[part.subsystem].P_matrix();
    with_size(t.size, [&](auto k) {
      D.middleRows(part.member, P.rows()) += P.middleCols(t.place, k).lazyProduct(H.middleCols(t.first, k).transpose());
    });
  }
  S.setZero();
  for (const Member& t : node.touched)
    with_size(t.size, [&](auto k) { S += H.middleCols(t.first, k).lazyProduct(D.middleRows(t.member, k)); });
  for (Index r = 0; r < m; ++r) S(r, r) += node.noise[static_cast<std::size_t>(r)];
  node.S_inverse.factorize(S, node.weights, node.closes_loop ? dependent_row : 0);
  if (node.closes_loop) {
    smallest_pivot_ = std::min(smallest_pivot_, node.S_inverse.smallest_pivot());
  } else if (node.S_inverse.smallest_pivot() < stiffest_pivot_) {
    stiffest_pivot_ = node.S_inverse.smallest_pivot();
    stiffest_ = &node;
  }

  Matrix P = subsystem.P_matrix();
  P.setZero();
  for (const Member& a : node.interface) {
    const Subsystem& part = subsystems_[node.parts[a.part].subsystem];
    with_size(a.size, [&](auto k) {
      subsystem.x_vector().segment(a.first, k) = part.x_vector().segment(a.place, k);
      PHt.middleRows(a.first, k) = D.middleRows(a.member, k);
      for (const Member& b : node.interface) {
        if (a.part != b.part) continue;
        with_size(b.size,
                  [&](auto l) { P.block(a.first, b.first, k, l) = part.P_matrix().block(a.place, b.place, k, l); });
      }
    });
  }
  if (m == 0 || n == 0) return;
  const Innovation innovation{PHt, S, Vector(node.residual, m), node.S_inverse};
  const InnovationScratch scratch{scratch_->first, scratch_->second, scratch_->vector};
  if (method_ == Method::udwadia_kalaba)
    udwadia_kalaba(innovation, scratch, subsystem.x_vector(), P);
  else
    square_root_free(innovation, scratch, subsystem.x_vector(), P);
}

/// Finds λ = S^g (b̃ − H̃ (x̄ + P F)), with the innovation that later constraints leave.
void Recursion::return_by_filter(Node& node) noexcept {
  const Subsystem& subsystem = subsystems_[node.subsystem];
  const Matrix PHt(node.PHt, subsystem.width, node.count);
  Vector lambda(scratch_->vector, node.count);
  lambda = Vector(node.residual, node.count);
  lambda -= PHt.transpose().lazyProduct(subsystem.force_vector());
  node.S_inverse.solve(lambda.data());
  hand_down_forces(node);
}

/// Gives the forces of later constraints and of those of the merge (λ in scratch) to the parts.
void Recursion::hand_down_forces(Node& node) noexcept {
  const Vector lambda(scratch_->vector, node.count);
  for (const Rows& rows : node.rows)
    std::copy_n(lambda.data() + rows.first, rows.count, multipliers_.data() + system_.first_row(rows.constraint));
  for (const Node::Part& part : node.parts) subsystems_[part.subsystem].force_vector().setZero();
  const Vector above = subsystems_[node.subsystem].force_vector();
  for (const Member& member : node.interface) {
    Vector force = subsystems_[node.parts[member.part].subsystem].force_vector();
    with_size(member.size, [&](auto n) { force.segment(member.place, n) = above.segment(member.first, n); });
  }
  const Matrix H = node.H_matrix();
  for (const Member& t : node.touched) {
    Vector force = subsystems_[node.parts[t.part].subsystem].force_vector();
    with_size(t.size,
              [&](auto n) { force.segment(t.place, n) += H.middleCols(t.first, n).transpose().lazyProduct(lambda); });
  }
}

void Recursion::finish_block(std::size_t i) noexcept {
  const Subsystem& m = subsystems_[i];
  double* out = accelerations_.data() + system_.offset(i);
  if (inertia_[i].rigid) {
    Eigen::Matrix<double, 6, 1> x;
    if (m.by_basis)
      x.noalias() = m.S_matrix() * m.nu_vector();
    else
      x.noalias() = m.x_vector() + m.P_matrix().lazyProduct(m.force_vector());
    const Spatial s = load_from(x.data());
    store({turn_[i] * s.angular, move_[i] * s.linear}, out);
    return;
  }
  Vector x(scratch_->vector, m.width);
  if (m.by_basis)
    x = m.S_matrix().lazyProduct(m.nu_vector());
  else
    x = m.x_vector() + m.P_matrix().lazyProduct(m.force_vector());
  Vector(out, m.width) = m.N_matrix().lazyProduct(x);
}

}  // namespace polyform::hierarchy
