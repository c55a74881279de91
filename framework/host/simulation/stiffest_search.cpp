#include "framework/host/simulation/stiffest_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "polyform/mechanics/rheonomic_joints.hpp"
#include "polyform/solvers/newton/linearized_tree.hpp"

namespace polyform::host::inline simulation {

namespace {

/// The rotation vector from one orientation to another that is next to it, ground axes.
Vec3 turn_between(const Mat3& from, const Mat3& to) {
  const Mat3 R = times_transpose(to, from);
  return 0.5 * Vec3{R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
}

}  // namespace

StiffestSearch::Moment::Moment(const SystemView& system)
    : q(system.nq), v(system.nv), eta(system.modes), etadot(system.modes), x(system.states), discrete(system.discrete),
      kinematics(system) {}

StateView StiffestSearch::Moment::view() {
  return {.q = q, .v = v, .eta = eta, .etadot = etadot, .x = x, .discrete = discrete};
}

StiffestSearch::StiffestSearch(const SystemView& view, Solver& solver)
    : view_(view), solver_(solver), forces_(view, {}), flexible_(view), here_(view), there_(view) {}

std::string_view StiffestSearch::stiffest(double t, std::span<const double> y, std::span<const double> direction,
                                          double rate) noexcept {
  most_ = 0;
  name_.clear();
  try {
    if (!forces_.good() || !flexible_.good()) return {};
    const std::size_t n = solver_.state_size();
    double largest = 0, size = 1;
    for (std::size_t i = 0; i < n; ++i) {
      largest = std::max(largest, std::abs(direction[i]));
      size = std::max(size, std::abs(y[i]));
    }
    if (!(largest > 0)) return {};
    std::vector<double> moved(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(n));
    for (std::size_t i = 0; i < n; ++i) moved[i] += 1e-6 * size / largest * direction[i];
    if (!place(y.first(n), here_) || !place(moved, there_)) return {};
    look_at_forces(t, rate);
    look_at_modes(rate);
  } catch (const std::exception&) {
    return {};  // without a name the sentence is shorter
  }
  return name_;
}

bool StiffestSearch::place(std::span<const double> y, Moment& moment) {
  const StateView state = moment.view();
  if (solver_.decode(y, state) != Status::ok) return false;
  moment.kinematics.evaluate(moment.q.data(), moment.v.data(), moment.eta.data(), moment.etadot.data());
  return true;
}

void StiffestSearch::look_at_forces(double t, double rate) {
  forces_.follow(here_.discrete);
  forces_.evaluate(t, here_.kinematics.frames(), here_.q, here_.v, here_.x);
  for (const ForceDerivatives::Instance& i : forces_.instances())
    note(work_of(i, rate), fmt::format("force `{}`", view_.forces[i.group].names[i.number]));
}

double StiffestSearch::work_of(const ForceDerivatives::Instance& i, double rate) {
  find_motion(i);
  const double* row = forces_.matrix(i);
  double by_displacements = 0, by_velocities = 0;
  for (std::size_t k = 0; k < displacements_.size(); ++k, row += i.inputs()) {
    double load = 0;
    for (std::size_t c = 0; c < inputs_.size(); ++c) load += row[c] * inputs_[c];
    by_displacements += load * displacements_[k];
    by_velocities += load * velocities_[k];
  }
  return rate * std::abs(by_displacements) + std::abs(by_velocities);
}

void StiffestSearch::find_motion(const ForceDerivatives::Instance& i) {
  inputs_.clear();
  displacements_.clear();
  velocities_.clear();
  const auto add = [](std::vector<double>& to, const Vec3& x) { to.insert(to.end(), {x.x, x.y, x.z}); };
  for (std::size_t m = 0; m < i.markers; ++m) {
    const Marker& marker = forces_.markers(i)[m];
    const BodyMotion &a = motion_of(marker.frame, here_.kinematics.frames()),
                     &b = motion_of(marker.frame, there_.kinematics.frames());
    const Vec3 arm = a.R * marker.point, moved_arm = b.R * marker.point;
    const Vec3 turn = turn_between(a.R, b.R), displacement = b.p + moved_arm - a.p - arm;
    const Vec3 spin = b.V.angular - a.V.angular;
    const Vec3 velocity =
        b.V.linear + cross(b.V.angular, moved_arm) - a.V.linear - cross(a.V.angular, arm);
    for (const Vec3& x : {turn, displacement, spin, velocity}) add(inputs_, x);
    for (const Vec3& x : {turn, displacement}) add(displacements_, x);
    for (const Vec3& x : {spin, velocity}) add(velocities_, x);
  }
  const std::size_t first = displacements_.size();
  for (const JointIndex j : forces_.joints(i)) {
    const JointData& joint = view_.joints[at(j)];
    const double *q = here_.q.data() + joint.q_offset, *moved = there_.q.data() + joint.q_offset;
    double step[most_joint_positions], steps[6];
    for (std::size_t k = 0; k < joint.nq; ++k) step[k] = moved[k] - q[k];
    LinearizedTree::to_velocity_steps(joint, q, step, steps);
    for (std::size_t k = 0; k < joint.nv; ++k) {
      displacements_.push_back(steps[k]);
      velocities_.push_back(there_.v[joint.v_offset + k] - here_.v[joint.v_offset + k]);
    }
  }
  for (const std::vector<double>* of_joints : {&displacements_, &velocities_})
    inputs_.insert(inputs_.end(), of_joints->begin() + static_cast<std::ptrdiff_t>(first), of_joints->end());
  for (std::size_t k = 0; k < i.states; ++k)
    inputs_.push_back(there_.x[i.state_offset + k] - here_.x[i.state_offset + k]);
}

void StiffestSearch::look_at_modes(double rate) {
  if (flexible_.empty()) return;
  std::vector<std::vector<double>> before;
  flexible_.evaluate(here_.kinematics.frames(), here_.eta.data(), here_.etadot.data());
  for (std::size_t i = 0; i < view_.flexible.size(); ++i) {
    const std::span<const double> force = flexible_.force(i);
    before.emplace_back(force.begin(), force.end());
  }
  flexible_.evaluate(there_.kinematics.frames(), there_.eta.data(), there_.etadot.data());
  for (std::size_t i = 0; i < view_.flexible.size(); ++i) {
    const FlexibleData& data = view_.flexible[i];
    for (std::size_t k = 0; k < data.modes; ++k) {
      const std::size_t mode = data.mode_offset + k;
      const double load = flexible_.force(i)[6 + k] - before[i][6 + k];
      note(std::abs(load) * (rate * std::abs(there_.eta[mode] - here_.eta[mode]) +
                             std::abs(there_.etadot[mode] - here_.etadot[mode])),
           fmt::format("mode {} of body `{}`", k, view_.bodies[at(data.body)].name));
    }
  }
}

void StiffestSearch::note(double work, std::string name) {
  if (!(work > most_)) return;
  most_ = work;
  name_ = std::move(name);
}

}  // namespace polyform::host::simulation
