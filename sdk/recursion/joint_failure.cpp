#include "polyform/solvers/joint_failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "polyform/solvers/contradiction.hpp"

namespace polyform {
namespace {

constexpr std::size_t longest = 400;

template <class... Args>
void set(std::string& text, fmt::format_string<Args...> format, Args&&... args) noexcept {
  text.clear();
  fmt::format_to_n(std::back_inserter(text), longest, format, std::forward<Args>(args)...);
}

}  // namespace

JointFailure::JointFailure(const SystemView& view, const ClosingConstraints& closing, const JointLoads& loads)
    : view_(view), closing_(closing), loads_(loads) {
  text_.reserve(longest);
}

bool JointFailure::is_in_loop(std::size_t body) const noexcept {
  const LoopLayout& layout = closing_.layout();
  if (!layout.carries(body)) return false;
  return std::ranges::any_of(layout.passing(body), [&](const LoopLayout::Passage& p) {
    return p.loop < layout.count() && closing_.is_cut(p.loop);
  });
}

void JointFailure::cannot_solve(const SweepFailure& failure, std::span<const double> y) noexcept {
  const std::string_view joint = view_.joints[failure.joint].name;
  const std::string_view body = view_.bodies[failure.joint].name;
  if (failure.reason != nullptr)
    set(text_, "joint `{:.60}` {}", joint, failure.reason);
  else if (!std::all_of(y.begin(), y.end(), [](double x) { return std::isfinite(x); }) || !loads_.are_efforts_finite())
    set(text_, not_finite_state);
  else if (failure.in_mode)
    set(text_, "a mode of body `{:.60}` moves no mass", body);
  else
    set(text_,
        "joint `{:.60}` moves body `{:.60}` without any inertia against it, or with so little that it is lost in "
        "rounding{}",
        joint, body, is_in_loop(failure.joint) ? "; another cut joint in its loop may give it some (`cut: true`)" : "");
}

void JointFailure::cannot_close(std::size_t steps) noexcept {
  const std::size_t worst = closing_.errors().worst();
  const double off = closing_.errors().position();
  if (closing_.is_cut(worst))
    set(text_,
        "the loop of joint `{:.60}` cannot be closed: after {} Newton steps it is off by {:.2e} (m or rad). "
        "Likely causes: too long a time step, or a mechanism at its limit position",
        closing_.name(worst), steps, off);
  else
    set(text_,
        "constraint `{:.60}` cannot be met: after {} Newton steps it is off by {:.2e} (m or rad). Likely causes: it "
        "contradicts other constraints, too long a time step, or a mechanism at its limit position",
        closing_.name(worst), steps, off);
}

void JointFailure::changes_abruptly(double change, double speed) noexcept {
  const std::size_t worst = closing_.errors().worst();
  set(text_,
      "to {} `{:.60}` its velocities would have to change by {:.2g} within a step (m/s "
      "or rad/s; the largest is {:.2g}). Likely cause: too long a step past a singular position",
      closing_.is_cut(worst) ? "close the loop of joint" : "meet constraint", closing_.name(worst), change, speed);
}

void JointFailure::leaves_free(std::string_view module) noexcept {
  set(text_, "module `{:.60}` has a variable that moves no mass and that none of its rows holds", module);
}

void JointFailure::contradicts(const LoopContradiction& worst) noexcept {
  const ContradictionWords words = words_of_contradiction(view_, worst.part);
  set(text_, "the constraints {} each other at {} `{:.60}`: {} (relative error {:.1e}). {}", words.verb,
      closing_.kind(worst.loop), closing_.name(worst.loop), words.found, worst.part, causes_of_contradiction(view_));
}

}  // namespace polyform
