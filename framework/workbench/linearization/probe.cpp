#include "framework/workbench/linearization/probe.hpp"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "framework/dense_equations.hpp"
#include "framework/host/evaluation/not_finite.hpp"
#include "framework/host/evaluation/solver_check.hpp"
#include "framework/host/evaluation/state_encoding.hpp"
#include "framework/host/expressions/formula.hpp"
#include "framework/host/simulation/evaluate.hpp"

namespace polyform::host::inline linearization {

using Eigen::Index;

namespace {

/// N(q), nq × nv.
Eigen::MatrixXd position_rates(const JointData& joint, const double* q) {
  Eigen::MatrixXd N(static_cast<Index>(joint.nq), static_cast<Index>(joint.nv));
  for (std::size_t k = 0; k < joint.nv; ++k) {
    double v[6]{}, rates[most_joint_positions];
    v[k] = 1;
    joint_position_step(joint, q, v, rates);
    for (std::size_t i = 0; i < joint.nq; ++i) N(static_cast<Index>(i), static_cast<Index>(k)) = rates[i];
  }
  return N;
}

bool rates_are_velocities(const JointData& joint) {
  return joint.kernel == nullptr && std::none_of(joint.primitives.begin(), joint.primitives.end(),
                                                 [](const auto& p) { return p.kind == Primitive::Kind::ball; });
}

}  // namespace

ChartRates::ChartRates(const SystemView& view, const CanonicalState& nominal) : view_(view) {
  for (const JointData& joint : view.tree_joints()) {
    if (rates_are_velocities(joint)) continue;
    const Eigen::MatrixXd N = position_rates(joint, nominal.q.data() + joint.q_offset);
    curved_.push_back({&joint, inverse_of(N.transpose() * N) * N.transpose()});
    add_transport(curved_.back(), nominal);
  }
}

/// N₀⁺ d/dt N(q(t)), q(t) along the nominal velocity.
void ChartRates::add_transport(const Curved& curved, const CanonicalState& nominal) {
  const JointData& joint = *curved.joint;
  const double *q0 = nominal.q.data() + joint.q_offset, *v0 = nominal.v.data() + joint.v_offset;
  double rates[most_joint_positions], speed = 0;
  joint_position_rates(joint, q0, v0, rates);
  for (std::size_t k = 0; k < joint.nv; ++k) speed = std::max(speed, std::abs(v0[k]));
  if (speed == 0) return;
  const std::size_t n = joint.nv;
  const Derivative d = differentiate(n * n, 0.125 / speed, [&](double s, std::span<double> out) {
    double q[most_joint_positions];
    for (std::size_t k = 0; k < joint.nq; ++k) q[k] = q0[k] + s * rates[k];
    const Eigen::MatrixXd rate = curved.inverse * position_rates(joint, q);
    for (std::size_t k = 0; k < n * n; ++k) out[k] = rate(static_cast<Index>(k / n), static_cast<Index>(k % n));
    return true;
  });
  for (std::size_t k = 0; k < n * n; ++k)
    transport_.push_back({joint.v_offset + k / n, joint.v_offset + k % n, d.value[k]});
}

void ChartRates::evaluate(const CanonicalState& state, std::span<double> out) const {
  std::copy_n(state.v.begin(), view_.nv_tree, out.begin());
  std::copy(state.etadot.begin(), state.etadot.end(), out.begin() + static_cast<std::ptrdiff_t>(view_.nv_tree));
  for (const Curved& c : curved_) {
    double rates[most_joint_positions];
    joint_position_rates(*c.joint, state.q.data() + c.joint->q_offset, state.v.data() + c.joint->v_offset, rates);
    for (Index i = 0; i < c.inverse.rows(); ++i) {
      double sum = 0;
      for (Index k = 0; k < c.inverse.cols(); ++k) sum += c.inverse(i, k) * rates[k];
      out[c.joint->v_offset + static_cast<std::size_t>(i)] = sum;
    }
  }
}

Probe::Probe(const System& system, const SystemView& view, double time, const MinimalCoordinates& choice,
             const CanonicalState& nominal, SolverPointer solver, const std::vector<std::size_t>& outputs)
    : view_(view),
      time_(time),
      choice_(choice),
      closed_(view, time, choice, nominal),
      chart_(view, nominal),
      solver_(std::move(solver)),
      kept_(system, view, *solver_, time, nominal.constant()),
      outputs_(outputs),
      store_(view),
      rows_(system, output_columns),
      y_(solver_->state_size()),
      chart_rates_(view.nv_tree + view.modes),
      has_closing_rows_(!view.cut_joints().empty() || !view.constraints.empty() || !view.modules.empty()) {}

/// Quaternions as at the first evaluation, not as their negatives.
void Probe::follow_signs(Observation& now) {
  if (signs_.empty())
    for (const Observation::Body& body : now.bodies) signs_.push_back(body.pose.orientation);
  for (std::size_t i = 0; i < signs_.size(); ++i) {
    Quat& q = now.bodies[i].pose.orientation;
    const Quat& first = signs_[i];
    if (q.w * first.w + q.x * first.x + q.y * first.y + q.z * first.z < 0) q = {-q.w, -q.x, -q.y, -q.z};
  }
}

/// In an equilibrium without loads all forces are rounding, and no balance tells anything. So a state at which it is
/// not met is looked at once more beside it, where forces act.
std::string Probe::check() {
  constexpr double beside = 1e-5;  // m or rad, of all states: far above rounding, and small beside any mechanism
  const auto looked_at = [&] {
    SolverCheck check(view_, *solver_);
    check.check(time_, store_.now());
    return check.report().warning;
  };
  try {
    if (looked_at().empty()) return {};
  } catch (const Failure&) {
  }
  std::vector<double> deviation(choice_.positions() + choice_.velocities() + choice_.states(), beside), row(size());
  if (!evaluate(deviation, row)) {
    std::ranges::fill(deviation, 0.0);
    if (!evaluate(deviation, row)) return {};
  }
  return looked_at();
}

/// Beside the nominal state a tree has nothing that could be left out.
void Probe::require_constraints(std::span<const double> deviation, const Observation& now) {
  const bool beside = std::ranges::any_of(deviation, [](double d) { return d != 0; });
  if (!beside || has_closing_rows_) kept_.require(time_, now, beside);
}

bool Probe::evaluate(std::span<const double> deviation, std::span<double> out) {
  if (!closed_.place(deviation, state_)) {
    failure_ = closed_.failure();
    return false;
  }
  ++evaluations_;
  Observation& now = store_.now();
  clear_trouble();
  if (encode_at(time_, *solver_, state_.constant(), y_) != Status::ok ||
      solver_->observe(time_, y_, now) != Status::ok) {
    failure_ = std::string(solver_->failure()) + note_of_formula();
    return false;
  }
  require_constraints(deviation, now);
  // Coordinates as they were placed: the solver's are the same up to round-off, turns and signs of quaternions.
  std::copy(state_.q.begin(), state_.q.end(), now.q.begin());
  std::copy(state_.v.begin(), state_.v.end(), now.v.begin());
  follow_signs(now);
  chart_.evaluate(state_, chart_rates_);
  double* next = out.data();
  for (const std::size_t c : choice_.position.independent) *next++ = chart_rates_[c];
  for (const std::size_t c : choice_.velocity.independent)
    *next++ = c < view_.nv_tree ? now.acceleration[c] : now.modal_acceleration[c - view_.nv_tree];
  for (const std::size_t c : choice_.state.independent) *next++ = now.state_rates[c];
  next = std::copy(closed_.delta().begin(), closed_.delta().end(), next);
  if (!outputs_.empty()) {
    const std::span<const double> row = rows_.make(time_, now).subspan(1);  // without the time
    for (const std::size_t o : outputs_) *next++ = row[o];
  }
  if (std::all_of(out.data(), next, [](double x) { return std::isfinite(x); })) return true;
  const auto trouble = not_finite(view_, now);
  failure_ = (trouble ? std::string(std::string_view(*trouble)) : "something that was asked for is no number") +
             note_of_formula();
  return false;
}

}  // namespace polyform::host::linearization
