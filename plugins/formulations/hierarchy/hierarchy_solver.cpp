#include "hierarchy_solver.hpp"

#include <algorithm>

namespace polyform::hierarchy {
namespace {

/// Constraints of higher levels than the last one that counts.
std::vector<bool> absent_constraints(const Plan& plan) {
  std::vector<bool> absent;
  for (const LevelConstraint& constraint : plan.constraints) absent.push_back(constraint.level > plan.level);
  return absent;
}

}  // namespace

HierarchySolver::HierarchySolver(const SystemView& view, Plan plan, const Options& options)
    : AbsoluteSolver(view, options.project, options.tolerance, absent_constraints(plan)),
      plan_(std::move(plan)),
      recursion_(system().equations(), plan_.tree, plan_.constraints, plan_.inertia, options.method, plan_.noise),
      levels_(this->view(), *this, system(), plan_.noise, options.method, plan_.level) {
  for (std::size_t level = 1; level <= plan_.tree.levels; ++level)
    subsystems_.push_back(subsystems_at(plan_.constraints, system().equations().blocks(), level));
}

/// f + φ and the solution of the level's model at the evaluated motions.
const AbsoluteAccelerations* HierarchySolver::solve(std::span<const Spatial> wrenches, std::span<const double> efforts,
                                                    std::span<const double> modal_forces,
                                                    Accelerations wanted) noexcept {
  system().set_loads(wrenches, efforts, modal_forces);
  if (recursion_.solve(system().equations().loads(), wanted))
    return &system().set_solution(recursion_.accelerations(), recursion_.multipliers());
  fail_solve();
  return nullptr;
}

bool HierarchySolver::check_rows() noexcept {
  return system().check_rows(recursion_.given_way()) || fail(system().failure());
}

/// What is not finite looks like what has no inertia to the recursion.
bool HierarchySolver::fail_solve() noexcept {
  return fail(system().check_finite() ? recursion_.failure() : system().failure());
}

bool HierarchySolver::check_regular() noexcept {
  if (std::none_of(plan_.inertia.begin(), plan_.inertia.end(), [](const BlockInertia& b) { return b.singular; }))
    return true;
  // Whether the inertia determines all accelerations shows in any of them.
  return recursion_.solve(system().equations().loads(), Accelerations::of_stage) || fail_solve();
}

void HierarchySolver::describe_constraint(std::size_t i, Constraint& out) const noexcept {
  AbsoluteSolver::describe_constraint(i, out);
  out.level = plan_.constraints[i].level;
  if (!plan_.noise.empty() && !plan_.noise[i].empty()) out.covariance = std::ranges::max(plan_.noise[i]);
}

std::size_t HierarchySolver::module_of(std::size_t block, std::size_t level) const noexcept {
  return subsystems_[level - 1][block];
}

}  // namespace polyform::hierarchy
