#include "framework/workbench/linearization/point_model.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "framework/diagnostics.hpp"
#include "framework/workbench/linearization/functions_of_time.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::host::inline linearization {
namespace {

/// A clock turns evenly up to this relative change of its rate.
constexpr double even_rate = 1e-9;
/// Deviations by which the sizes of accelerations are found, in scales, and how often they are shortened.
constexpr double beside_point = 1e-3;
constexpr int most_tries = 6;
constexpr std::size_t sign_patterns = 3;

}  // namespace

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
  acting_ = acting_at(view(), point.time, nominal_);
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

double PointModel::acceleration_size(std::size_t row) const {
  if (sizes_.empty()) find_sizes();
  return sizes_[row];
}

double PointModel::velocity_size(std::size_t c) const {
  const double size = std::max(std::abs(velocity(nominal_, c)), coordinates_[c].scale * acting_.rate);
  return size > 0 ? size : coordinates_[c].scale;
}

/// By what the accelerations change by beside the state, the signs of the deviations being those of three patterns.
void PointModel::find_sizes() const {
  const std::size_t n = coordinates();
  std::vector<double> felt(n + view().states);
  const auto read = [&](const Observation& now, std::vector<double>& out) {
    out.assign(now.acceleration.begin(), now.acceleration.begin() + static_cast<std::ptrdiff_t>(view().nv_tree));
    out.insert(out.end(), now.modal_acceleration.begin(), now.modal_acceleration.end());
    out.insert(out.end(), now.state_rates.begin(), now.state_rates.end());
  };
  try {
    const std::unique_ptr<Probe> at = probe(point_.time, nominal_);
    std::vector<double> deviation(states()), row(at->size()), here, there;
    if (at->evaluate(deviation, row)) {
      read(at->observation(), here);
      for (std::size_t look = 0; look < sign_patterns; ++look) {
        double distance = beside_point;
        for (int tries = 0; tries < most_tries; ++tries, distance /= 3) {
          for (std::size_t k = 0; k < deviation.size(); ++k)
            deviation[k] = (std::popcount(k & look) % 2 == 0 ? distance : -distance) * scales_[k];
          if (!at->evaluate(deviation, row)) continue;
          read(at->observation(), there);
          for (std::size_t k = 0; k < felt.size(); ++k)
            felt[k] = std::max(felt[k], std::abs(there[k] - here[k]) / distance);
          break;
        }
      }
    }
  } catch (const Failure&) {  // beside a singular position
  }
  const double duration = system_.description().simulation.duration.value_or(10);
  sizes_ = std::move(felt);
  for (std::size_t c = 0; c < n; ++c) {
    sizes_[c] = host::acceleration_size(acting_.accelerations[c], sizes_[c]);
    // Where nothing acts, what would move it by a large deviation within the run.
    if (!(sizes_[c] > 0)) sizes_[c] = coordinates_[c].scale / (duration * duration);
  }
  for (std::size_t k = 0; k < view().states; ++k) {
    double& size = sizes_[n + k];
    size = std::max(size, std::abs(nominal_.x[k]) * acting_.rate);
    if (!(size > 0)) size = std::max(1.0, std::abs(nominal_.x[k])) / duration;
  }
}

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
