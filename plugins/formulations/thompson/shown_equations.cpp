#include "shown_equations.hpp"

#include <fmt/format.h>

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

}  // namespace

ShownEquations::ShownEquations(const SystemView& view, Form form, Parts parts)
    : view_(view), form_(form), parts_(std::move(parts)), h2_(parts_.reductions.tree()), stacked_(view, parts_) {}

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
  const Matrix M = stacked_.mass(), H2 = stacked_.transformation();
  const Vector Q = stacked_.forces(), qdot = stacked_.velocities();
  BodyVectors rates(view_.bodies.size());
  const std::vector<double> zero(h2_.size());
  h2_.to_bodies(zero.data(), true, rates);
  const Vector gamma = stacked_.stacked_rates(rates, zero.data());
  const Eigen::Map<const Vector> accelerations(parts_.accelerations.udot().data(), index(h2_.size()));

  add("M", "generalized mass, Eq 7", q_, q_, M);
  add("Q", "generalized force, with gyroscopic torques, Eq 7", q_, one, Q);
  add("q'", "generalized velocity: of mass centres in ground axes, angular in body axes", q_, one, qdot);
  const Vector given = stacked_.given_velocities();
  if (!RheonomicJoints(view_).empty())
    add("h", "given velocity, by functions of time: q' = H2 q2' + h", q_, one, given);
  add("Phi_q", "Jacobian of the joints of the tree, Eq 6", constraints_, q_, stacked_.jacobian());
  add("H1", "right inverse of Phi_q, Eq 9", q_, constraints_, stacked_.constraint_columns());
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
    const Vector closing = stacked_.closing_multipliers(H2.transpose() * left);
    left -= stacked_.closing_jacobian().transpose() * closing;
    add("lambda_c", "constraint vector of what closes the tree: J^T lambda_c = H2^T (Q - M q'')", reduced.rows, one,
        closing);
    add("lambda", "constraint vector of the tree H1^T (Q - M q'' - Phi_c^T lambda_c), Eq 19", constraints_, one,
        stacked_.constraint_columns().transpose() * left);
  } else {
    add("lambda", "constraint vector H1^T (Q - M q''), Eq 19", constraints_, one,
        stacked_.constraint_columns().transpose() * left);
  }
  if (form_ != Form::reduced) add_implicit(reduced);
}

/// J q̇2 = right, J [K1 Z] = [1 0]: what is left are the coordinates without a pivot.
ShownEquations::Reduced ShownEquations::add_loops(const Matrix& H2, const Vector& gamma, const Vector& q2dot) {
  const SecondReduction& loops = parts_.reductions.loops();
  const ClosingConstraints& closing = parts_.tree.placed().closing();
  const std::size_t rows = add_list(), left = add_list();
  for (std::size_t g = 0; g < loops.groups(); ++g) add_group(rows, std::string(closing.name(g)), loops.rows_of(g));
  const Matrix J = stacked_.loop_rows();
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
  add("Phi_c", "Jacobian of what closes the tree", rows, q_, stacked_.closing_jacobian());
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

/// Eqs 20 and 21 as they are printed.
void ShownEquations::add_implicit(const Reduced& reduced) {
  const Matrix M = stacked_.mass();
  const Vector Q = stacked_.forces();
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

}  // namespace polyform::thompson
