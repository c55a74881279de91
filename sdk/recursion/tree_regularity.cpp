#include "polyform/solvers/tree_regularity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "polyform/solvers/loop_closure.hpp"
#include "polyform/solvers/recursion.hpp"
#include "polyform/solvers/singular_inertia.hpp"

namespace polyform {
namespace {

/// Only bodies without mass or inertia can make a tree singular, and only if something closes the tree.
bool may_be_singular(const SystemView& view) {
  if (view.cut_joints().empty() && view.constraints.empty() && view.modules.empty()) return false;
  return std::any_of(view.bodies.begin(), view.bodies.end(), is_singular);
}

/// The first body whose joint moves no inertia, as drawn; none if all joints do.
std::optional<std::size_t> joint_without_inertia(const SystemView& view) {
  FlexibleLinks flexible(view);
  LoopClosure loops(view, flexible);
  loops.hold_ground_rows();
  Recursion recursion(view, loops);
  std::vector<double> q(view.nq), v(view.nv), step(view.nv_tree), modes(view.modes), modal_step(view.modes);
  for (const JointData& joint : view.joints) joint_neutral(joint, q.data() + joint.q_offset);
  recursion.kinematics(q.data(), v.data(), modes.data(), modes.data());
  std::vector<double> x(view.states);
  loops.elements().modules().initial_states(x);
  loops.evaluate(0, recursion.motions(v.data()), q, v, x);
  if (recursion.closing_step(LoopClosure::Level::velocity, step.data(), modal_step.data())) return std::nullopt;
  return recursion.failure().joint;
}

/// Returns false if the tree is singular; `why` then names the joint, the body and a cut joint, and `remedy` what
/// helps.
bool tree_is_regular(const SystemView& view, std::string_view formulation, std::string& why, std::string& remedy) {
  if (!may_be_singular(view)) return true;
  const std::optional<std::size_t> failed = joint_without_inertia(view);
  if (!failed) return true;
  why = fmt::format("{}: joint `{}` moves body `{}` without any inertia against it once the loops are cut{}",
                    formulation, view.joints[*failed].name, view.bodies[*failed].name,
                    view.cut_joints().empty()
                        ? std::string(" and the constraints are left out")
                        : fmt::format(" (joint `{}` is one of the cut joints)", view.cut_joints().front().name));
  // Another cut helps only if it leaves bodies with inertia on the joint.
  remedy = fmt::format("give body `{}` some mass and inertia about every axis, or use another solver{}",
                       view.bodies[*failed].name,
                       view.cut_joints().empty() ? ""
                                                 : "; another cut (`cut: true`) helps where it leaves bodies with "
                                                   "inertia attached to it");
  return false;
}

}  // namespace

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
