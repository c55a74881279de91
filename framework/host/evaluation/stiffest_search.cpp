#include "framework/host/evaluation/stiffest_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <new>

#include "framework/host/assembly/strained_rows.hpp"
#include "framework/host/evaluation/own_batch.hpp"
#include "polyform/mechanics/attachments.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"
#include "polyform/solvers/newton/linearized_tree.hpp"

namespace polyform::host::inline evaluation {

namespace {

/// The rotation vector from one orientation to another that is next to it, ground axes.
Vec3 turn_between(const Mat3& from, const Mat3& to) {
  const Mat3 R = times_transpose(to, from);
  return 0.5 * Vec3{R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
}

}  // namespace

StiffestSearch::Moment::Moment(const SystemView& system)
    : q(system.nq),
      v(system.nv),
      eta(system.modes),
      etadot(system.modes),
      x(system.states),
      discrete(system.discrete),
      kinematics(system) {}

StateView StiffestSearch::Moment::view() {
  return {.q = q, .v = v, .eta = eta, .etadot = etadot, .x = x, .discrete = discrete};
}

struct StiffestSearch::Loads {
  Loads(const SystemView& view, const ForceInstances& group)
      : of_view(group),
        attached(view, group.instances, group.joints),
        batch(group.type->create(group.instances)),
        object(batch, [](void* it) { static_cast<ForceBatch*>(it)->destroy(); }) {
    if (batch == nullptr) throw std::bad_alloc();
    for (const ElementInstance& instance : group.instances) {
      first_marker.push_back(markers);
      first_joint.push_back(joints);
      first_velocity.push_back(velocities);
      markers += instance.markers.size();
      for (std::size_t j = 0; j < instance.joints.size(); ++j)
        velocities += view.joints[at(group.joints[joints + j])].nv;
      joints += instance.joints.size();
    }
  }
  /// Adds a share of the loads at a moment.
  void add(double t, double share, const Moment& moment, std::span<const std::int32_t> discrete) {
    attached.gather(moment.kinematics.frames(), moment.q, moment.v);
    const std::size_t states = of_view.type->state_count() * of_view.instances.size();
    const std::size_t numbers = of_view.type->descriptor().discrete.size() * of_view.instances.size();
    std::vector<Spatial> wrenches_now(markers);
    std::vector<double> efforts_now(velocities), rates(states);
    ForceOutput out{.wrenches = wrenches_now, .efforts = efforts_now, .state_rates = rates};
    batch->evaluate(attached.input(t, discrete.subspan(of_view.discrete_offset, numbers),
                                   std::span(moment.x).subspan(of_view.state_offset, states)),
                    out);
    wrenches.resize(markers);
    efforts.resize(velocities);
    for (std::size_t m = 0; m < markers; ++m) wrenches[m] += share * wrenches_now[m];
    for (std::size_t k = 0; k < velocities; ++k) efforts[k] += share * efforts_now[k];
  }

  const ForceInstances& of_view;
  Attachments attached;
  ForceBatch* batch;
  OwnBatch object;
  std::vector<std::size_t> first_marker, first_joint, first_velocity;  ///< per instance
  std::size_t markers = 0, joints = 0, velocities = 0;                 ///< of all
  std::vector<Spatial> wrenches;                                       ///< the sum of the shares
  std::vector<double> efforts;
};

StiffestSearch::StiffestSearch(const SystemView& view, Solver& solver)
    : view_(view), solver_(solver), flexible_(view), here_(view), between_(view), there_(view) {
  for (const ForceInstances& group : view.forces) forces_.push_back(std::make_unique<Loads>(view, group));
}

StiffestSearch::~StiffestSearch() = default;

std::string_view StiffestSearch::stiffest(double t, std::span<const double> y, std::span<const double> direction,
                                          double rate) noexcept {
  most_ = 0;
  name_.clear();
  try {
    if (!flexible_.good()) return {};
    const std::size_t n = solver_.state_size();
    double largest = 0, size = 1;
    for (std::size_t i = 0; i < n; ++i) {
      largest = std::max(largest, std::abs(direction[i]));
      size = std::max(size, std::abs(y[i]));
    }
    if (!(largest > 0)) return {};
    // To both sides, so that a law which jumps or has its kink at the state is seen whichever way the motion goes.
    constexpr double way = 1e-6;  // of the largest state, or of 1
    std::vector<double> before(n), after(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double step = way * size / largest * direction[i];
      before[i] = y[i] - step;
      after[i] = y[i] + step;
    }
    if (!place(before, here_) || !place(after, there_)) return {};
    look_at_forces(t, rate);
    look_at_modes(rate);
    // A motion of the system keeps its constraints. Where the fastest one breaks a row, the row is what moves so fast.
    if (solver_.decode(y.first(n), between_.view()) != Status::ok) return name_;
    std::string row = broken_row(view_, t, here_.view(), between_.view(), there_.view());
    if (!row.empty()) name_ = std::move(row);
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
  for (const auto& loads : forces_) {
    loads->wrenches.clear();
    loads->efforts.clear();
    loads->add(t, -1, here_, here_.discrete);
    loads->add(t, 1, there_, here_.discrete);
    for (std::size_t i = 0; i < loads->of_view.instances.size(); ++i)
      note(work_of(*loads, i, rate), fmt::format("force `{}`", loads->of_view.names[i]));
  }
}

/// The work of the change of an instance's loads from one moment to the other.
double StiffestSearch::work_of(const Loads& loads, std::size_t i, double rate) const {
  Work work = work_at_joints(loads, i);
  for (std::size_t m = 0; m < loads.of_view.instances[i].markers.size(); ++m) {
    const std::size_t k = loads.first_marker[i] + m;
    const Marker& marker = loads.attached.markers()[k];
    const BodyMotion &a = motion_of(marker.frame, here_.kinematics.frames()),
                     &b = motion_of(marker.frame, there_.kinematics.frames());
    const Vec3 arm = a.R * marker.point, moved_arm = b.R * marker.point;
    const Vec3 turn = turn_between(a.R, b.R), displacement = b.p + moved_arm - a.p - arm;
    const Vec3 spin = b.V.angular - a.V.angular;
    const Vec3 velocity = b.V.linear + cross(b.V.angular, moved_arm) - a.V.linear - cross(a.V.angular, arm);
    const Spatial& change = loads.wrenches[k];
    work.by_displacements += dot(change.angular, turn) + dot(change.linear, displacement);
    work.by_velocities += dot(change.angular, spin) + dot(change.linear, velocity);
  }
  return rate * std::abs(work.by_displacements) + std::abs(work.by_velocities);
}

StiffestSearch::Work StiffestSearch::work_at_joints(const Loads& loads, std::size_t i) const {
  Work work;
  std::size_t effort = loads.first_velocity[i];
  for (std::size_t k = 0; k < loads.of_view.instances[i].joints.size(); ++k) {
    const JointData& joint = view_.joints[at(loads.of_view.joints[loads.first_joint[i] + k])];
    const double *q = here_.q.data() + joint.q_offset, *moved = there_.q.data() + joint.q_offset;
    double step[most_joint_positions], steps[6];
    for (std::size_t c = 0; c < joint.nq; ++c) step[c] = moved[c] - q[c];
    LinearizedTree::to_velocity_steps(joint, q, step, steps);
    for (std::size_t c = 0; c < joint.nv; ++c, ++effort) {
      work.by_displacements += loads.efforts[effort] * steps[c];
      work.by_velocities += loads.efforts[effort] * (there_.v[joint.v_offset + c] - here_.v[joint.v_offset + c]);
    }
  }
  return work;
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

}  // namespace polyform::host::evaluation
