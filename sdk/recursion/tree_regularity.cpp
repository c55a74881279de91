#include "polyform/solvers/tree_regularity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "polyform/mechanics/scale.hpp"
#include "polyform/solvers/loop_closure.hpp"
#include "polyform/solvers/postponed_hinges.hpp"
#include "polyform/solvers/recursion.hpp"
#include "polyform/solvers/singular_inertia.hpp"

namespace polyform {
namespace {

/// Only bodies without mass or inertia can make a tree singular, and only if something closes the tree.
bool may_be_singular(const SystemView& view) {
  if (view.cut_joints().empty() && view.constraints.empty() && view.modules.empty()) return false;
  return std::any_of(view.bodies.begin(), view.bodies.end(), is_singular);
}

/// Part of the mass of the whole, or of its mass by its size squared, below which inertia that a hinge alone moves is
/// lost in loops: they give way in that hinge by the inverse, and sixteen digits leave four for all else.
constexpr double lost_in_loops = 1e-12;

/// Bodies that cut joints close a loop through, each from the cut to where its two sides meet.
std::vector<char> bodies_on_loops(const SystemView& view) {
  std::vector<char> on_loop(view.bodies.size());
  for (const JointData& cut : view.cut_joints()) {
    BodyIndex a = cut.base, b = cut.moving;
    // Bodies stand behind those that carry them.
    const auto go_on = [&](BodyIndex& body) {
      on_loop[at(body)] = 1;
      body = view.joints[at(body)].inboard();
    };
    while (is_ground(a) != is_ground(b) || (!is_ground(a) && at(a) != at(b)))
      go_on(is_ground(b) || (!is_ground(a) && at(a) > at(b)) ? a : b);
  }
  return on_loop;
}

/// Bodies on loops whose hinges move inertia, but next to none: they would cost the loops their digits.
std::vector<std::size_t> light_hinges(const SystemView& view) {
  const std::vector<char> on_loop = bodies_on_loops(view);
  const double length = SystemScales(view).largest_reach();
  double whole = 0;
  std::vector<double> moved(view.bodies.size());  // mass, and inertia as mass at the length of the system
  for (const BodyData& body : view.bodies) whole += body.mass;
  std::vector<std::size_t> found;
  for (std::size_t b = view.bodies.size(); b-- > 0;) {
    const BodyData& body = view.bodies[b];
    const Sym3& J = body.inertia;
    moved[b] += body.flexible != rigid ? whole : body.mass + (J.xx + J.yy + J.zz) / (length * length);
    if (on_loop[b] != 0 && view.joints[b].nv > 0 && moved[b] > 0 && moved[b] < lost_in_loops * whole)
      found.push_back(b);
    if (const BodyIndex inboard = view.joints[b].inboard(); !is_ground(inboard)) moved[at(inboard)] += moved[b];
  }
  return found;
}

/// The first body whose joint moves nothing, as drawn; none where all do. postponed: bodies whose joints are.
std::optional<std::size_t> joint_without_inertia(const SystemView& view, std::span<const std::size_t> postponed) {
  FlexibleLinks flexible(view);
  LoopClosure loops(view, flexible, {}, postponed);
  loops.hold_ground_rows();
  Recursion recursion(view, loops);
  std::vector<double> q(view.nq), v(view.nv), step(view.nv_tree), modes(view.modes), modal_step(view.modes);
  for (const JointData& joint : view.joints) joint_neutral(joint, q.data() + joint.q_offset);
  recursion.kinematics(q.data(), v.data(), modes.data(), modes.data());
  std::vector<double> x(view.states);
  loops.constraints().elements().modules().initial_states(x);
  loops.constraints().evaluate(0, recursion.motions(v.data()), q, v, x);
  if (recursion.closing_step(LoopClosure::Level::velocity, step.data(), modal_step.data())) return std::nullopt;
  return recursion.failure().joint;
}

/// Bodies that have neither mass nor inertia, and nothing outboard of them either: no hinge there moves any.
std::vector<std::size_t> bodies_without_inertia(const SystemView& view) {
  std::vector<char> without(view.bodies.size(), 1);
  std::vector<std::size_t> found;
  for (std::size_t b = view.bodies.size(); b-- > 0;) {
    const BodyData& body = view.bodies[b];
    const Sym3& J = body.inertia;
    const double most = std::max(
        {body.mass, std::abs(J.xx), std::abs(J.yy), std::abs(J.zz), std::abs(J.xy), std::abs(J.xz), std::abs(J.yz)});
    if (most > 0 || body.flexible != rigid) without[b] = 0;
    if (without[b] != 0 && view.joints[b].nv > 0) found.push_back(b);
    if (const BodyIndex inboard = view.joints[b].inboard(); without[b] == 0 && !is_ground(inboard))
      without[at(inboard)] = 0;
  }
  return found;
}

/// What has to be postponed, and the body whose joint moves nothing even so.
struct Found {
  std::vector<std::size_t> postponed;
  std::optional<std::size_t> without_inertia;
};
Found find_postponed(const SystemView& view) {
  std::vector<std::size_t> light = light_hinges(view);
  Found found{light, {}};
  if (light.empty() && !may_be_singular(view)) return found;
  bool first = true;
  while ((found.without_inertia = joint_without_inertia(view, found.postponed))) {
    // Where the loops resist less than the hinge's own inertia, that serves.
    if (const auto own = std::ranges::find(light, *found.without_inertia); own != light.end()) {
      std::erase(found.postponed, *own);
      light.erase(own);
      continue;
    }
    // One trial tells of one hinge: what is certain without a trial is added to the first.
    if (first)
      for (const std::size_t b : bodies_without_inertia(view))
        if (std::ranges::find(found.postponed, b) == found.postponed.end()) found.postponed.push_back(b);
    const auto known = std::ranges::find(found.postponed, *found.without_inertia);
    if (known == found.postponed.end())
      found.postponed.push_back(*found.without_inertia);
    else if (!first)
      break;
    first = false;
  }
  return found;
}

/// Returns false where the tree is singular; `why` then names the joint and the body, and `remedy` what helps.
bool tree_is_regular(const SystemView& view, std::string_view formulation, std::string& why, std::string& remedy) {
  const std::optional<std::size_t> failed = find_postponed(view).without_inertia;
  if (!failed) return true;
  why = fmt::format(
      "{}: joint `{}` moves body `{}` without any inertia against it, and no loop, constraint or module gives it some "
      "as the model is drawn",
      formulation, view.joints[*failed].name, view.bodies[*failed].name);
  remedy = fmt::format(
      "give body `{}` some mass and inertia about every axis, or draw the model away from a singular position",
      view.bodies[*failed].name);
  return false;
}

}  // namespace

std::vector<std::size_t> postponed_hinges(const SystemView& view) {
  const Found found = find_postponed(view);
  return found.without_inertia ? std::vector<std::size_t>{} : found.postponed;
}

bool check_tree_is_regular(const SystemView& view, std::string_view formulation, DiagnosticSink& sink) noexcept {
  try {
    std::string why, remedy;
    if (tree_is_regular(view, formulation, why, remedy)) return true;
    sink.report({.message = why, .remedy = remedy});
  } catch (const std::bad_alloc&) {
    sink.report({.message = "memory ran out while the solver was made"});
  }
  return false;
}

}  // namespace polyform
