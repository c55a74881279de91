#include "framework/workbench/linearization/periodic_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

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

/// A choice of coordinates is good for a motion while no dependent one moves so many times as far as an independent
/// one.
constexpr double longest_lever = 1e3;
/// At so many places of a period, at least, the choice is looked at.
constexpr std::size_t least_looks = 48;

struct Moment {
  double time;  ///< s after the point
  CanonicalState state;
};

/// The coordinates that serve best along a whole motion.
class LastingChoice {
 public:
  LastingChoice(const SystemView& view, double start, const std::vector<Moment>& moments)
      : view_(view), start_(start), moments_(moments) {}

  /// The first choice, if it lasts; else the best one of those that are chosen on the way. Failure (simulation_failed)
  /// if none lasts. positions: of the coordinates that become independent.
  std::vector<char> find(const MinimalCoordinates& first) {
    consider(first);
    for (std::size_t k = 0; k < moments_.size() && !(best_lever_ < longest_lever); ++k)
      consider(choose_coordinates(view_, start_ + moments_[k].time, moments_[k].state));
    if (best_lever_ < longest_lever) return best_;
    throw Failure(
        Exit::simulation_failed,
        "no set of coordinates is independent along the whole period: on the way each set passes a position in "
        "which others are determined by it no more, so that one set of states does not serve the period",
        "Linearize at single instants, with --at.");
  }

 private:
  void consider(const MinimalCoordinates& choice) {
    std::vector<char> wanted(view_.nv_tree + view_.modes);
    for (const std::size_t c : choice.position.independent) wanted[c] = true;
    if (std::ranges::find(seen_, wanted) != seen_.end()) return;
    seen_.push_back(wanted);
    double worst = 0;
    for (const Moment& m : moments_) {
      const MinimalCoordinates here = choose_coordinates(view_, start_ + m.time, m.state, wanted);
      worst = std::ranges::equal(here.position.independent, choice.position.independent) &&
                      std::ranges::equal(here.velocity.independent, choice.velocity.independent)
                  ? std::max(worst, largest_lever(view_, start_ + m.time, m.state, here))
                  : std::numeric_limits<double>::infinity();
      if (!(worst < best_lever_)) return;
    }
    best_lever_ = worst;
    best_ = std::move(wanted);
  }

  const SystemView& view_;
  const double start_;
  const std::vector<Moment>& moments_;
  std::vector<std::vector<char>> seen_;
  std::vector<char> best_;
  double best_lever_ = std::numeric_limits<double>::infinity();
};

void check_states(const StateSpace& first, const StateSpace& later, double time) {
  const auto same_name = [](const Channel& a, const Channel& b) { return a.name == b.name; };
  if (std::ranges::equal(first.states, later.states, same_name)) return;
  throw Failure(
      Exit::simulation_failed,
      fmt::format("other states become independent {:.6g} s after the point, so that one set of states does not "
                  "serve the whole period",
                  time),
      "Linearize at single instants, with --at.");
}

void find_means(const std::vector<double>& sizes, PeriodicStates& out) {
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
  const Eigen::Map<const Eigen::VectorXd> scales(sizes.data(), out.A.rows());
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
  const std::size_t between = (least_looks + request.instants - 1) / request.instants;
  std::vector<Moment> moments;
  for (std::size_t k = 0; k < between * request.instants; ++k) {
    const double time = request.period * static_cast<double>(k) / static_cast<double>(between * request.instants);
    moments.push_back({time, k == 0 ? point.state : path->at(time)});
  }
  const std::vector<char> wanted = LastingChoice(model.view(), point.time, moments).find(linear.choice);
  std::vector<double> scales;
  for (std::size_t k = 0; k < moments.size(); k += between) {
    OperatingPoint there = point;
    there.time += moments[k].time;
    there.state = moments[k].state;
    const MinimalCoordinates choice = choose_coordinates(model.view(), there.time, there.state, wanted);
    Linearization here = linearize_in(choice, system, make, there, request.channels);
    if (k == 0) scales = here.scales;
    out.times.push_back(moments[k].time);
    out.models.push_back(in_wanted_states(system, there, std::move(here), request));
    check_states(out.models.front(), out.models.back(), moments[k].time);
  }
  find_means(scales, out);
  return out;
}

}  // namespace polyform::host::inline linearization
