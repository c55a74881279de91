#include "framework/workbench/linearization/minimal_coordinates.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <new>

#include "framework/dense_equations.hpp"
#include "framework/host/assembly/row_factors.hpp"
#include "framework/workbench/linearization/module_states.hpp"
#include "polyform/contract/flexible_validity.hpp"
#include "polyform/mechanics/flexible_set.hpp"
#include "polyform/mechanics/judgement.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::host::inline linearization {
namespace {

using Eigen::Index;

constexpr std::size_t no_position = static_cast<std::size_t>(-1);

/// The unit of what changes with a velocity of this unit.
std::string_view unit_of_change(std::string_view rate) {
  return rate.ends_with("/s") ? rate.substr(0, rate.size() - 2) : rate;
}

/// Of a joint that is code, by velocity: the position that has it as its rate; no_position for the turning of a
/// quaternion. Where the type lists positions and velocities in different orders, those with the same unit go together.
std::vector<std::size_t> positions_of_velocities(const JointData& joint) {
  std::vector<std::size_t> out;
  const auto positions = joint.type->descriptor().positions.first(own_positions(joint));
  const auto velocities = joint.type->descriptor().velocities;
  const auto fits = [&](std::size_t q, std::size_t v) {
    const bool turns = positions[q].kind == Variable::Kind::quaternion;
    return unit_of_change(velocities[v].unit) == (turns ? "rad" : positions[q].unit);
  };
  bool in_order = true;
  for (std::size_t q = 0; q < positions.size(); ++q) {
    const bool quaternion = positions[q].kind == Variable::Kind::quaternion;
    for (std::size_t k = 0, count = quaternion ? 3 : 1; k < count; ++k) {
      in_order = in_order && out.size() < joint.nv && fits(q, out.size());
      out.push_back(quaternion ? no_position : q);
    }
    if (quaternion) q += 3;
  }
  if (in_order && out.size() == joint.nv) return out;
  out.assign(joint.nv, no_position);
  for (std::size_t v = 0; v < joint.nv; ++v)
    for (std::size_t q = 0; q < positions.size() && out[v] == no_position; ++q)
      if (positions[q].kind != Variable::Kind::quaternion && fits(q, v) && std::ranges::find(out, q) == out.end())
        out[v] = q;
  return out;
}

/// What a coordinate in a unit of its own has to change by to turn by 1 rad or move by `length`, where the joint is in
/// its neutral position.
double large_amount(const JointData& joint, std::size_t v, double length) {
  std::vector<double> q(joint.nq), rates(joint.nv);
  joint_neutral(joint, q.data());
  JointMotion motion;
  joint_motion(joint, q.data(), rates.data(), motion);
  const double moves = std::max(norm(motion.H[v].angular), norm(motion.H[v].linear) / length);
  return moves > 0 ? 1 / moves : 1;
}

void name_joint(const JointData& joint, double length, std::vector<Coordinate>& out) {
  std::size_t q = 0, v = 0;
  const auto indexed = [&](std::string_view what, std::size_t k, std::size_t count) {
    return count == 1 ? fmt::format("{}.{}", joint.name, what) : fmt::format("{}.{}[{}]", joint.name, what, k);
  };
  for (const Primitive& p : joint.primitives) {
    const bool ball = p.kind == Primitive::Kind::ball, translation = p.kind == Primitive::Kind::translation;
    for (std::size_t k = 0; k < velocity_count(p.kind); ++k)
      out.push_back({ball ? fmt::format("{}.turn[{}]", joint.name, k) : indexed("q", q + k, joint.nq),
                     indexed("v", v + k, joint.nv), translation ? "m" : "rad", translation ? "m/s" : "rad/s",
                     translation ? length : 1});
    q += position_count(p.kind);
    v += velocity_count(p.kind);
  }
  if (joint.type == nullptr) return;
  const TypeDescriptor& told = joint.type->descriptor();
  const std::vector<std::size_t> alone = positions_of_velocities(joint);
  for (; v < joint.nv; ++v) {
    const bool turns = alone[v] == no_position;
    const std::string_view unit = unit_of_change(told.velocities[v].unit);
    out.push_back({turns ? indexed("turn", v, joint.nv) : indexed("q", alone[v], own_positions(joint)),
                   indexed("v", v, joint.nv), unit, told.velocities[v].unit,
                   unit == "m"     ? length
                   : unit == "rad" ? 1
                                   : large_amount(joint, v, length)});
  }
}

/// What a type tells of its modes: the largest turn or strain that a unit of each makes.
void add_deformations(const FlexibleData& f, std::vector<double>& size) {
  FlexibleBatch* batch = f.type->create({f.instance, 1});
  if (batch == nullptr) throw std::bad_alloc();
  if (const auto* validity = ask<ModeValidity>(*batch)) {
    std::vector<double> eta(f.modes);
    for (std::size_t k = 0; k < f.modes; ++k) {
      eta[k] = 1;
      size[f.mode_offset + k] = std::max(size[f.mode_offset + k], validity->deformation(0, eta));
      eta[k] = 0;
    }
  }
  batch->destroy();
}

/// An amount of each mode that moves or turns much of its body: by its nodes, by what its type tells and by its modal
/// mass, which is that of the mean square of its displacement. Nodes that hardly move, as clamped ones, tell nothing.
std::vector<double> mode_scales(const SystemView& view, double length) {
  std::vector<double> size(view.modes);
  if (view.modes == 0) return size;
  for (const FlexibleNode& node : view.nodes) {
    const FlexibleData& f = view.flexible_of(node);
    for (std::size_t k = 0; k < 3 * f.modes; ++k) {
      double& s = size[f.mode_offset + k % f.modes];
      s = std::max({s, std::abs(node.displacement[k]) / length, std::abs(node.rotation[k])});
    }
  }
  FlexibleSet flexible(view);
  if (!flexible.good()) throw std::bad_alloc();
  flexible.evaluate(std::vector<BodyMotion>(view.bodies.size()), std::vector<double>(view.modes).data(),
                    std::vector<double>(view.modes).data());
  for (std::size_t i = 0; i < view.flexible.size(); ++i) {
    const FlexibleData& f = view.flexible[i];
    const std::size_t n = flexible.size(i);
    const std::span<const double> mass = flexible.mass(i);
    const double body = mass[3 * n + 3];
    for (std::size_t k = 0; body > 0 && k < f.modes; ++k) {
      double& s = size[f.mode_offset + k];
      s = std::max(s, std::sqrt(mass[(6 + k) * (n + 1)] / body) / length);
    }
    add_deformations(f, size);
  }
  for (double& s : size) s = s > 0 ? 0.1 / s : 1;
  return size;
}

/// How many rows do not depend on others, by the rule of `check`.
std::size_t rank_of(const ConstraintJacobian& constraints) {
  const RowScales scales(constraints, constraints.columns());
  RowFactors factors(constraints, scales, std::vector<char>(constraints.columns()));
  factors.factorize(std::max(least_independent, 16 * constraints.place_rounding()));
  return factors.rank();
}

/// Complete pivoting over the rows that are allowed, whose size is 1, after the pivots that are given, up to `rank` of
/// them. Which coefficient is the largest goes by `preference` for its column; what is left of rows by rounding does
/// not count.
Elimination eliminate(Eigen::MatrixXd J, const std::vector<double>& preference, const std::vector<char>& allowed,
                      const Elimination& given, std::size_t rank) {
  Elimination out = given;
  std::vector<char> row_used(allowed.size()), column_used(static_cast<std::size_t>(J.cols()));
  const auto take = [&](Index r, Index c) {
    row_used[static_cast<std::size_t>(r)] = column_used[static_cast<std::size_t>(c)] = true;
    for (Index i = 0; i < J.rows(); ++i)
      if (!row_used[static_cast<std::size_t>(i)] && J(i, c) != 0) J.row(i) -= J(i, c) / J(r, c) * J.row(r);
  };
  for (std::size_t k = 0; k < given.rows.size(); ++k)
    take(static_cast<Index>(given.rows[k]), static_cast<Index>(given.dependent[k]));
  while (out.rows.size() < rank) {
    double largest = 0;
    Index row = -1, column = -1;
    for (Index c = 0; c < J.cols(); ++c)
      for (Index r = 0; r < J.rows() && !column_used[static_cast<std::size_t>(c)]; ++r)
        if (const double size = std::abs(J(r, c)), preferred = size * preference[static_cast<std::size_t>(c)];
            allowed[static_cast<std::size_t>(r)] && !row_used[static_cast<std::size_t>(r)] && size > rounding_of_rows &&
            preferred > largest) {
          largest = preferred;
          row = r;
          column = c;
        }
    if (row < 0) break;
    take(row, column);
    out.rows.push_back(static_cast<std::size_t>(row));
    out.dependent.push_back(static_cast<std::size_t>(column));
  }
  out.independent.clear();
  for (std::size_t c = 0; c < column_used.size(); ++c)
    if (!column_used[c]) out.independent.push_back(c);
  return out;
}

/// Rows by large amounts of the coordinates, each of size 1.
Eigen::MatrixXd scaled_rows(const ConstraintJacobian& constraints, const std::vector<Coordinate>& coordinates) {
  Eigen::MatrixXd J =
      Eigen::MatrixXd::Zero(static_cast<Index>(constraints.rows().size()), static_cast<Index>(coordinates.size()));
  for (const ConstraintJacobian::Entry& e : constraints.entries())
    J(static_cast<Index>(e.row), static_cast<Index>(e.column)) += e.value * coordinates[e.column].scale;
  for (Index r = 0; r < J.rows(); ++r)
    if (const double size = J.row(r).lpNorm<Eigen::Infinity>(); size > 0) J.row(r) /= size;
  return J;
}

/// Which rows bound positions: found by a small move along each.
std::vector<char> position_rows(const SystemView& view, double t, const CanonicalState& state,
                                ConstraintJacobian& constraints, const Eigen::MatrixXd& scaled,
                                const std::vector<Coordinate>& coordinates) {
  constexpr double move = 1e-5;
  const std::size_t rows = constraints.rows().size();
  std::vector<char> bounds(rows);
  std::vector<std::size_t> unsure;
  for (std::size_t r = 0; r < rows; ++r) {
    bounds[r] = constraints.rows()[r].holonomic;
    if (bounds[r] && constraints.rows()[r].of_element) unsure.push_back(r);
  }
  CanonicalState moved = state;
  std::vector<double> delta(coordinates.size());
  for (const std::size_t r : unsure) {
    const Eigen::VectorXd along = scaled.row(static_cast<Index>(r));
    double change = 0;
    for (const double sign : {1.0, -1.0}) {
      for (std::size_t c = 0; c < delta.size(); ++c)
        delta[c] = sign * move * coordinates[c].scale * along[static_cast<Index>(c)];
      displace(view, state, delta, moved);
      constraints.evaluate(t, moved.view());
      change += sign * constraints.rows()[r].residual / (2 * move);
    }
    moved = state;
    constraints.evaluate(t, moved.view());
    double expected = 0;
    for (const ConstraintJacobian::Entry& e : constraints.entries())
      if (e.row == r) expected += e.value * coordinates[e.column].scale * along[static_cast<Index>(e.column)];
    // A row is the rate of its residual, or has none: differences tell the one from the other.
    constexpr double is_its_rate = 1e-3;
    bounds[r] = std::abs(change - expected) < is_its_rate * std::abs(expected);
  }
  return bounds;
}

}  // namespace

double length_scale(const SystemView& view) {
  double length = 0;
  for (const JointData& joint : view.joints)
    length = std::max({length, is_ground(joint.base) ? 0 : norm(joint.p_base), norm(joint.p_moving)});
  for (const BodyData& body : view.bodies) length = std::max(length, norm(body.center_of_mass));
  for (const FlexibleNode& node : view.nodes) length = std::max(length, norm(node.point));
  return length > 0 ? length : 1;
}

std::vector<Coordinate> coordinates_of(const SystemView& view) {
  const double length = length_scale(view);
  std::vector<Coordinate> out;
  for (const JointData& joint : view.tree_joints()) name_joint(joint, length, out);
  const std::vector<double> scales = mode_scales(view, length);
  for (const FlexibleData& f : view.flexible)
    for (std::size_t k = 0; k < f.modes; ++k)
      out.push_back({fmt::format("{}.eta[{}]", view.bodies[at(f.body)].name, k),
                     fmt::format("{}.etadot[{}]", view.bodies[at(f.body)].name, k), "1", "1/s",
                     scales[f.mode_offset + k]});
  return out;
}

std::vector<double> position_values(const SystemView& view, const CanonicalState& state) {
  std::vector<double> out(view.nv_tree);
  for (const JointData& joint : view.tree_joints()) {
    if (joint.type != nullptr) {
      const std::vector<std::size_t> alone = positions_of_velocities(joint);
      for (std::size_t k = 0; k < joint.nv; ++k)
        if (alone[k] != no_position) out[joint.v_offset + k] = state.q[joint.q_offset + alone[k]];
    }
    std::size_t q = joint.q_offset, v = joint.v_offset;
    for (const Primitive& p : joint.primitives) {
      const bool turns = p.kind == Primitive::Kind::ball;
      if (!turns) out[v] = state.q[q];
      q += turns ? 4 : 1;
      v += turns ? 3 : 1;
    }
  }
  out.insert(out.end(), state.eta.begin(), state.eta.end());
  return out;
}

void displace(const SystemView& view, const CanonicalState& from, std::span<const double> delta, CanonicalState& out) {
  for (const JointData& joint : view.tree_joints()) {
    double rates[most_joint_positions];
    const double* q0 = from.q.data() + joint.q_offset;
    joint_position_step(joint, q0, delta.data() + joint.v_offset, rates);
    for (std::size_t k = 0; k < joint.nq; ++k) out.q[joint.q_offset + k] = q0[k] + rates[k];
    joint_normalize(joint, out.q.data() + joint.q_offset);
  }
  for (std::size_t k = 0; k < view.modes; ++k) out.eta[k] = from.eta[k] + delta[view.nv_tree + k];
}

MinimalCoordinates choose_coordinates(const SystemView& view, double t, const CanonicalState& state,
                                      const std::vector<char>& wanted) {
  const std::vector<Coordinate> coordinates = coordinates_of(view);
  ConstraintJacobian constraints(view, ConstraintJacobian::Of::all);
  if (!constraints.good()) throw std::bad_alloc();
  CanonicalState here = state;
  set_clocks(view, t, here.q);
  constraints.evaluate(t, here.view());
  const std::size_t n = coordinates.size(), rows = constraints.rows().size();
  Eigen::MatrixXd J = scaled_rows(constraints, coordinates);
  const std::vector<char> bounds = position_rows(view, t, state, constraints, J, coordinates), all(rows, true);
  // Larger coefficients are eliminated first: a preference between coefficients that are nearly equal. No lever makes
  // the weight of another coordinate as small as that of one that the user wants to keep.
  constexpr double slight_preference = 1e-3, kept_to_the_last = 1e-4;
  std::vector<double> preference(n, 1);
  for (const JointData& joint : view.tree_joints())
    for (std::size_t k = joint.v_offset; k < joint.v_offset + joint.nv; ++k) {
      const double depth = 1 + slight_preference * static_cast<double>(k) / static_cast<double>(n);
      preference[k] = joint.added ? 4 * depth : depth;
    }
  for (std::size_t c = 0; c < wanted.size(); ++c)
    if (wanted[c]) preference[c] *= kept_to_the_last;
  MinimalCoordinates choice;
  const std::size_t rank = rows > 0 ? rank_of(constraints) : 0;
  choice.position = eliminate(J, preference, bounds, {}, rank);
  choice.velocity = eliminate(std::move(J), preference, all, choice.position, rank);
  choice.state = ModuleStates(view).choose(t, constraints.tree().frames(), here);
  return choice;
}

double largest_lever(const SystemView& view, double t, const CanonicalState& state, const MinimalCoordinates& choice) {
  const Elimination& of = choice.velocity;
  if (of.rows.empty()) return 0;
  ConstraintJacobian constraints(view, ConstraintJacobian::Of::all);
  if (!constraints.good()) throw std::bad_alloc();
  CanonicalState here = state;
  set_clocks(view, t, here.q);
  constraints.evaluate(t, here.view());
  const Eigen::MatrixXd J = scaled_rows(constraints, coordinates_of(view));
  const Eigen::MatrixXd levers = solve_regular(J(of.rows, of.dependent), J(of.rows, of.independent));
  return levers.allFinite() ? levers.cwiseAbs().maxCoeff() : std::numeric_limits<double>::infinity();
}

}  // namespace polyform::host::linearization
