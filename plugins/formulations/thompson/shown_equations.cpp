#include "shown_equations.hpp"

#include <fmt/format.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <utility>

#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::thompson {
namespace {

constexpr const char* body_components = "vx vy vz wx wy wz";

/// Names of a joint's velocity coordinates, in its own order.
std::string components_of(const JointData& joint) {
  std::string words;
  std::size_t turn = 0, slide = 0;
  for (const Primitive& p : joint.primitives) {
    if (p.kind == Primitive::Kind::ball)
      words += "wx wy wz ";
    else if (p.kind == Primitive::Kind::rotation)
      words += fmt::format("turn{} ", ++turn);
    else
      words += fmt::format("slide{} ", ++slide);
  }
  return words;
}

/// Words 1 to n for the components of what has no names of its own.
std::string numbered(std::string_view word, std::size_t n) {
  std::string words;
  for (std::size_t k = 1; k <= n; ++k) words += fmt::format("{}{} ", word, k);
  return words;
}

std::vector<double> rows_first(const Eigen::MatrixXd& m) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(m.size()));
  for (Eigen::Index r = 0; r < m.rows(); ++r)
    for (Eigen::Index c = 0; c < m.cols(); ++c) values.push_back(m(r, c) + 0.0);  // no -0
  return values;
}

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

}  // namespace

ShownEquations::ShownEquations(const SystemView& view, Form form, Parts parts)
    : view_(view), form_(form), parts_(std::move(parts)), h2_(parts_.reductions.tree()) {
  for (std::size_t i = 0; i < view.bodies.size(); ++i) {
    layout_.bodies.push_back(layout_.size);
    layout_.size += 6;
    layout_.modes.push_back(layout_.size);
    if (h2_.has_modes()) layout_.size += h2_.modes(i).count;
  }
  layout_.variables = layout_.size;
  layout_.size += h2_.size() - h2_.first_variable();
}

bool ShownEquations::fill(double t, const ConstStateView& state) {
  start();
  if (!parts_.solve(t, state)) return false;
  add_lists();
  add_tree();
  return true;
}

void ShownEquations::add(const char* name, const char* meaning, std::size_t rows, std::size_t columns,
                         const Matrix& values) {
  add_matrix(name, meaning, rows, columns, rows_first(values));
}

void ShownEquations::add_lists() {
  q_ = add_list();
  q2_ = add_list();
  constraints_ = add_list();
  for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
    add_group(q_, std::string(view_.bodies[i].name), 6, body_components);
    if (h2_.has_modes())
      add_group(q_, fmt::format("{} modes", view_.bodies[i].name), h2_.modes(i).count,
                numbered("eta", h2_.modes(i).count));
  }
  for (std::size_t j = 0; j < view_.bodies.size(); ++j) {
    const JointData& joint = view_.joints[j];
    add_group(q2_, std::string(joint.name), joint.nv,
              h2_.is_relative() ? components_of(joint) : numbered("n", joint.nv));
    add_group(constraints_, std::string(joint.name), 6 - joint.nv);
  }
  for (const FlexibleData& flexible : view_.flexible)
    add_group(q2_, fmt::format("{} modes", view_.bodies[at(flexible.body)].name), flexible.modes,
              numbered("eta", flexible.modes));
  for (const ModuleInstances& group : view_.modules)
    for (const std::string_view name : group.names)
      for (const std::size_t list : {q_, q2_}) add_group(list, std::string(name), group.type->variables().size());
}

void ShownEquations::add_tree() {
  const Matrix M = mass(), H2 = transformation();
  const Vector Q = forces(), qdot = velocities();
  BodyVectors rates(view_.bodies.size());
  const std::vector<double> zero(h2_.size());
  h2_.to_bodies(zero.data(), true, rates);
  const Vector gamma = stacked_rates(rates, zero.data());
  const Eigen::Map<const Vector> accelerations(parts_.accelerations.udot().data(), index(h2_.size()));

  add("M", "generalized mass, Eq 7", q_, q_, M);
  add("Q", "generalized force, with gyroscopic torques, Eq 7", q_, one, Q);
  add("q'", "generalized velocity: of mass centres in ground axes, angular in body axes", q_, one, qdot);
  const Vector given = given_velocities();
  if (!RheonomicJoints(view_).empty())
    add("h", "given velocity, by functions of time: q' = H2 q2' + h", q_, one, given);
  add("Phi_q", "Jacobian of the joints of the tree, Eq 6", constraints_, q_, jacobian());
  add("H1", "right inverse of Phi_q, Eq 9", q_, constraints_, constraint_columns());
  add("H2", h2_.is_relative() ? "velocity transformation H_a^-1 H_b, Eq 17" : "null space of Phi_q, Eq 9", q_, q2_, H2);
  const Vector q2dot = H2.colPivHouseholderQr().solve(qdot - given);
  add("q2'", "reduced velocity, Eq 13", q2_, one, q2dot);
  add("H2' q2'", "rate of H2 times reduced velocity, Eq 14", q_, one, gamma);
  Reduced reduced{H2, gamma, accelerations, q2_, one};
  if (!parts_.reductions.loops().empty()) reduced = add_loops(H2, gamma, q2dot);

  const Matrix HM = reduced.H2.transpose() * M;
  add("M22", "reduced mass H2^T M H2, Eq 15", reduced.list, reduced.list, HM * reduced.H2);
  add("Q2", "reduced force H2^T Q, Eq 15", reduced.list, one, reduced.H2.transpose() * Q);
  add("N22 q2'", "gyroscopic term H2^T M (rate of H2) times reduced velocity, Eq 15", reduced.list, one,
      HM * reduced.gamma);
  add("q2''", "reduced acceleration, Eq 15", reduced.list, one, reduced.accelerations);
  const Vector qddot = H2 * accelerations + gamma;
  add("q''", "acceleration H2 q2'' + H2' q2', Eq 14", q_, one, qddot);
  Vector left = Q - M * qddot;
  if (!parts_.reductions.loops().empty()) {
    const Vector closing = closing_multipliers(H2.transpose() * left);
    left -= closing_jacobian().transpose() * closing;
    add("lambda_c", "constraint vector of what closes the tree: J^T lambda_c = H2^T (Q - M q'')", reduced.rows, one,
        closing);
    add("lambda", "constraint vector of the tree H1^T (Q - M q'' - Phi_c^T lambda_c), Eq 19", constraints_, one,
        constraint_columns().transpose() * left);
  } else {
    add("lambda", "constraint vector H1^T (Q - M q''), Eq 19", constraints_, one,
        constraint_columns().transpose() * left);
  }
  if (form_ != Form::reduced) add_implicit(reduced);
}

/// J q̇2 = right, J [K1 Z] = [1 0]: what is left are the coordinates without a pivot.
ShownEquations::Reduced ShownEquations::add_loops(const Matrix& H2, const Vector& gamma, const Vector& q2dot) {
  const SecondReduction& loops = parts_.reductions.loops();
  const ClosingConstraints& closing = parts_.tree.placed().closing();
  const std::size_t rows = add_list(), left = add_list();
  for (std::size_t g = 0; g < loops.groups(); ++g) add_group(rows, std::string(closing.name(g)), loops.rows_of(g));
  const Matrix J = loop_rows();
  const std::span<const std::size_t> independent = loops.independent();
  Matrix Z = Matrix::Zero(J.cols(), index(independent.size()));
  Vector accelerations(Z.cols()), velocities(Z.cols());
  const std::span<const double> udot = parts_.accelerations.udot();
  for (std::size_t k = 0; k < independent.size(); ++k) {
    std::vector<double> unit(h2_.size());
    unit[independent[k]] = 1;
    loops.extend(unit.data());
    Z.col(index(k)) = Eigen::Map<const Vector>(unit.data(), J.cols());
    accelerations[index(k)] = udot[independent[k]];
    velocities[index(k)] = q2dot[index(independent[k])];
    std::size_t first = 0, g = 0;
    for (; first + group(q2_, g).count <= independent[k]; ++g) first += group(q2_, g).count;
    const Group of = group(q2_, g);
    add_group(left, fmt::format("{}[{}]", of.name, independent[k] - first), 1);
  }
  const Vector right = Eigen::Map<const Vector>(parts_.reductions.right(), J.rows());
  const Vector particular = Eigen::Map<const Vector>(udot.data(), J.cols()) - Z * accelerations;
  add("Phi_c", "Jacobian of what closes the tree", rows, q_, closing_jacobian());
  add("J", "Phi_c H2, of what closes the tree", rows, q2_, J);
  add("right", "J q2'' = right", rows, one, right);
  add("Z", "null space of J, second reduction", q2_, left, Z);
  add("x", "a solution of J x = right that is zero in the independent coordinates", q2_, one, particular);
  add("q3'", "reduced velocity of both reductions: q2' = Z q3' + x'", left, one, velocities);
  add("x'", "given velocity of what closes the tree, zero in the independent coordinates", q2_, one,
      q2dot - Z * velocities);
  Reduced reduced{H2 * Z, gamma + H2 * particular, accelerations, left, rows};
  add("H2 Z", "velocity transformation of both reductions: H2 of what follows", q_, left, reduced.H2);
  return reduced;
}

/// J of all groups.
ShownEquations::Matrix ShownEquations::loop_rows() const {
  const SecondReduction& loops = parts_.reductions.loops();
  Matrix J = Matrix::Zero(index(loops.rows()), index(h2_.size()));
  for (std::size_t g = 0; g < loops.groups(); ++g) {
    const std::span<const std::size_t> columns = loops.columns(g);
    for (std::size_t r = 0; r < loops.rows_of(g); ++r)
      for (std::size_t c = 0; c < columns.size(); ++c)
        J(index(loops.first_row(g) + r), index(columns[c])) += loops.row(g, r)[c];
  }
  return J;
}

/// Φ_c, a row at a time from the forces of a unit multiplier.
ShownEquations::Matrix ShownEquations::closing_jacobian() const {
  const std::size_t rows = parts_.reductions.loops().rows();
  Matrix Phi(index(rows), index(layout_.size));
  std::vector<double> unit(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    Forces force{BodyVectors(view_.bodies.size(), Vector6(Vector6::Zero())), std::vector<double>(h2_.size())};
    unit[r] = 1;
    parts_.reductions.rows().add_forces(unit.data(), force);
    unit[r] = 0;
    Phi.row(index(r)) = stacked_rates(force.bodies, force.further.data());
  }
  return Phi;
}

/// λ with Jᵀ λ = y, zero in rows that depend on others.
ShownEquations::Vector ShownEquations::closing_multipliers(const Vector& y) const {
  const SecondReduction& loops = parts_.reductions.loops();
  std::vector<Eigen::Index> kept;
  for (std::size_t g = 0; g < loops.groups(); ++g)
    for (std::size_t r = 0; r < loops.rows_of(g); ++r)
      if ((loops.left_out(g) >> r & 1) == 0) kept.push_back(index(loops.first_row(g) + r));
  const Matrix J = loop_rows();
  const Matrix independent = J(kept, Eigen::all).transpose();
  const Vector found = independent.colPivHouseholderQr().solve(y);
  Vector all = Vector::Zero(J.rows());
  for (std::size_t k = 0; k < kept.size(); ++k) all[kept[k]] = found[index(k)];
  return all;
}

/// Eqs 20 and 21 as they are printed.
void ShownEquations::add_implicit(const Reduced& reduced) {
  const Matrix M = mass();
  const Vector Q = forces();
  const Eigen::Index n = M.rows(), p = reduced.H2.cols();
  const bool second = form_ == Form::implicit_2;
  const std::size_t rows = add_list(), columns = add_list();
  const auto append = [&](std::size_t list, std::string_view name, std::size_t of) {
    for (std::size_t g = 0; g < groups(of); ++g) {
      const Group one_group = group(of, g);
      add_group(list, fmt::format("{} {}", name, one_group.name), one_group.count, std::string(one_group.components));
    }
  };
  append(columns, "q''", q_);
  if (second) append(columns, "Phi^T", q_);
  append(columns, "q2''", reduced.list);
  if (second) append(rows, "Eq 7", q_);
  if (!second) append(rows, "Eq 15", reduced.list);
  append(rows, "Eq 14", q_);
  if (second) append(rows, "H2^T", reduced.list);
  const Eigen::Index size = n + p + (second ? n : 0);
  Matrix left = Matrix::Zero(size, size);
  Vector right = Vector::Zero(size);
  if (second) {
    left.topLeftCorner(n, n) = M;
    left.block(0, n, n, n).setIdentity();
    left.block(n, 0, n, n).setIdentity();
    left.block(n, 2 * n, n, p) = -reduced.H2;
    left.block(2 * n, n, p, n) = reduced.H2.transpose();
    right.head(n) = Q;
    right.segment(n, n) = reduced.gamma;
  } else {
    left.topLeftCorner(p, n) = reduced.H2.transpose() * M;
    left.block(p, 0, n, n).setIdentity();
    left.bottomRightCorner(n, p) = -reduced.H2;
    right.head(p) = reduced.H2.transpose() * Q;
    right.tail(n) = reduced.gamma;
  }
  add("E", second ? "left side of Eq 21, and H2^T times the constraint force" : "left side of Eq 20", rows, columns,
      left);
  add("r", second ? "right side of Eq 21" : "right side of Eq 20", rows, one, right);
}

ShownEquations::Vector ShownEquations::stacked_rates(const BodyVectors& rates, const double* u) const {
  Vector all = Vector::Zero(index(layout_.size));
  for (std::size_t i = 0; i < rates.size(); ++i) {
    all.segment<6>(index(layout_.bodies[i])) = rates[i];
    if (!h2_.has_modes()) continue;
    const H2::Modes& modes = h2_.modes(i);
    for (std::size_t k = 0; k < modes.count; ++k) all[index(layout_.modes[i] + k)] = u[modes.first + k];
  }
  for (std::size_t k = h2_.first_variable(); k < h2_.size(); ++k)
    all[index(layout_.variables + k - h2_.first_variable())] = u[k];
  return all;
}

ShownEquations::Matrix ShownEquations::transformation() const {
  Matrix H(index(layout_.size), index(h2_.size()));
  BodyVectors column(view_.bodies.size());
  for (std::size_t k = 0; k < h2_.size(); ++k) {
    std::vector<double> unit(h2_.size());
    unit[k] = 1;
    h2_.to_bodies(unit.data(), false, column);
    H.col(index(k)) = stacked_rates(column, unit.data());
  }
  return H;
}

/// Per body the inverse of [N P], one above the other: uᵀ first, then Φ_i of the body itself.
ShownEquations::Matrix ShownEquations::own_bases() const {
  Matrix all(6 * index(view_.bodies.size()), 6);
  for (std::size_t i = 0; i < view_.bodies.size(); ++i)
    all.middleRows<6>(6 * index(i)) = h2_.bodies()[i].basis.inverse();
  return all;
}

/// Φ_i of q̇_i − T q̇_k less what modes do, which N leaves free.
ShownEquations::Matrix ShownEquations::jacobian() const {
  const Matrix bases = own_bases();
  Matrix Phi = Matrix::Zero(index(length(constraints_)), index(layout_.size));
  Eigen::Index row = 0;
  for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
    const H2::Body& body = h2_.bodies()[i];
    const Eigen::Index rows = 6 - index(body.freedoms);
    const Matrix C = bases.middleRows(6 * index(i) + index(body.freedoms), rows);
    Phi.block(row, index(layout_.bodies[i]), rows, 6) += C;
    const auto take = [&](std::span<const Vector6> columns, std::size_t of) {
      for (std::size_t k = 0; k < columns.size(); ++k)
        Phi.block(row, index(layout_.modes[of] + k), rows, 1) -= C * columns[k];
    };
    if (h2_.has_modes()) take(h2_.own_columns(i), i);
    if (body.inboard != H2::none) {
      Phi.block(row, index(layout_.bodies[body.inboard]), rows, 6) -= C * body.T;
      if (h2_.has_modes()) take(h2_.inboard_columns(i), body.inboard);
    }
    row += rows;
  }
  return Phi;
}

/// H1: what the other bodies do when one constraint of one joint is moved.
ShownEquations::Matrix ShownEquations::constraint_columns() const {
  Matrix H1 = Matrix::Zero(index(layout_.size), index(length(constraints_)));
  Eigen::Index column = 0;
  BodyVectors rates(view_.bodies.size());
  for (std::size_t j = 0; j < view_.bodies.size(); ++j)
    for (std::size_t k = h2_.bodies()[j].freedoms; k < 6; ++k, ++column)
      for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
        const H2::Body& body = h2_.bodies()[i];
        rates[i] = i == j ? Vector6(body.basis.col(static_cast<int>(k))) : Vector6(Vector6::Zero());
        if (body.inboard != H2::none) rates[i] += body.T * rates[body.inboard];
        H1.block<6, 1>(index(layout_.bodies[i]), column) = rates[i];
      }
  return H1;
}

ShownEquations::Matrix ShownEquations::mass() const {
  const GeneralizedMass& mass = parts_.reductions.mass();
  Matrix M = Matrix::Zero(index(layout_.size), index(layout_.size));
  for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
    const Eigen::Index b = index(layout_.bodies[i]), m = index(layout_.modes[i]);
    M.block<6, 6>(b, b) = mass.of_body(i);
    if (view_.bodies[i].flexible == rigid) continue;
    const std::span<const Vector6> coupling = mass.coupling(i);
    const std::span<const double> own = mass.of_modes(i);
    for (std::size_t k = 0; k < coupling.size(); ++k) {
      M.block<6, 1>(b, m + index(k)) = coupling[k];
      M.block<1, 6>(m + index(k), b) = coupling[k].transpose();
      for (std::size_t l = 0; l < coupling.size(); ++l) M(m + index(k), m + index(l)) = own[k * coupling.size() + l];
    }
  }
  for (const GeneralizedMass::OfModule& module : mass.modules()) {
    const Eigen::Index first = index(layout_.variables + module.first - h2_.first_variable());
    for (std::size_t r = 0; r < module.count; ++r)
      for (std::size_t c = 0; c < module.count; ++c)
        M(first + index(r), first + index(c)) = module.M[r * module.count + c];
  }
  return M;
}

ShownEquations::Vector ShownEquations::forces() const {
  const Forces& Q = parts_.forces.Q();
  return stacked_rates(Q.bodies, Q.further.data());
}

ShownEquations::Vector ShownEquations::velocities() const {
  const PlacedTree& tree = parts_.tree.placed();
  std::vector<double> further(h2_.size());
  std::ranges::copy(tree.etadot(), further.begin() + static_cast<std::ptrdiff_t>(h2_.joint_coordinates()));
  const JointState::Parts parts = parts_.tree.parts();
  std::size_t k = h2_.first_variable();
  for (const ModuleSet::Module& module : tree.closing().modules().modules())
    for (std::size_t v = 0; v < module.variables; ++v) further[k++] = parts.x[module.u + v];
  return stacked_velocities(tree.kinematics(), further.data());
}

/// q̇ where all joints and modes stand still but for what functions of time give.
ShownEquations::Vector ShownEquations::given_velocities() const {
  const PlacedTree& tree = parts_.tree.placed();
  const std::vector<double> resting(std::max({view_.nv, view_.modes, h2_.size()}));
  TreeKinematics given(view_);
  given.evaluate(tree.q().data(), resting.data(), tree.eta().data(), resting.data());
  return stacked_velocities(given, resting.data());
}

ShownEquations::Vector ShownEquations::stacked_velocities(const TreeKinematics& tree, const double* u) const {
  BodyVectors rates(view_.bodies.size());
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const BodyMotion& m = tree.bodies()[i];
    rates[i] = stacked(m.V.linear + cross(m.V.angular, h2_.center(i)), transpose_times(m.R, m.V.angular));
  }
  return stacked_rates(rates, u);
}

}  // namespace polyform::thompson
