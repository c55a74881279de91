#include "framework/host/assembly/cut_choice.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>

#include "framework/dense_equations.hpp"
#include "polyform/solvers/light_bodies.hpp"
#include "polyform/solvers/recursion_cost.hpp"

namespace polyform::host::inline assembly {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

bool is_weld(const JointData& joint) { return joint.nv == 0; }

/// For twists [ω; v] at the ground origin, ground axes.
using Inertia6 = Eigen::Matrix<double, 6, 6>;
Eigen::Matrix3d skew(const Eigen::Vector3d& a) {
  Eigen::Matrix3d m;
  m << 0, -a.z(), a.y(), a.z(), 0, -a.x(), -a.y(), a.x(), 0;
  return m;
}
Eigen::Vector3d vector(const Vec3& a) { return {a.x, a.y, a.z}; }

/// Inertia of a body about the ground origin as drawn; of a flexible one its rigid part, as its modes are not known
/// yet.
Inertia6 inertia_of(const BodyItem& body) {
  const Mat3 turn = rotation_matrix(body.pose.orientation);
  const Eigen::Vector3d c = vector(body.pose.position + turn * body.center_of_mass);
  const Sym3& j = body.inertia;
  Eigen::Matrix3d R, J;
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column) R(row, column) = turn.m[3 * row + column];
  J << j.xx, j.xy, j.xz, j.xy, j.yy, j.yz, j.xz, j.yz, j.zz;
  Inertia6 all;
  const Eigen::Matrix3d moment = body.mass * skew(c);
  all << R * J * R.transpose() - moment * skew(c), moment, -moment, body.mass * Eigen::Matrix3d::Identity();
  return all;
}

/// Whether joints close a loop, through the ground or not.
bool have_loop(const Description& d, std::size_t joints) {
  boost::disjoint_sets_with_storage<> joined(d.bodies.size() + 1);  // the last is ground
  const auto set_of = [&](BodyIndex b) { return joined.find_set(is_ground(b) ? d.bodies.size() : at(b)); };
  for (std::size_t j = 0; j < joints; ++j) {
    const std::size_t base = set_of(d.joints[j].base), moving = set_of(d.joints[j].moving);
    if (base == moving) return true;
    joined.link(base, moving);
  }
  return false;
}

/// Bodies that welds hold together move as one. Clusters are numbered from 0.
std::vector<std::size_t> weld_clusters(const Description& d, Strided<const JointData> joints) {
  boost::disjoint_sets_with_storage<> welded(d.bodies.size());
  for (std::size_t j = 0; j < joints.size(); ++j)
    if (is_weld(joints[j]) && !is_ground(d.joints[j].base) && !is_ground(d.joints[j].moving))
      welded.union_set(at(d.joints[j].base), at(d.joints[j].moving));
  std::vector<std::size_t> cluster(d.bodies.size());
  for (std::size_t b = 0; b < cluster.size(); ++b) cluster[b] = welded.find_set(b);
  return cluster;
}

/// Whether what a joint moves has no inertia against some motion of the joint, with all other joints held. at_origin:
/// inertia of what it moves about the ground origin; position: of the joint; base_turn: of its base body, as drawn.
bool moves_nothing(const JointData& joint, const Inertia6& at_origin, const Vec3& position, const Mat3& base_turn) {
  Eigen::Matrix<double, 6, Eigen::Dynamic> H(6, 0);
  const auto add = [&](const Vec3& angular, const Vec3& linear) {
    H.conservativeResize(6, H.cols() + 1);
    H.rightCols<1>() << vector(angular), vector(linear - cross(angular, position));
  };
  for (const Primitive& p : joint.primitives) {
    if (p.kind == Primitive::Kind::rotation) add(base_turn * p.axis, {});
    if (p.kind == Primitive::Kind::translation) add({}, base_turn * p.axis);
    if (p.kind == Primitive::Kind::ball)
      for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) add(axis, {});
  }
  // The directions of a code-defined joint are known in motion only: it may have any.
  if (joint.kernel != nullptr)
    for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}}) add(axis, {});
  if (H.cols() == 0) return false;
  const Eigen::MatrixXd D = H.transpose() * at_origin * H;
  if (!(at_origin(5, 5) > 0)) return true;
  // About a far origin large terms of an inertia cancel; what they leave is rounding.
  const Eigen::VectorXd terms = (H.cwiseAbs().transpose() * at_origin.cwiseAbs() * H.cwiseAbs()).diagonal();
  const Eigen::VectorXd unit = terms.cwiseMax(std::numeric_limits<double>::min()).cwiseSqrt().cwiseInverse();
  constexpr double rounding = 1e-13;
  return !(symmetric_eigenvalues(unit.asDiagonal() * D * unit.asDiagonal())[0] > rounding);
}

/// Clusters of bodies that have too little inertia to be moved by one of their joints alone.
std::vector<char> light_clusters(const Description& d, Strided<const JointData> joints,
                                 const std::vector<std::size_t>& cluster) {
  std::vector<Inertia6> inertia(d.bodies.size(), Inertia6::Zero());
  std::vector<char> light(d.bodies.size()), flexible(d.bodies.size());
  for (std::size_t b = 0; b < d.bodies.size(); ++b) {
    inertia[cluster[b]] += inertia_of(d.bodies[b]);
    if (d.bodies[b].flexible != nullptr) flexible[cluster[b]] = 1;
  }
  std::vector<double> mass(d.bodies.size(), 1);
  std::vector<std::vector<std::size_t>> constraints;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (is_weld(joints[j]) || joints[j].nv >= 6) continue;
    const JointItem& item = d.joints[j];
    const Pose base = is_ground(item.base) ? Pose{} : d.bodies[at(item.base)].pose;
    const Mat3 turn = rotation_matrix(base.orientation);
    std::vector<std::size_t>& constraint = constraints.emplace_back();
    for (const BodyIndex b : {item.base, item.moving}) {
      if (is_ground(b)) continue;
      const std::size_t c = cluster[at(b)];
      constraint.push_back(c);
      mass[c] = flexible[c] != 0 ? 0 : inertia[c](5, 5);
      if (flexible[c] == 0 && moves_nothing(joints[j], inertia[c], base.position + turn * joints[j].p_base, turn))
        light[c] = 1;
    }
  }
  // The mass of a flexible body is not known yet: it counts as not light.
  const double heaviest = *std::max_element(mass.begin(), mass.end());
  for (std::size_t c = 0; c < mass.size(); ++c)
    if (flexible[c] != 0) mass[c] = heaviest;
  const std::vector<bool> beside_heavy = light_bodies(mass, constraints);
  for (std::size_t c = 0; c < light.size(); ++c) light[c] = light[c] != 0 || beside_heavy[c] ? 1 : 0;
  return light;
}

/// The loops of a forest, in its own numbers.
EvaluationCost cost_of(const SpanningForest& forest, Strided<const JointData> joints,
                       std::span<const GraphEdge> edges) {
  std::vector<std::size_t> place(forest.order.size() + 1, LoopedTree::ground), parents, directions;
  for (std::size_t i = 0; i < forest.order.size(); ++i) place[forest.order[i] + 1] = i;
  for (std::size_t i = 0; i < forest.order.size(); ++i) {
    const std::size_t e = forest.carrier[i], vertex = forest.order[i] + 1;
    parents.push_back(e < edges.size() ? place[edges[e].base == vertex ? edges[e].moving : edges[e].base]
                                       : LoopedTree::ground);
    directions.push_back(e < edges.size() ? joints[e].nv : 6);
  }
  std::vector<LoopedTree::Cut> cuts;
  for (const std::size_t e : forest.cut_edges)
    cuts.push_back({place[edges[e].base], place[edges[e].moving], 6 - joints[e].nv});
  return recursion_cost({parents, directions, cuts});
}

}  // namespace

std::vector<Hold> holds_of(const Description& d, Strided<const JointData> joints) {
  std::vector<Hold> holds(joints.size(), Hold::none);
  if (!have_loop(d, joints.size())) return holds;
  const std::vector<std::size_t> cluster = weld_clusters(d, joints);
  const std::vector<char> light = light_clusters(d, joints, cluster);
  const auto is_light = [&](BodyIndex b) { return !is_ground(b) && light[cluster[at(b)]] != 0; };
  for (std::size_t j = 0; j < joints.size(); ++j)
    holds[j] = is_weld(joints[j])                                           ? Hold::weld
               : is_light(d.joints[j].base) || is_light(d.joints[j].moving) ? Hold::light_body
                                                                            : Hold::none;
  return holds;
}

SpanningForest choose_forest(const Description& d, Strided<const JointData> joints, std::vector<GraphEdge>& edges) {
  SpanningForest forest = span_forest(d.bodies.size(), edges);
  const auto is_held = [](const GraphEdge& e) { return e.hold == Hold::light_body; };
  if (forest.loops.empty() || std::ranges::none_of(edges, is_held)) return forest;
  const std::vector<std::size_t> cluster = weld_clusters(d, joints);
  std::vector<char> resists(d.bodies.size());  // some mass, if little
  for (std::size_t b = 0; b < d.bodies.size(); ++b)
    if (d.bodies[b].mass > 0 || d.bodies[b].flexible != nullptr) resists[cluster[b]] = 1;
  std::vector<GraphEdge> anywhere = edges;
  bool released = false;
  for (std::size_t j = 0; j < edges.size(); ++j) {
    const JointItem& joint = d.joints[j];
    const auto has_none = [&](BodyIndex b) { return !is_ground(b) && resists[cluster[at(b)]] == 0; };
    if (!is_held(edges[j]) || !(has_none(joint.base) || has_none(joint.moving))) continue;
    anywhere[j].hold = Hold::none;
    released = true;
  }
  if (!released) return forest;
  SpanningForest cheaper = span_forest(d.bodies.size(), anywhere);
  // Cut beside a body without mass its hinge costs some rows more; cuts elsewhere may make one long loop of many.
  constexpr double much = 4;
  if (!(cost_of(forest, joints, edges).operations > much * cost_of(cheaper, joints, anywhere).operations))
    return forest;
  edges = std::move(anywhere);
  return cheaper;
}

void warn_of_costly_cuts(const System::Parts& parts, Strided<const JointData> joints, std::span<const GraphEdge> edges,
                         Diagnostics& diagnostics) {
  const Description& d = parts.description;
  const auto asked = std::find_if(edges.begin(), edges.end(), [](const GraphEdge& e) { return e.cut; });
  if (asked == edges.end() || parts.forest.loops.empty()) return;
  std::vector<GraphEdge> free(edges.begin(), edges.end());
  for (GraphEdge& e : free) e.cut = false;
  const EvaluationCost cost = cost_of(parts.forest, joints, edges);
  const EvaluationCost least = cost_of(span_forest(d.bodies.size(), free), joints, free);
  // A cost of a few times the least is the user's choice; a higher one grows with another power of the size.
  constexpr double much = 4;
  if (!(cost.operations > much * least.operations)) return;
  // The first joint that asks to be cut and whose loop passes the joint with the most rows.
  std::size_t at_fault = static_cast<std::size_t>(asked - edges.begin());
  const std::size_t widest = parts.forest.carrier[cost.widest];
  for (const Loop& loop : parts.forest.loops) {
    if (!edges[loop.cut_edge].cut) continue;
    const auto passes = [&](const std::vector<std::size_t>& path) {
      return std::find(path.begin(), path.end(), widest) != path.end();
    };
    if (!passes(loop.base_path) && !passes(loop.moving_path)) continue;
    at_fault = loop.cut_edge;
    break;
  }
  parts.report(
      diagnostics, Severity::warning, d.joints[at_fault], {}, "cut",
      fmt::format("cut at joint `{}` and the others that ask for it, {} constraint rows pass the joint that moves "
                  "body `{}`: an evaluation takes about {:.2g} multiplications and {:.2g} MB, with cuts chosen by "
                  "polyform {:.2g} and {:.2g} MB",
                  d.joints[at_fault].name, cost.rows, d.bodies[parts.forest.order[cost.widest]].name, cost.operations,
                  cost.bytes / 1e6, least.operations, least.bytes / 1e6),
      "remove `cut: true` where it is not needed");
}

}  // namespace polyform::host::assembly
