#include "framework/workbench/linearization/periodic_states.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "framework/diagnostics.hpp"
#include "framework/workbench/linearization/motion_path.hpp"
#include "framework/workbench/linearization/point_model.hpp"

namespace polyform::host::inline linearization {
namespace {

StateSpace in_wanted_states(const System& system, const OperatingPoint& point, Linearization linear,
                            const PeriodicRequest& request) {
  use_multi_blade_coordinates(system, point, request.rotors, linear);
  return request.euler_angles ? to_body_states(system, linear, *request.euler_angles) : in_independent_states(linear);
}

void check_states(const StateSpace& first, const StateSpace& later, double time) {
  const auto same_name = [](const Channel& a, const Channel& b) { return a.name == b.name; };
  if (std::ranges::equal(first.states, later.states, same_name)) return;
  throw Failure(Exit::simulation_failed,
                fmt::format("other coordinates become independent {:.6g} s after the point, so that one set of states "
                            "does not serve the whole period",
                            time),
                "Linearize at single instants, with --at.");
}

void find_means(const Linearization& linear, PeriodicStates& out) {
  const double part = 1 / static_cast<double>(out.models.size());
  const StateSpace& first = out.models.front();
  out.A = Eigen::MatrixXd::Zero(first.A.rows(), first.A.cols());
  out.B = Eigen::MatrixXd::Zero(first.B.rows(), first.B.cols());
  out.C = Eigen::MatrixXd::Zero(first.C.rows(), first.C.cols());
  out.D = Eigen::MatrixXd::Zero(first.D.rows(), first.D.cols());
  out.A_changes = out.A;
  for (const StateSpace& model : out.models) {
    out.A += part * model.A;
    out.B += part * model.B;
    out.C += part * model.C;
    out.D += part * model.D;
  }
  const Eigen::Map<const Eigen::VectorXd> scales(linear.scales.data(), out.A.rows());
  const auto size = [&](const Eigen::MatrixXd& A) {
    return Eigen::MatrixXd(scales.cwiseInverse().asDiagonal() * A * scales.asDiagonal()).norm();
  };
  double largest = 0;
  for (const StateSpace& model : out.models) {
    out.A_changes = out.A_changes.cwiseMax((model.A - out.A).cwiseAbs());
    largest = std::max(largest, size(model.A - out.A));
  }
  const double mean = size(out.A);
  out.change = mean > 0 ? largest / mean : largest;
}

}  // namespace

PeriodicStates periodic_states(const System& system, const SolverMaker& make, const OperatingPoint& point,
                               const Linearization& linear, const PeriodicRequest& request) {
  PeriodicStates out;
  out.period = request.period;
  const PointModel model(system, make, point, linear);
  const std::unique_ptr<MotionPath> path = integrated_path(model, request.integrator, fine);
  for (std::size_t k = 0; k < request.instants; ++k) {
    const double time = request.period * static_cast<double>(k) / static_cast<double>(request.instants);
    OperatingPoint there = point;
    there.time += time;
    if (k > 0) there.state = path->at(time);
    out.times.push_back(time);
    out.models.push_back(
        in_wanted_states(system, there, k == 0 ? linear : linearize(system, make, there, request.channels), request));
    check_states(out.models.front(), out.models.back(), time);
  }
  find_means(linear, out);
  return out;
}

}  // namespace polyform::host::inline linearization
