#include "apps/fmi/directional.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/fmi/continuous.hpp"
#include "framework/diagnostics.hpp"
#include "framework/workbench/linearization/acting.hpp"
#include "framework/workbench/linearization/minimal_coordinates.hpp"

namespace polyform::fmi {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// How far two states lie apart, in large deviations of joints, modes and first-order states.
class Distance {
 public:
  Distance(const SystemView& view, double time, host::CanonicalState from)
      : view_(view), from_(std::move(from)), coordinates_(host::coordinates_of(view)) {
    const double acting = host::acting_at(view, time, from_).rate;
    rate_ = acting > 0 && std::isfinite(acting) ? acting : 1;
  }
  /// The joints' coordinates are compared one by one: those of a quaternion are of size 1.
  double to(const host::CanonicalState& other) const {
    double size = 0;
    for (const JointData& joint : view_.tree_joints()) {
      for (std::size_t k = 0; k < joint.nq; ++k) {
        const double scale = joint.nq == joint.nv ? coordinates_[joint.v_offset + k].scale : largest_scale(joint, k);
        include(size, other.q[joint.q_offset + k] - from_.q[joint.q_offset + k], scale);
      }
      for (std::size_t k = joint.v_offset; k < joint.v_offset + joint.nv; ++k)
        include(size, other.v[k] - from_.v[k], std::max(coordinates_[k].scale * rate_, std::abs(from_.v[k])));
    }
    for (std::size_t k = 0; k < view_.modes; ++k) {
      const double scale = coordinates_[view_.nv_tree + k].scale;
      include(size, other.eta[k] - from_.eta[k], scale);
      include(size, other.etadot[k] - from_.etadot[k], std::max(scale * rate_, std::abs(from_.etadot[k])));
    }
    for (std::size_t k = 0; k < from_.x.size(); ++k)
      include(size, other.x[k] - from_.x[k], std::max(1.0, std::abs(from_.x[k])));
    return size;
  }

 private:
  static void include(double& size, double change, double scale) {
    if (std::isfinite(change)) size = std::max(size, std::abs(change) / scale);
  }
  /// Of joints with more positions than velocities: displacements come before the quaternion.
  double largest_scale(const JointData& joint, std::size_t position) const {
    const std::size_t k = std::min(position, joint.nv - 1);
    return joint.nv == 0 ? 1 : coordinates_[joint.v_offset + k].scale;
  }

  const SystemView& view_;
  host::CanonicalState from_;
  std::vector<host::Coordinate> coordinates_;
  double rate_;
};

}  // namespace

bool Directional::Direction::moves() const {
  const auto any = [](const std::vector<double>& seeds) {
    return std::ranges::any_of(seeds, [](double x) { return x != 0; });
  };
  return any(states) || any(inputs);
}

/// The displacement along the direction that is a large deviation of the model.
double Directional::state_step(std::span<const double> direction) const {
  const std::span<const double> here = motion_.states();
  const std::vector<double> y(here.begin(), here.end());
  const double length = host::length_scale(system_.view());
  double by_states = infinite, smallest = infinite;
  for (std::size_t k = 0; k < y.size(); ++k) {
    if (direction[k] == 0) continue;
    by_states = std::min(by_states, std::max(length, std::abs(y[k])) / std::abs(direction[k]));
    smallest = std::min(smallest, std::max(1.0, std::abs(y[k])) / std::abs(direction[k]));
  }
  if (std::isinf(by_states)) return infinite;
  const auto start = motion_.canonical(y);
  if (!start) return by_states;
  const Distance distance(system_.view(), motion_.time(), *start);
  constexpr double first = 1e-6, small = 1e-3;  // of a unit; of a large deviation
  double h = first * smallest;
  // The coordinates turn with the state, so the second look is at a step that is small, but not by its units.
  for (int look = 0; look < 2; ++look) {
    std::vector<double> beside(y);
    for (std::size_t k = 0; k < y.size(); ++k) beside[k] += h * direction[k];
    const auto there = motion_.canonical(beside);
    const double size = there ? distance.to(*there) : 0;
    if (!(size > 0)) return by_states;  // off the joints: their coordinates do not see it
    h *= small / size;
  }
  return h / small;
}

double Directional::large_step(const Direction& direction) const {
  double step = state_step(direction.states);
  for (std::size_t k = 0; k < direction.inputs.size(); ++k)
    if (direction.inputs[k] != 0) step = std::min(step, direction.sizes[k] / std::abs(direction.inputs[k]));
  return step;
}

Directional::Result Directional::differentiate(const Direction& direction, std::size_t size, const Function& f) const {
  constexpr double part = 0.125;  // of a large deviation: series in powers of it converge
  Result out{{}, large_step(direction), std::vector<double>(size)};
  f(0, out.middle);
  std::string reason;
  out.derivative = host::differentiate(size, part * out.step, [&](double h, std::span<double> values) {
    try {
      f(h, values);
    } catch (const host::Failure& failure) {
      reason = failure.message();
      return false;
    }
    return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
  });
  if (!out.derivative.found)
    throw host::Failure(host::Exit::simulation_failed,
                        fmt::format("there are no derivatives at t = {:.9g} s: beside the state, {}", motion_.time(),
                                    reason.empty() ? "values are not finite" : reason));
  return out;
}

bool Directional::is_known(const Result& result, std::size_t entry) {
  constexpr double digits = 1e-6;
  const host::Derivative& d = result.derivative;
  return d.error[entry] <= digits * std::max(std::abs(d.value[entry]), std::abs(result.middle[entry]) / result.step);
}

}  // namespace polyform::fmi
