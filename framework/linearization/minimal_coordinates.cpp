#include "framework/linearization/minimal_coordinates.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace polyform::host {
namespace {

using Eigen::Index;

/// Pivots below this size, relative to rows of size 1, are round-off.
constexpr double rank_tolerance = 1e-9;

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
  for (; v < joint.nv; ++v)  // a code-defined joint does not say its units
    out.push_back({indexed(joint.nq == joint.nv ? "q" : "turn", v, joint.nv), indexed("v", v, joint.nv), "", "1/s", 1});
}

/// An amount of each mode that moves or turns its nodes by much.
std::vector<double> mode_scales(const SystemView& view, double length) {
  std::vector<double> size(view.modes);
  for (const FlexibleNode& node : view.nodes) {
    const FlexibleData& f = view.flexible_of(node);
    for (std::size_t k = 0; k < 3 * f.modes; ++k) {
      double& s = size[f.mode_offset + k % f.modes];
      s = std::max({s, std::abs(node.displacement[k]) / length, std::abs(node.rotation[k])});
    }
  }
  for (double& s : size) s = s > 0 ? 0.1 / s : 1;
  return size;
}

/// Complete pivoting over the rows that are allowed, after the pivots that are given.
Elimination eliminate(Eigen::MatrixXd J, const std::vector<char>& allowed, const Elimination& given) {
  Elimination out = given;
  std::vector<char> row_used(allowed.size()), column_used(static_cast<std::size_t>(J.cols()));
  const auto take = [&](Index r, Index c) {
    row_used[static_cast<std::size_t>(r)] = column_used[static_cast<std::size_t>(c)] = true;
    for (Index i = 0; i < J.rows(); ++i)
      if (!row_used[static_cast<std::size_t>(i)] && J(i, c) != 0) J.row(i) -= J(i, c) / J(r, c) * J.row(r);
  };
  for (std::size_t k = 0; k < given.rows.size(); ++k)
    take(static_cast<Index>(given.rows[k]), static_cast<Index>(given.dependent[k]));
  for (;;) {
    double largest = rank_tolerance;
    Index row = -1, column = -1;
    for (Index c = 0; c < J.cols(); ++c)
      for (Index r = 0; r < J.rows() && !column_used[static_cast<std::size_t>(c)]; ++r)
        if (allowed[static_cast<std::size_t>(r)] && !row_used[static_cast<std::size_t>(r)] &&
            std::abs(J(r, c)) > largest) {
          largest = std::abs(J(r, c));
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

MinimalCoordinates choose_coordinates(const SystemView& view, const ConstraintJacobian& constraints) {
  const std::vector<Coordinate> coordinates = coordinates_of(view);
  const std::size_t n = coordinates.size(), rows = constraints.rows().size();
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(static_cast<Index>(rows), static_cast<Index>(n));
  for (const ConstraintJacobian::Entry& e : constraints.entries())
    J(static_cast<Index>(e.row), static_cast<Index>(e.column)) += e.value * coordinates[e.column].scale;
  for (Index r = 0; r < J.rows(); ++r)
    if (const double size = J.row(r).cwiseAbs().maxCoeff(); size > 0) J.row(r) /= size;
  // Larger coefficients are eliminated first: a preference between those that are nearly equal.
  for (const JointData& joint : view.tree_joints())
    for (std::size_t k = joint.v_offset; k < joint.v_offset + joint.nv; ++k) {
      const double depth = 1 + 1e-3 * static_cast<double>(k) / static_cast<double>(n);
      J.col(static_cast<Index>(k)) *= joint.added ? 4 * depth : depth;
    }
  std::vector<char> holonomic(rows), all(rows, true);
  for (std::size_t r = 0; r < rows; ++r) holonomic[r] = constraints.rows()[r].holonomic;
  MinimalCoordinates choice;
  choice.position = eliminate(J, holonomic, {});
  choice.velocity = eliminate(std::move(J), all, choice.position);
  return choice;
}

}  // namespace polyform::host
