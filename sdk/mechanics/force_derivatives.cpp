#include "polyform/mechanics/force_derivatives.hpp"

#include <algorithm>
#include <cmath>

#include "polyform/contract/given_derivatives.hpp"
#include "polyform/helpers/completed.hpp"
#include "polyform/helpers/guarded.hpp"
#include "polyform/mechanics/discrete_values.hpp"
#include "polyform/mechanics/kinematics.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform {

namespace {

// The steps of the differences cost half of the digits. This suffices: the iteration that uses the derivatives ends at
// the right place anyway.
constexpr double relative_difference = 1e-7;

}  // namespace

/// The forces of one type. Its members are the inputs and outputs of its batch, at the state and at a moved input, and
/// where these stand among those of the system.
struct ForceDerivatives::Group {
  ForceBatch* batch;
  const ForceInstances& of_view;
  Attachments attached;
  std::size_t state_offset, state_count, discrete_offset, discrete_count;
  std::size_t first_instance = 0, instances = 0;
  std::size_t most_markers = 0, most_velocities = 0, states_each = 0;
  std::vector<Marker> markers{};
  std::vector<MarkerMotion> motions{};
  std::vector<double> q{}, v{}, x{};
  std::vector<Spatial> wrenches{};  ///< at the state
  std::vector<double> efforts{}, rates{};
  std::vector<Spatial> moved_wrenches{};  ///< at a moved input
  std::vector<double> moved_efforts{}, moved_rates{}, steps{};
  std::vector<double> kept{};
  GivenDerivatives* given = nullptr;          ///< of the batch; nullptr if it has none
  std::size_t first_number = 0, numbers = 0;  ///< of the matrices of all instances

  void call(double t, std::span<const std::int32_t> discrete, std::vector<Spatial>& w, std::vector<double>& effort,
            std::vector<double>& rate) noexcept {
    std::ranges::fill(between(w), Spatial{});
    std::ranges::fill(between(effort), 0.0);
    const unsigned control = floating_point_control();
    ForceOutput out{.wrenches = between(w), .efforts = between(effort), .state_rates = between(rate)};
    batch->evaluate({.time = t, .markers = motions, .q = q, .v = v, .states = x, .discrete = discrete}, out);
    check_breach(control, batch, "force", w, effort, rate);
  }
};

ForceDerivatives::ForceDerivatives(const SystemView& view, const Vec3& origin) : view_(view) {
  std::size_t numbers = 0;
  for (std::size_t g = 0; g < view.forces.size(); ++g) {
    const ForceInstances& from = view.forces[g];
    ForceBatch* batch = from.type->create(from.instances);
    if (batch == nullptr) {
      good_ = false;
      return;
    }
    groups_.push_back(std::make_unique<Group>(Group{batch, from, Attachments(view, from.instances, from.joints, origin),
                                                    from.state_offset, from.type->state_count() * from.instances.size(),
                                                    from.discrete_offset,
                                                    from.type->descriptor().discrete.size() * from.instances.size()}));
    Group& group = *groups_.back();
    group.first_instance = instances_.size();
    group.given = ask<GivenDerivatives>(*batch);
    group.first_number = numbers;
    group.instances = from.instances.size();
    group.states_each = from.type->state_count();
    std::size_t marker = 0, joint = 0, q = 0, v = 0;
    for (std::size_t i = 0; i < from.instances.size(); ++i) {
      Instance& out = instances_.emplace_back();
      out.group = groups_.size() - 1;
      out.number = i;
      out.first_marker = marker;
      out.markers = from.instances[i].markers.size();
      out.first_joint = joint;
      out.joints = from.instances[i].joints.size();
      out.first_q = q;
      out.first_v = v;
      for (std::size_t j = 0; j < out.joints; ++j) {
        const JointData& data = view.joints[at(from.joints[joint + j])];
        q += own_positions(data);
        v += data.nv;
      }
      out.velocities = v - out.first_v;
      out.states = group.states_each;
      out.first_state = i * group.states_each;
      out.state_offset = from.state_offset + out.first_state;
      out.matrix = numbers;
      numbers += out.inputs() * out.outputs();
      marker += out.markers;
      joint += out.joints;
      group.most_markers = std::max(group.most_markers, out.markers);
      group.most_velocities = std::max(group.most_velocities, out.velocities);
    }
    group.numbers = numbers - group.first_number;
    for (std::size_t k = 0; k < group.attached.markers().size(); ++k)
      group.markers.push_back(group.attached.markers()[k]);
    group.motions.resize(marker);
    group.q.resize(q);
    group.v.resize(v);
    group.x.resize(group.state_count);
    group.wrenches = group.moved_wrenches = guarded<Spatial>(marker);
    group.efforts = group.moved_efforts = guarded<double>(v);
    group.rates = group.moved_rates = guarded<double>(group.state_count);
    group.steps.resize(from.instances.size());
    group.kept.resize(std::max(q, group.state_count));
  }
  numbers_.resize(numbers);
}

ForceDerivatives::~ForceDerivatives() {
  for (const auto& group : groups_) group->batch->destroy();
}

std::span<const Marker> ForceDerivatives::markers(const Instance& i) const {
  return std::span(groups_[i.group]->markers).subspan(i.first_marker, i.markers);
}
std::span<const Vec3> ForceDerivatives::arms(const Instance& i) const {
  return groups_[i.group]->attached.arms().subspan(i.first_marker, i.markers);
}
std::span<const Spatial> ForceDerivatives::wrenches(const Instance& i) const {
  return between(groups_[i.group]->wrenches).subspan(i.first_marker, i.markers);
}
std::span<const JointIndex> ForceDerivatives::joints(const Instance& i) const {
  return groups_[i.group]->of_view.joints.subspan(i.first_joint, i.joints);
}

void ForceDerivatives::evaluate(double t, std::span<const BodyMotion> frames, std::span<const double> q,
                                std::span<const double> v, std::span<const double> x) noexcept {
  for (const auto& group : groups_) {
    Group& g = *group;
    g.attached.gather(frames, q, v);
    const ForceInput in = g.attached.input(t, {});
    for (std::size_t k = 0; k < g.motions.size(); ++k) g.motions[k] = in.markers[k];
    std::ranges::copy(in.q, g.q.begin());
    std::ranges::copy(in.v, g.v.begin());
    std::ranges::copy(x.subspan(g.state_offset, g.state_count), g.x.begin());
    difference(g, t);
  }
}

/// Writes the change of an instance's outputs in the last call, divided by the step, as a column of its matrix.
void ForceDerivatives::add_column(Group& g, std::size_t instance, std::size_t column, double step) noexcept {
  const Instance& i = instances_[g.first_instance + instance];
  const std::size_t width = i.inputs();
  double* out = numbers_.data() + i.matrix + column;
  const double factor = 1 / step;
  const auto put = [&](double moved, double here) {
    *out = factor * (moved - here);
    out += width;
  };
  const auto w = between(g.wrenches), moved_w = between(g.moved_wrenches);
  for (std::size_t m = i.first_marker; m < i.first_marker + i.markers; ++m)
    for (std::size_t k = 0; k < 6; ++k) put(moved_w[m][k], w[m][k]);
  const auto e = between(g.efforts), moved_e = between(g.moved_efforts);
  for (std::size_t k = i.first_v; k < i.first_v + i.velocities; ++k) put(moved_e[k], e[k]);
  const auto r = between(g.rates), moved_r = between(g.moved_rates);
  for (std::size_t k = i.first_state; k < i.first_state + i.states; ++k) put(moved_r[k], r[k]);
}

/// Takes the batch's own derivatives if it knows them; false if not.
bool ForceDerivatives::take_given(Group& g, double t, std::span<const std::int32_t> discrete) noexcept {
  const std::span<double> matrices = std::span(numbers_).subspan(g.first_number, g.numbers);
  std::ranges::fill(matrices, 0.0);
  const ForceInput in{.time = t, .markers = g.motions, .q = g.q, .v = g.v, .states = g.x, .discrete = discrete};
  return g.given->differentiate(in, matrices);
}

void ForceDerivatives::difference(Group& g, double t) noexcept {
  const auto discrete = discrete_.empty() ? discrete_ : discrete_.subspan(g.discrete_offset, g.discrete_count);
  g.call(t, discrete, g.wrenches, g.efforts, g.rates);
  if (g.given != nullptr && take_given(g, t, discrete)) return;
  const std::span<const Instance> all = std::span(instances_).subspan(g.first_instance, g.instances);
  const auto finish = [&](auto&& column, auto&& counts) {
    g.call(t, discrete, g.moved_wrenches, g.moved_efforts, g.moved_rates);
    for (const Instance& i : all)
      if (counts(i)) add_column(g, i.number, column(i), g.steps[i.number]);
  };
  for (std::size_t m = 0; m < g.most_markers; ++m) {
    const auto counts = [&](const Instance& i) {
      return m < i.markers && !is_ground(g.markers[i.first_marker + m].body);
    };
    for (std::size_t k = 0; k < marker_inputs; ++k) {
      bool any = false;
      for (const Instance& i : all) {
        if (!counts(i)) continue;
        any = true;
        MarkerMotion& motion = g.motions[i.first_marker + m];
        double size = 1;
        if (k >= 3 && k < 6) size = 1e-2 + std::abs(motion.position[k - 3]);
        if (k >= 6 && k < 9) size = 1 + norm(motion.angular_velocity);
        if (k >= 9) size = 1 + norm(motion.velocity);
        const double step = g.steps[i.number] = relative_difference * size;
        Vec3 along;
        along[k % 3] = step;
        if (k < 3)
          motion.R = rotation_matrix(from_rotation_vector(along)) * motion.R;
        else if (k < 6)
          motion.position += along;
        else if (k < 9)
          motion.angular_velocity += along;
        else
          motion.velocity += along;
      }
      if (!any) continue;
      finish([&](const Instance&) { return marker_inputs * m + k; }, counts);
      const ForceInput in = g.attached.input(t, {});
      for (const Instance& i : all)
        if (counts(i)) g.motions[i.first_marker + m] = in.markers[i.first_marker + m];
    }
  }
  for (std::size_t k = 0; k < g.most_velocities; ++k) {
    const auto counts = [&](const Instance& i) { return k < i.velocities; };
    std::ranges::copy(g.q, g.kept.begin());
    for (const Instance& i : all) {
      if (!counts(i)) continue;
      // The joint that has the k-th velocity of the instance.
      std::size_t q = i.first_q, v = 0, j = 0;
      const std::span<const JointIndex> joints = this->joints(i);
      for (; v + view_.joints[at(joints[j])].nv <= k; ++j) {
        q += own_positions(view_.joints[at(joints[j])]);
        v += view_.joints[at(joints[j])].nv;
      }
      const JointData& joint = view_.joints[at(joints[j])];
      const std::size_t positions = own_positions(joint);
      double direction[6]{}, rate[most_joint_positions], here[most_joint_positions];
      direction[k - v] = 1;
      std::copy_n(g.q.data() + q, positions, here);
      if (positions < joint.nq) here[positions] = t;
      joint_position_step(joint, here, direction, rate);
      double size = 1e-2;
      for (std::size_t c = 0; c < positions; ++c) size = std::max(size, std::abs(here[c]));
      const double step = g.steps[i.number] = relative_difference * size;
      for (std::size_t c = 0; c < positions; ++c) g.q[q + c] += step * rate[c];
    }
    finish([&](const Instance& i) { return marker_inputs * i.markers + k; }, counts);
    std::copy_n(g.kept.begin(), g.q.size(), g.q.begin());
    for (const Instance& i : all) {
      if (!counts(i)) continue;
      double& v = g.v[i.first_v + k];
      v += g.steps[i.number] = relative_difference * (1 + std::abs(v));
    }
    finish([&](const Instance& i) { return marker_inputs * i.markers + i.velocities + k; }, counts);
    const ForceInput in = g.attached.input(t, {});
    std::ranges::copy(in.v, g.v.begin());
  }
  for (std::size_t k = 0; k < g.states_each; ++k) {
    std::ranges::copy(g.x, g.kept.begin());
    for (const Instance& i : all) {
      double& x = g.x[i.first_state + k];
      x += g.steps[i.number] = relative_difference * (1e-3 + std::abs(x));
    }
    finish([&](const Instance& i) { return marker_inputs * i.markers + 2 * i.velocities + k; },
           [](const Instance&) { return true; });
    std::copy_n(g.kept.begin(), g.x.size(), g.x.begin());
  }
}

}  // namespace polyform
