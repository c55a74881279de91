#include "framework/host/evaluation/stiffest_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <new>
#include <utility>

#include "framework/host/assembly/column_names.hpp"
#include "framework/host/assembly/strained_rows.hpp"
#include "framework/host/evaluation/own_batch.hpp"
#include "polyform/contract/second_order.hpp"
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

/// States that alone restore themselves at this part of the fastest rate make the fastest motion.
constexpr double by_itself = 0.5;
/// Up to so many states of a solver all are tried for the places of first-order states; beyond, those of no position
/// and no velocity.
constexpr std::size_t most_tried = 1000;
/// Of so many owners of states all are looked at; of more those whose part in the motion is this one of the largest.
constexpr std::size_t many_owners = 64;
constexpr double large_part = 1e-3;

/// What a first-order state belongs to, by the name of its column: "signal.NAME.x0" or "NAME.STATE".
std::string owner_of(std::string_view column, std::string_view kind) {
  constexpr std::string_view signal = "signal.";
  std::string_view name = column.substr(0, column.rfind('.'));
  if (!column.starts_with(signal)) return fmt::format("{} `{}`", kind, name);
  if (name.size() < signal.size()) name = column;  // without a state of a number
  return fmt::format("signal `{}`", name.substr(signal.size()));
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
  const auto add = [&](std::size_t state, std::string owner) {
    if (own_states_.empty() || own_states_.back().name != owner) own_states_.push_back({std::move(owner), {}, {}});
    own_states_.back().states.push_back(state);
  };
  for (const ForceInstances& group : view.forces)
    for (std::size_t i = 0, k = group.state_offset; i < group.instances.size(); ++i)
      for (std::size_t s = 0; s < group.type->state_count(); ++s, ++k)
        add(k, owner_of(column_name(element_name(group, group.names[i]), group.type->descriptor().states[s].name),
                        "force"));
  for (const ModuleInstances& group : view.modules) {
    std::size_t k = group.state_offset;
    for (const auto& own : {group.type->variables(), group.type->states()})
      for (std::size_t i = 0; i < group.instances.size(); ++i)
        for (const Variable& variable : own) {
          const std::string_view element = element_name(group, group.names[i]);
          add(k++, owner_of(column_name(element, variable.name), element.empty() ? "element" : "module"));
        }
  }
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
    for (std::size_t i = 0; i < n; ++i) after[i] -= before[i];
    look_at_states(t, y.first(n), after, rate);
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
    for (std::size_t i = 0; i < loads->of_view.instances.size(); ++i) note_force(*loads, i, rate);
  }
}

/// An instance, or each of the forces in it where it has those that follow signals.
void StiffestSearch::note_force(const Loads& loads, std::size_t i, double rate) {
  const ForceInstances& group = loads.of_view;
  if (!element_name(group, group.names[i]).empty()) {
    const ElementInstance& instance = group.instances[i];
    const Range all{0, instance.markers.size(), 0, instance.joints.size()};
    return note(work_of(loads, i, all, rate), fmt::format("force `{}`", group.names[i]));
  }
  const auto* const several =
      static_cast<const expressions::FormulaForce*>(group.type->query(expressions::FormulaForce::full_names));
  for (const expressions::FormulaForce::Part& part : several->parts())
    note(work_of(loads, i, {part.marker, part.markers, part.joint, part.joints}, rate),
         fmt::format("force `{}`", part.name));
}

/// The work of the change of a force's loads from one moment to the other.
double StiffestSearch::work_of(const Loads& loads, std::size_t i, const Range& range, double rate) const {
  Work work = work_at_joints(loads, i, range);
  for (std::size_t m = range.marker; m < range.marker + range.markers; ++m) {
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

StiffestSearch::Work StiffestSearch::work_at_joints(const Loads& loads, std::size_t i, const Range& range) const {
  Work work;
  std::size_t effort = loads.first_velocity[i];
  for (std::size_t k = 0; k < range.joint + range.joints; ++k) {
    const JointData& joint = view_.joints[at(loads.of_view.joints[loads.first_joint[i] + k])];
    if (k < range.joint) {
      effort += joint.nv;
      continue;
    }
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

/// Finds where the solver has the first-order states, by what a change of each of its numbers changes.
void StiffestSearch::find_states(std::span<const double> y) {
  if (std::exchange(states_found_, true)) return;
  const auto* const parts = ask<SecondOrderSystem>(solver_);
  std::vector<std::size_t> owner(view_.states, own_states_.size());
  for (std::size_t o = 0; o < own_states_.size(); ++o)
    for (const std::size_t k : own_states_[o].states) owner[k] = o;
  std::vector<double> moved(y.begin(), y.end());
  if (solver_.decode(y, here_.view()) != Status::ok) return;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const bool first_order = parts != nullptr && i < parts->kinds().size() && parts->kinds()[i] == StateKind::other;
    if (y.size() > most_tried && !first_order) continue;
    moved[i] = y[i] + std::max(1.0, std::abs(y[i]));
    const bool decoded = solver_.decode(moved, there_.view()) == Status::ok;
    moved[i] = y[i];
    if (!decoded) continue;
    for (std::size_t k = 0; k < view_.states; ++k)
      if (owner[k] < own_states_.size() && there_.x[k] != here_.x[k]) own_states_[owner[k]].places.push_back(i);
  }
}

/// step: the change of the solver's states from one side of y to the other.
void StiffestSearch::look_at_states(double t, std::span<const double> y, std::span<const double> step, double rate) {
  if (own_states_.empty()) return;
  find_states(y);
  const auto part_of = [&](const OwnStates& own) {
    double part = 0;
    for (const std::size_t i : own.places) part = std::max(part, std::abs(step[i]));
    return part;
  };
  double largest = 0, fastest = by_itself * rate;
  for (const OwnStates& own : own_states_) largest = std::max(largest, part_of(own));
  const double least = own_states_.size() > many_owners ? large_part * largest : 0;
  std::vector<double> moved(y.begin(), y.end()), rates(y.size()), other(y.size());
  if (solver_.derivative(t, y, rates) != Status::ok) return;
  for (const OwnStates& own : own_states_) {
    double size = 1, change = 0;
    for (const std::size_t i : own.places) size = std::max(size, std::abs(y[i]));
    const double part = part_of(own);
    if (!(part > least) || !(part > 1e-10 * size)) continue;  // no part of the motion but rounding
    for (const std::size_t i : own.places) moved[i] = y[i] + step[i];
    const bool done = solver_.derivative(t, moved, other) == Status::ok;
    for (const std::size_t i : own.places) {
      moved[i] = y[i];
      if (done) change = std::max(change, std::abs(other[i] - rates[i]));
    }
    if (!(change / part > fastest)) continue;
    fastest = change / part;
    name_ = own.name;
  }
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
