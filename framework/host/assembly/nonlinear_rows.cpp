#include "framework/host/assembly/nonlinear_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace polyform::host::inline assembly {
namespace {

/// The share of a row's size below which it is linear up to rounding.
constexpr double straight = 1e-12;
/// The share of the fastest speed, as a row sees it, that is rounding.
constexpr double rounding_of_speed = 1e-15;
constexpr int most_steps = 100;
/// The shortest part of a step that is tried.
constexpr double shortest = 0x1p-40;
/// A part of a step has to lessen the errors by this share of what it would lessen them by if the rows were linear.
constexpr double least_gain = 1e-4;

}  // namespace

double size_of_wrenches(const ConstraintJacobian& jacobian, std::size_t which, double length) {
  const ConstraintJacobian::Row& row = jacobian.rows()[which];
  double size = 0;
  for (const auto& [frame, wrench] : row.wrenches) {
    const Vec3 arm = motion_of(frame, jacobian.tree().frames()).p - row.point;
    size = std::max({size, norm(wrench.angular - cross(arm, wrench.linear)) / length, norm(wrench.linear)});
  }
  return size;
}

NonlinearRows::Before NonlinearRows::before(const std::vector<double>& from, const std::vector<double>& to) const {
  const std::size_t rows = jacobian_.rows().size();
  Before out{std::vector<double>(rows), std::vector<double>(rows), std::vector<double>(rows)};
  for (std::size_t r = 0; r < rows; ++r) {
    out.error[r] = out.expected[r] = -jacobian_.rows()[r].velocity_right;
    out.size[r] = std::abs(jacobian_.rows()[r].velocity_right);
  }
  for (const ConstraintJacobian::Entry& e : jacobian_.entries()) {
    out.error[e.row] += e.value * from[e.column];
    out.expected[e.row] += e.value * to[e.column];
    const double rate = std::max(std::abs(from[e.column]), std::abs(to[e.column]));
    out.size[e.row] = std::max(out.size[e.row], e.reach * rate);
  }
  return out;
}

void NonlinearRows::move(const std::vector<double>& to) {
  const auto modes = to.begin() + static_cast<std::ptrdiff_t>(start_.view().nv_tree);
  std::copy(to.begin(), modes, start_.parts.v.begin());
  std::copy(modes, to.end(), start_.parts.etadot.begin());
  jacobian_.evaluate(start_.time(), start_.state());
}

/// The largest error of the rows now, relative to their sizes before; infinite if one is no number.
double NonlinearRows::largest(const Before& before) const {
  double most = 0;
  for (std::size_t r = 0; r < jacobian_.rows().size(); ++r) {
    if (before.size[r] == 0) continue;
    const double error = std::abs(jacobian_.velocity_error(r)) / before.size[r];
    if (!std::isfinite(error)) return std::numeric_limits<double>::infinity();
    most = std::max(most, error);
  }
  return most;
}

bool NonlinearRows::is_linear(const Before& before) const {
  const double part = std::max(straight, 16 * jacobian_.place_rounding());
  double speed = 0;
  for (const BodyMotion& body : jacobian_.tree().bodies()) speed = std::max(speed, start_.speed_of(body.V));
  for (std::size_t r = 0; r < jacobian_.rows().size(); ++r) {
    const double bend = std::abs(jacobian_.velocity_error(r) - before.expected[r]);
    if (bend <= part * before.size[r]) continue;
    if (!(bend <= rounding_of_speed * speed * size_of_wrenches(jacobian_, r, start_.length))) return false;
  }
  return true;
}

bool NonlinearRows::follow(const std::vector<double>& from, std::vector<double>& to, bool must_fall) {
  ++steps_;
  jacobian_.drop_rates();
  const Before before = this->before(from, to);
  double error = 0;
  for (std::size_t r = 0; r < before.error.size(); ++r)
    if (before.size[r] > 0) error = std::max(error, std::abs(before.error[r]) / before.size[r]);
  move(to);
  if (is_linear(before)) return false;
  const std::vector<double> whole = to;
  for (double part = 1; part >= shortest; part /= 2) {
    for (std::size_t k = 0; part < 1 && k < to.size(); ++k) to[k] = from[k] + part * (whole[k] - from[k]);
    if (part < 1) move(to);
    const double now = largest(before);
    if (now < (must_fall ? (1 - least_gain * part) * error : std::numeric_limits<double>::infinity()))
      return steps_ < most_steps;
  }
  to = from;
  move(to);
  return false;
}

}  // namespace polyform::host::inline assembly
