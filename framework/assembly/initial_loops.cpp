// Initial positions: loops closed, with given coordinates kept where the loops allow it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/assembly/initial_state.hpp"
#include "polyform/constraint_set.hpp"

namespace polyform::host {
namespace {

constexpr double assembly_tolerance = 1e-10;

}  // namespace

bool InitialState::close_loops() {
  const std::vector<double> given = parts_.q;
  std::string why;
  double residual = 0;
  if (!keep_what_loops_allow(&JointLock::position, [&](std::span<const JointLock> locks, bool hold_modes) {
        return try_close(locks, hold_modes, given, why, residual);
      })) {
    report_open_loop(given, why, residual);
    return false;
  }
  for (std::size_t i = 0; i < locks_.size(); ++i) {
    const JointData& joint = view().joints[i];
    double off = 0;
    for (std::size_t k = 0; locks_[i].position && k < joint.nq; ++k)
      off = std::max(off, std::abs(given[joint.q_offset + k] - parts_.q[joint.q_offset + k]));
    if (off <= 1e-9) continue;
    complain(i, "initial.position",
             fmt::format("{} not allow the given position of joint `{}`: it was moved by {:.3g}", restraint_of(i),
                         joint.name, off),
             "give positions to as many joints as these leave free", Severity::warning);
  }
  warn_of_moved_modes(given_eta_, parts_.eta, "deformation");
  return true;
}

bool InitialState::try_close(std::span<const JointLock> locks, bool hold_modes, const std::vector<double>& start,
                             std::string& why, double& residual) {
  parts_.q = start;
  parts_.eta = given_eta_;
  parts_.x = given_x_;
  const std::vector<double> still(view().nv), still_modes(view().modes);
  tree_.evaluate(parts_.q.data(), still.data(), parts_.eta.data(), still_modes.data());
  std::vector<Quat> orientations(view().frames());
  tree_.orientations(parts_.q.data(), orientations, parts_.eta.data());
  std::vector<Pose> poses(view().bodies.size());
  for (std::size_t i = 0; i < poses.size(); ++i) poses[i] = {orientations[i], tree_.bodies()[i].p};
  AbsoluteSystem system(view(), locks, {}, centred_.origin());
  system.set_targets(given_q_, given_v_);
  if (hold_modes) system.hold_modes();
  PositionCorrection correction;
  const bool closed =
      system.correct_positions(0, poses, parts_.q, assembly_tolerance, correction, parts_.eta, parts_.x);
  why = system.failure();
  residual = correction.residual;
  return closed;
}

/// A constraint element or module whose residual is no number where it was drawn is its type's fault. False when there
/// is none.
bool InitialState::report_no_number(const std::vector<double>& start) {
  const std::vector<double> still(view().nv), still_modes(view().modes);
  tree_.evaluate(start.data(), still.data(), given_eta_.data(), still_modes.data());
  ConstraintSet constraints(view(), centred_.origin());
  if (!constraints.good()) return false;
  constraints.evaluate(0, tree_.frames(), start, still);
  for (const ConstraintSet::Element& element : constraints.elements()) {
    if (std::ranges::all_of(element.residual, [](double r) { return std::isfinite(r); })) continue;
    const auto item = std::ranges::find(parts_.description.constraints, element.name, &ConstraintItem::name);
    parts_.report_breach(diagnostics_, *item, item->type->name(),
                         "its residual is no finite number at the initial positions");
    return true;
  }
  ModuleSet modules(view(), centred_.origin());
  if (!modules.good()) return false;
  modules.evaluate(0, tree_.frames(), start, still, given_x_);
  for (const ModuleSet::Module& m : modules.modules()) {
    if (std::ranges::all_of(m.rows.residual, [](double r) { return std::isfinite(r); })) continue;
    const auto item = std::ranges::find(parts_.description.modules, m.rows.name, &ModuleItem::name);
    parts_.report_breach(diagnostics_, *item, item->type->name(),
                         "its residual is no finite number at the initial positions");
    return true;
  }
  return false;
}

void InitialState::report_open_loop(const std::vector<double>& start, const std::string& why, double residual) {
  if (report_no_number(start) || report_contradiction(start)) return;
  if (view().cut_joints().empty()) {
    const std::string message =
        fmt::format("the constraints cannot be met from the given initial positions: a residual of {:.3g} remains ({})",
                    residual, why);
    diagnostics_.report({Severity::error,
                         message,
                         "give initial positions nearer to what the constraints ask for",
                         {},
                         parts_.description.file,
                         0,
                         0});
    return;
  }
  // The loop that was most open at the given coordinates is the one to name.
  const std::vector<double> still(view().nv), still_modes(view().modes);
  tree_.evaluate(start.data(), still.data(), given_eta_.data(), still_modes.data());
  std::size_t worst = 0;
  double most = -1;
  for (std::size_t k = 0; k < view().cut_joints().size(); ++k) {
    const JointData& joint = view().cut_joints()[k];
    JointConstraint c;
    double v[6];
    std::vector<double> q(start.begin() + static_cast<std::ptrdiff_t>(joint.q_offset),
                          start.begin() + static_cast<std::ptrdiff_t>(joint.q_offset + joint.nq));
    joint_constraint(joint, motion_of(joint.base_frame, tree_.frames()), motion_of(joint.moving_frame, tree_.frames()),
                     q.data(), v, c);
    for (std::size_t r = 0; r < c.rows; ++r) {
      if (std::abs(c.residual[r]) <= most) continue;
      most = std::abs(c.residual[r]);
      worst = k;
    }
  }
  const Loop& loop = parts_.forest.loops[worst];
  std::string names = parts_.description.joints[loop.cut_edge].name;
  for (const std::size_t edge : loop.base_path) names += fmt::format(", {}", parts_.description.joints[edge].name);
  for (const std::size_t edge : loop.moving_path) names += fmt::format(", {}", parts_.description.joints[edge].name);
  parts_.report(
      diagnostics_, Severity::error, parts_.description.joints[loop.cut_edge], {}, {},
      fmt::format("the loop through the joints {} cannot be closed from the given initial positions: a residual of "
                  "{:.3g} remains ({})",
                  names, residual, why),
      "give initial positions nearer to a closed loop, or fewer of them");
}

}  // namespace polyform::host
