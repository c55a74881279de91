#include "framework/host/simulation/run_tolerances.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/host/evaluation/state_encoding.hpp"
#include "polyform/contract/second_order.hpp"
#include "polyform/mechanics/judgement.hpp"
#include "polyform/mechanics/scale.hpp"

namespace polyform::host::inline simulation {

namespace {

/// What rounding leaves of the largest position at the start, corrected. A state that is zero, such as a coordinate
/// across a plane, is computed from these and has their rounding.
double finest_tolerance_at(double t, const ConstStateView& start, Solver& solver) {
  std::vector<double> y(solver.state_size());
  if (encode_at(t, solver, start, y) != Status::ok) return 0;  // the run says why
  auto* const second = ask<SecondOrderSystem>(solver);
  double largest = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
    if (second == nullptr || second->kinds()[i] == StateKind::position) largest = std::max(largest, std::abs(y[i]));
  return std::isfinite(largest) ? position_rounding_part * largest : 0;
}

/// Part of the size of the largest body that an absolute tolerance may be: positions are known to about as much.
constexpr double coarse_part = 1e-5;

/// Whether a solver's states hold lengths: coordinates of translations, or positions of bodies.
bool holds_lengths(const SystemView& view, const Solver& solver) {
  for (const JointData& joint : view.tree_joints())
    for (const Primitive& p : joint.primitives)
      if (p.kind == Primitive::Kind::translation) return true;
  return solver.state_size() != view.nq_tree + view.nv_tree + 2 * view.modes + view.states;
}

}  // namespace

RunTolerances::RunTolerances(const SystemView& view, const ConstStateView& start, Solver& solver,
                             const RunSettings& settings)
    : view_(view),
      solver_(solver),
      settings_(settings),
      finest_(finest_tolerance_at(settings.start_time, start, solver)) {}

StepSettings RunTolerances::step_settings() const {
  StepSettings settings;
  settings.step = settings_.step;
  settings.relative_tolerance = settings_.relative_tolerance;
  settings.absolute_tolerance = std::max(settings_.absolute_tolerance, finest_);
  settings.max_step = settings_.max_step;
  return settings;
}

std::vector<std::string> RunTolerances::warnings() const {
  std::vector<std::string> all;
  if (settings_.integrator.fixed_step()) return all;
  if (settings_.absolute_tolerance < finest_)
    all.push_back(fmt::format(
        "the absolute tolerance of {:g} is finer than rounding leaves positions, of which the largest is {:.3g} at the "
        "start: {:.1e} is taken. Steps that follow rounding are many, and their errors add up",
        settings_.absolute_tolerance, finest_ / position_rounding_part, finest_));
  if (std::string text = coarse(); !text.empty()) all.push_back(std::move(text));
  return all;
}

std::string RunTolerances::coarse() const {
  const double absolute = settings_.absolute_tolerance, size = SystemScales(view_).largest_reach();
  if (!(absolute > coarse_part * size) || !(size > 0) || !holds_lengths(view_, solver_)) return {};
  return fmt::format(
      "the absolute tolerance of {:g} is {:.1e} of the size of the largest body, {:.3g} m: its positions are known to "
      "about that part. Give an --atol of {:.0e}",
      absolute, absolute / size, size, 1e-10 * size);
}

}  // namespace polyform::host::inline simulation
