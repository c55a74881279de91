// One pass up and down the hierarchy, and the merges of modules that are described by a covariance (section 4).
#include "recursion.hpp"

#include "recursion_detail.hpp"

namespace polyform::hierarchy {
namespace {

void store(const Spatial& s, double* x) {
  for (std::size_t i = 0; i < 6; ++i) x[i] = s[i];
}
Spatial load_from(const double* x) { return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }

/// A pivot of H̃ P H̃ᵀ that keeps less than this part of what free bodies would give depends on other rows.
constexpr double dependent_pivot = 1e-12;

}  // namespace

/// One way up and down the hierarchy, with right_ on the right-hand side of the rows.
bool Recursion::pass(std::span<const Spatial> loads) noexcept {
  const std::size_t n = view_.bodies.size();
  for (std::size_t i = 0; i < n; ++i) start_body(i, loads[i]);
  for (Node& node : nodes_) {
    read_rows(node);
    if (!modules_[node.module].by_basis)
      enforce_by_filter(node);
    else if (!enforce_on_basis(node))
      return false;
  }
  for (std::size_t k = nodes_.size(); k-- > 0;) {
    Node& node = nodes_[k];
    if (modules_[node.module].by_basis)
      return_on_basis(node);
    else
      return_by_filter(node);
  }
  for (std::size_t i = 0; i < n; ++i) finish_body(i);
  return true;
}

Spatial Recursion::to_physical(std::size_t body, const double* x) const noexcept {
  const Spatial s = load_from(x);
  return {turn_[body] * s.angular, move_[body] * s.linear};
}

/// The model of level 1: M x = f + φ of a free body, or its solution.
void Recursion::start_body(std::size_t i, const Spatial& load) noexcept {
  const BodyInertia& body = inertia_[i];
  const Mat3& R = rows_.motion(i).R;
  Module& m = modules_[i];
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
    const Mat3 J = rows_.inertia(i).full();
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

/// H̃ = Ã N, the innovation b̃ − H̃ x̄ and the yardsticks of the rows.
void Recursion::read_rows(Node& node) noexcept {
  Matrix H = node.H_matrix();
  H.setZero();
  for (const Rows& rows : node.rows) {
    std::copy_n(right_.data() + rows_.first_row(rows.tie), rows.count, node.residual + rows.first);
    std::fill_n(node.weights + rows.first, rows.count, 0.0);
    for (std::size_t i = 0; i < rows.touched.size(); ++i) {
      const std::size_t k = rows.touched[i], body = node.touched[k].body;
      const BodyInertia& size = inertia_[body];
      const std::span<const Spatial> coefficients = rows_.coefficients(rows.tie, i);
      for (Index r = 0; r < rows.count; ++r) {
        const Spatial& a = coefficients[static_cast<std::size_t>(r)];
        const Spatial h{turn_[body] * a.angular, move_[body] * a.linear};
        for (std::size_t c = 0; c < 6; ++c) H(rows.first + r, static_cast<Index>(6 * k + c)) = h[c];
        node.weights[rows.first + r] +=
            size.turn * size.turn * dot(a.angular, a.angular) + size.move * size.move * dot(a.linear, a.linear);
      }
    }
  }
  Vector residual(node.residual, node.count);
  for (std::size_t k = 0; k < node.touched.size(); ++k) {
    const Node::Touched& t = node.touched[k];
    const Module& part = modules_[node.parts[t.part].module];
    residual -= H.middleCols<6>(static_cast<Index>(6 * k)).lazyProduct(part.x_vector().segment<6>(6 * t.place));
  }
}

/// Eqs 4.14–4.18 on the interface of the merged module.
void Recursion::enforce_by_filter(Node& node) noexcept {
  Module& module = modules_[node.module];
  const Index m = node.count, members = static_cast<Index>(6 * node.members.size()), n = module.size();
  const Matrix H = node.H_matrix();
  // P H̃ᵀ of all members; P is block diagonal over the parts.
  Matrix D(scratch_->D, members, m), S(scratch_->S, m, m), PHt(node.PHt, n, m);
  D.setZero();
  for (std::size_t k = 0; k < node.touched.size(); ++k) {
    const Node::Touched& t = node.touched[k];
    const Node::Part& part = node.parts[t.part];
    const Matrix P = modules_[part.module].P_matrix();
    D.middleRows(6 * part.member, P.rows()) +=
        P.middleCols<6>(6 * t.place).lazyProduct(H.middleCols<6>(static_cast<Index>(6 * k)).transpose());
  }
  S.setZero();
  for (std::size_t k = 0; k < node.touched.size(); ++k)
    S += H.middleCols<6>(static_cast<Index>(6 * k)).lazyProduct(D.middleRows<6>(6 * node.touched[k].member));
  for (Index r = 0; r < m; ++r) S(r, r) += node.noise[static_cast<std::size_t>(r)];
  node.S_inverse.factorize(S, node.weights, node.closes_loop ? dependent_pivot : 0);
  if (node.closes_loop) smallest_pivot_ = std::min(smallest_pivot_, node.S_inverse.smallest_pivot());

  Matrix P = module.P_matrix();
  P.setZero();
  for (std::size_t i = 0; i < node.interface.size(); ++i) {
    const Merge::Member& a = node.members[node.interface[i]];
    const Index row = static_cast<Index>(6 * i), place = static_cast<Index>(6 * a.place);
    const Module& part = modules_[node.parts[a.part].module];
    module.x_vector().segment<6>(row) = part.x_vector().segment<6>(place);
    PHt.middleRows<6>(row) = D.middleRows<6>(static_cast<Index>(6 * node.interface[i]));
    for (std::size_t j = 0; j < node.interface.size(); ++j) {
      const Merge::Member& b = node.members[node.interface[j]];
      if (a.part == b.part)
        P.block<6, 6>(row, static_cast<Index>(6 * j)) =
            part.P_matrix().block<6, 6>(place, static_cast<Index>(6 * b.place));
    }
  }
  if (m == 0 || n == 0) return;
  const Innovation innovation{PHt, S, Vector(node.residual, m), node.S_inverse};
  const InnovationScratch scratch{scratch_->first, scratch_->second, scratch_->vector};
  if (method_ == Method::udwadia_kalaba)
    udwadia_kalaba(innovation, scratch, module.x_vector(), P);
  else
    square_root_free(innovation, scratch, module.x_vector(), P);
}

/// λ = S^g (b̃ − H̃ (x̄ + P F)): the innovation that later constraints leave.
void Recursion::return_by_filter(Node& node) noexcept {
  const Module& module = modules_[node.module];
  const Matrix PHt(node.PHt, module.size(), node.count);
  Vector lambda(scratch_->vector, node.count);
  lambda = Vector(node.residual, node.count);
  lambda -= PHt.transpose().lazyProduct(module.force_vector());
  node.S_inverse.solve(lambda.data());
  hand_down_forces(node);
}

/// The forces of later constraints and of those of the merge (λ in scratch) go to the parts.
void Recursion::hand_down_forces(Node& node) noexcept {
  const Vector lambda(scratch_->vector, node.count);
  for (const Rows& rows : node.rows)
    std::copy_n(lambda.data() + rows.first, rows.count, multipliers_.data() + rows_.first_row(rows.tie));
  for (const Node::Part& part : node.parts) modules_[part.module].force_vector().setZero();
  const Vector above = modules_[node.module].force_vector();
  for (std::size_t i = 0; i < node.interface.size(); ++i) {
    const Merge::Member& member = node.members[node.interface[i]];
    Vector force = modules_[node.parts[member.part].module].force_vector();
    force.segment<6>(static_cast<Index>(6 * member.place)) = above.segment<6>(static_cast<Index>(6 * i));
  }
  const Matrix H = node.H_matrix();
  for (std::size_t k = 0; k < node.touched.size(); ++k) {
    const Node::Touched& t = node.touched[k];
    Vector force = modules_[node.parts[t.part].module].force_vector();
    force.segment<6>(6 * t.place) += H.middleCols<6>(static_cast<Index>(6 * k)).transpose().lazyProduct(lambda);
  }
}

void Recursion::finish_body(std::size_t i) noexcept {
  const Module& m = modules_[i];
  Eigen::Matrix<double, 6, 1> x;
  if (m.by_basis)
    x.noalias() = m.S_matrix() * m.nu_vector();
  else
    x.noalias() = m.x_vector() + m.P_matrix().lazyProduct(m.force_vector());
  accelerations_[i] = to_physical(i, x.data());
}

}  // namespace polyform::hierarchy
