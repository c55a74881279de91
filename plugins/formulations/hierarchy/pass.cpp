#include "pass.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::hierarchy {
namespace {

void store(const Spatial& s, double* x) {
  for (std::size_t i = 0; i < 6; ++i) x[i] = s[i];
}
Spatial load_from(const double* x) { return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}; }

}  // namespace

Pass::Pass(SubsystemModels& models)
    : models_(models),
      filter_(models),
      bases_(models),
      free_(models),
      turn_(models.system().blocks(), Sym3::diagonal(1)),
      move_(models.system().blocks(), 1),
      accelerations_(models.system().offset(models.system().blocks())),
      multipliers_(models.system().rows()) {}

bool Pass::run(std::span<const double> loads, std::span<const double> right, RecursionFailure& failure) noexcept {
  const AbsoluteEquations& system = models_.system();
  for (std::size_t i = 0; i < system.blocks(); ++i) {
    const double* load = loads.data() + system.offset(i);
    if (models_.inertia(i).rigid)
      start_body(i, load_from(load));
    else if (!start_block(i, load, failure))
      return false;
  }
  for (Node& node : models_.nodes()) {
    read_rows(node, right);
    if (!models_.is_by_basis(node))
      filter_.enforce(node);
    else if (!bases_.enforce(node))
      free_.mark(node, bases_.free());
  }
  if (!free_.empty()) return free_.name(failure);
  for (std::size_t k = models_.nodes().size(); k-- > 0;) {
    Node& node = models_.nodes()[k];
    hand_down_forces(node, models_.is_by_basis(node) ? bases_.multipliers(node) : filter_.multipliers(node));
  }
  for (std::size_t i = 0; i < system.blocks(); ++i) finish_block(i);
  return true;
}

/// Starts the model of level 1, M x = f + φ of a free rigid body, or its solution.
void Pass::start_body(std::size_t i, const Spatial& load) noexcept {
  const BlockInertia& body = models_.inertia(i);
  const Mat3& R = models_.system().frames()[i].R;
  SubsystemModel& m = models_.of(i);
  m.force_vector().setZero();
  if (m.by_basis) {
    // x in units of the body's size, or as it is with S to these units.
    const bool scaled = models_.method() != Method::square_root_free;
    turn_[i] = Sym3::diagonal(scaled ? body.turn : 1);
    move_[i] = scaled ? body.move : 1;
    m.columns = 6;
    m.x_vector().setZero();
    m.S_matrix().setZero();
    m.M_matrix().setZero();
    const Mat3 J = models_.system().inertia(i).full();
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
  if (models_.method() == Method::udwadia_kalaba) {  // a₀ = M^{-1/2} (f + φ), P₀ = I
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
bool Pass::start_block(std::size_t i, const double* load, RecursionFailure& failure) noexcept {
  const BlockInertia& block = models_.inertia(i);
  SubsystemModel& m = models_.of(i);
  m.force_vector().setZero();
  const Index size = m.width;
  const Eigen::Map<const Eigen::MatrixXd> M(models_.system().mass_matrix(i).data(), size, size);  // symmetric
  const Eigen::Map<const Eigen::VectorXd> f(load, size), units(block.units.data(), size);
  Matrix N = m.N_matrix();
  const bool as_is = models_.method() == Method::square_root_free;
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
  Matrix L(models_.scratch().product, size, size), P = m.P_matrix();
  for (Index j = 0; j < size; ++j) {
    for (Index r = j; r < size; ++r) {
      double left = M(r, j);
      for (Index k = 0; k < j; ++k) left -= L(r, k) * L(j, k);
      if (r == j && !(left > 0))
        return failure.say("The mass matrix of `{}` is not positive definite in this state",
                           models_.system().name_of_block(i));
      L(r, j) = r == j ? std::sqrt(left) : left / L(j, j);
    }
  }
  Matrix inverse(models_.scratch().work, size, size);  // L⁻¹
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
void Pass::read_rows(Node& node, std::span<const double> right) noexcept {
  Matrix H = node.H_matrix();
  H.setZero();
  for (const NodeRows& rows : node.rows) {
    std::copy_n(right.data() + models_.system().first_row(rows.constraint), rows.count, node.residual + rows.first);
    std::fill_n(node.weights + rows.first, rows.count, 0.0);
    for (std::size_t i = 0; i < rows.touched.size(); ++i) {
      const NodeMember& touched = node.touched[rows.touched[i]];
      const std::size_t block = touched.block;
      const BlockInertia& size = models_.inertia(block);
      const AbsoluteEquations::Coefficients c = models_.system().coefficients(rows.constraint, i);
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
  for (const NodeMember& t : node.touched)
    with_size(t.size, [&](auto n) {
      const Vector x = models_.of(node.parts[t.part]).x_vector();
      residual -= H.middleCols(t.first, n).lazyProduct(x.segment(t.place, n));
    });
}

/// Sets the rows of a block with a full mass matrix.
void Pass::set_full_rows(Node& node, const NodeRows& rows, const NodeMember& touched,
                         const AbsoluteEquations::Coefficients& c) noexcept {
  const Index size = touched.size, own = c.frame.empty() ? size : size - 6;
  const std::vector<double>& units = models_.inertia(touched.block).units;
  const Matrix N = models_.of(touched.block).N_matrix();
  Vector a(models_.scratch().vector, size);
  Matrix H = node.H_matrix();
  for (Index r = 0; r < rows.count; ++r) {
    for (Index k = 0; k < size - own; ++k) a[k] = c.frame[static_cast<std::size_t>(r)][static_cast<std::size_t>(k)];
    for (Index k = 0; k < own; ++k) a[size - own + k] = c.own[static_cast<std::size_t>(r * own + k)];
    H.row(rows.first + r).segment(touched.first, size) = N.transpose().lazyProduct(a);
    for (Index k = 0; k < size; ++k)
      node.weights[rows.first + r] += std::pow(units[static_cast<std::size_t>(k)] * a[k], 2);
  }
}

/// Gives the forces of later constraints and of those of the merge (λ) to the parts.
void Pass::hand_down_forces(const Node& node, const Vector& lambda) noexcept {
  const AbsoluteEquations& system = models_.system();
  for (const NodeRows& rows : node.rows)
    std::copy_n(lambda.data() + rows.first, rows.count, multipliers_.data() + system.first_row(rows.constraint));
  for (const Node::Part& part : node.parts) models_.of(part).force_vector().setZero();
  const Vector above = models_.of(node).force_vector();
  for (const NodeMember& member : node.interface) {
    Vector force = models_.of(node.parts[member.part]).force_vector();
    with_size(member.size, [&](auto n) { force.segment(member.place, n) = above.segment(member.first, n); });
  }
  const Matrix H = node.H_matrix();
  for (const NodeMember& t : node.touched) {
    Vector force = models_.of(node.parts[t.part]).force_vector();
    with_size(t.size,
              [&](auto n) { force.segment(t.place, n) += H.middleCols(t.first, n).transpose().lazyProduct(lambda); });
  }
}

void Pass::finish_block(std::size_t i) noexcept {
  const SubsystemModel& m = models_.of(i);
  double* out = accelerations_.data() + models_.system().offset(i);
  if (models_.inertia(i).rigid) {
    Eigen::Matrix<double, 6, 1> x;
    if (m.by_basis)
      x.noalias() = m.S_matrix() * m.nu_vector();
    else
      x.noalias() = m.x_vector() + m.P_matrix().lazyProduct(m.force_vector());
    const Spatial s = load_from(x.data());
    store({turn_[i] * s.angular, move_[i] * s.linear}, out);
    return;
  }
  Vector x(models_.scratch().vector, m.width);
  if (m.by_basis)
    x = m.S_matrix().lazyProduct(m.nu_vector());
  else
    x = m.x_vector() + m.P_matrix().lazyProduct(m.force_vector());
  Vector(out, m.width) = m.N_matrix().lazyProduct(x);
}

}  // namespace polyform::hierarchy
