#include "checks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "../refined_solutions.hpp"
#include "polyform/solvers/contradiction.hpp"

namespace polyform::absolute {

namespace {

bool finite(const Spatial& s) {
  double sum = 0;
  for (std::size_t k = 0; k < 6; ++k) sum += s[k];
  return std::isfinite(sum);
}

}  // namespace

RowCheck::RowCheck(const Model& model, const Scales& scales, const Loads& loads, const LinearProblem& problem)
    : model_(model),
      scales_(scales),
      loads_(loads),
      problem_(problem),
      system_scales_(model.view),
      residual_(model, scales, problem) {}

RowCheck::Missed RowCheck::worst(std::span<const double> given_way) noexcept {
  const Blocks& blocks = model_.blocks;
  const std::span<const BodyMotion> motions = model_.motions.frames;
  // What is left of a row is compared with what acts on its bodies or could act: their weights, loads and inertia
  // forces. The terms of a row themselves may cancel, or vanish, as in a rotor that turns evenly in two bearings.
  double floor = std::max(least_acceleration, least_share * system_scales_.of_system(motions).acceleration);
  double module_floor = 0;
  for (std::size_t i = 0; i < blocks.count(); ++i) {
    residual_.find_block(i);
    if (blocks.is_module(i)) continue;
    const Vec3& w = motions[i].V.angular;
    double& motion = residual_.size(i).motion;
    const Loads::Size& acting = loads_.size(i);
    motion += system_scales_.of_body(i, motions[i]).acceleration + scales_[i].length * dot(w, w) +
              (acting.force + acting.moment / scales_[i].length) / scales_[i].mass;
    floor = std::max(floor, least_share * motion);
    module_floor = std::max(module_floor, least_share * motion * std::sqrt(scales_[i].mass));
  }
  Missed worst;
  for (std::size_t t = 0; t < model_.constraints.count(); ++t)
    for (std::size_t r = 0; r < model_.constraints[t].rows; ++r) {
      const std::size_t row = model_.constraints[t].row + r;
      const double right = model_.rows.right()[row], missed = given_way.empty() ? 0 : given_way[row];
      double left = right - missed, size = std::abs(right) + std::abs(missed);
      for (const Constraints::Entry& entry : model_.constraints.entries_of(model_.constraints[t])) {
        left -= model_.rows.share(entry, r, problem_.solution.data());
        size += residual_.row_weight(entry, r) *
                std::max(residual_.size(entry.block).motion, blocks.is_module(entry.block) ? module_floor : floor);
      }
      if (std::abs(left) > worst.part * size) worst = {t, std::abs(left) / size};
    }
  return worst;
}

bool RowCheck::is_contradiction(const Missed& missed, double least) const noexcept {
  const Violation& violation = model_.rows.violation();
  return polyform::is_contradiction(missed.part, least, violation.position, violation.velocity);
}

bool check_finite(const Model& model, Failure& failure) noexcept {
  // In the order of the tree: the first that is not finite makes those beyond it so.
  for (std::size_t i = 0; i < model.view.bodies.size(); ++i) {
    const BodyMotion& m = model.motions.frames[i];
    const double sum = m.R(0, 0) + m.R(1, 1) + m.R(2, 2) + m.p.x + m.p.y + m.p.z;
    if (!std::isfinite(sum) || !finite(m.V))
      return failure.say(
          "The motion of body `{}` is not finite: the state or the step has gone astray, or the type of joint `{}` "
          "gives no finite number there",
          model.view.bodies[i].name, model.view.joints[i].name);
  }
  for (std::size_t t = 0; t < model.constraints.count(); ++t) {
    const Constraints::Constraint& constraint = model.constraints[t];
    bool all = true;
    for (std::size_t r = 0; r < constraint.rows; ++r) {
      all = all && std::isfinite(model.rows.right()[constraint.row + r]);
      for (const Constraints::Entry& entry : model.constraints.entries_of(constraint)) {
        const double* own = model.rows.own(entry, r);
        all = all && (entry.frame == 0 || finite(model.rows.frame(entry, r))) &&
              std::isfinite(std::accumulate(own, own + entry.owns, 0.0));
      }
    }
    if (!all)
      return failure.say("The equations of {} `{}` are not finite: its type gives no finite number in this position",
                         model.constraints.kind(t), model.constraints.name(t));
  }
  return true;
}

bool check_regular(const Model& model, const Scales& scales, LinearProblem& problem, SaddlePoint& solver) noexcept {
  if (!scales.any_lacking()) return true;
  // A load without regular pattern moves whatever can move: where nothing resists, no solution balances it. One of
  // three that is not nearly across a free motion is found there.
  for (const double frequency : {1.7, 2.9, 4.3}) {
    solver.forget_factors();
    std::fill(problem.data.begin(), problem.data.end(), 0.0);
    for (std::size_t i = 0; i < model.blocks.bodies(); ++i) {
      for (std::size_t k = 0; k < model.blocks.size(i); ++k) {
        const std::size_t unknown = model.blocks.offset(i) + k;
        const double pattern = std::sin(frequency * static_cast<double>(unknown) + 0.3);
        const double length = k < 3 ? scales[i].length : k < 6 ? 1 : scales.own_length(i)[k - 6];
        problem.data[unknown] = pattern * scales[i].mass * length;
      }
    }
    Refinement r{10, load_without_pattern::wanted, Follow::inertia};
    if (!solver.solve_from_zero(r)) return false;
    if (r.left.body_error < load_without_pattern::unbalanced) continue;
    std::size_t block = 0;
    if (!solver.find_free(r, block)) return false;
    // With inertia, however little, motions are determined: whether they can be found shows with the accelerations.
    if (scales[block].lacking) return solver.fail_free(r, block);
  }
  return true;
}

}  // namespace polyform::absolute
