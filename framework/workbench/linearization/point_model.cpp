#include "framework/workbench/linearization/point_model.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "framework/workbench/linearization/functions_of_time.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::host::inline linearization {
namespace {

/// A clock turns evenly up to this relative change of its rate.
constexpr double even_rate = 1e-9;

}  // namespace

double acceleration_size(const SystemView& view, const CanonicalState& state) {
  double speed = 0;
  for (const double v : state.v) speed = std::max(speed, std::abs(v));
  return std::max({1.0, norm(view.gravity), speed * speed});
}

PointModel::PointModel(const System& system, const SolverMaker& make, const OperatingPoint& point,
                       const Linearization& linear)
    : system_(system),
      make_(make),
      point_(point),
      varied_(system.view(), point.trimmed),
      choice_(linear.choice),
      nominal_(linear.nominal),
      scales_(linear.scales),
      coordinates_(coordinates_of(system.view())) {
  varied_.set(point.offsets);
}

double PointModel::velocity(const CanonicalState& s, std::size_t c) const {
  return c < view().nv_tree ? s.v[c] : s.etadot[c - view().nv_tree];
}

std::unique_ptr<Probe> PointModel::probe(double time, const CanonicalState& state) const {
  return std::make_unique<Probe>(system_, varied_.view(), time, choice_, state, make_(varied_.view()), no_outputs_);
}

bool PointModel::place(std::span<const double> deviation, CanonicalState& out) const {
  return ClosedStates(view(), point_.time, choice_, nominal_).place(deviation, out);
}

bool PointModel::evaluate(double time, const CanonicalState& state, CanonicalState& closed, Accelerations& out) {
  // Along a motion the coordinates of the point may become singular.
  const bool moves = std::any_of(nominal_.v.begin(), nominal_.v.end(), [](double v) { return v != 0; });
  const MinimalCoordinates own = moves ? choose_coordinates(view(), time, state) : choice_;
  Probe probe(system_, view(), time, own, state, make_(view()), no_outputs_);
  Probe* const at = &probe;
  const std::vector<double> still(own.positions() + own.velocities() + own.states());
  std::vector<double> row(at->size());
  if (!at->evaluate(still, row)) {
    failure_ = at->failure();
    return false;
  }
  closed = at->state();
  const Observation& now = at->observation();
  out.vdot.assign(now.acceleration.begin(), now.acceleration.begin() + static_cast<std::ptrdiff_t>(view().nv_tree));
  out.vdot.insert(out.vdot.end(), now.modal_acceleration.begin(), now.modal_acceleration.end());
  out.xdot.assign(now.state_rates.begin(), now.state_rates.end());
  return true;
}

double PointModel::acceleration_size() const { return host::acceleration_size(view(), nominal_); }

double PointModel::next_knot() const { return host::next_knot(view(), point_.time); }

std::vector<double> PointModel::sine_periods() const { return host::sine_periods(view()); }

std::vector<PointModel::ClockTurn> PointModel::clock_turns() const {
  std::vector<ClockTurn> out;
  for (const JointData& joint : view().joints) {
    if (rheonomic_kernel(joint) == nullptr) continue;
    std::vector<double> q(nominal_.q.begin() + static_cast<std::ptrdiff_t>(joint.q_offset),
                          nominal_.q.begin() + static_cast<std::ptrdiff_t>(joint.q_offset + joint.nq));
    const auto rate_at = [&](double t) {
      q.back() = t;
      return norm(joint_drift(joint, q.data()).angular);
    };
    const double rate = rate_at(point_.time), period = 2 * std::numbers::pi / rate;
    if (!std::isfinite(period)) continue;
    const bool is_even = std::ranges::all_of(later_shares, [&](double share) {
      return std::abs(rate_at(point_.time + share * period) - rate) <= even_rate * rate;
    });
    if (is_even) out.push_back({joint.name, period});
  }
  return out;
}

}  // namespace polyform::host::linearization
