#include "framework/host/assembly/initial_state.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

#include "polyform/contract/initial_states.hpp"
#include "polyform/mechanics/attachments.hpp"
#include "polyform/mechanics/discrete_values.hpp"
#include "polyform/mechanics/force_set.hpp"
#include "polyform/mechanics/module_set.hpp"

namespace polyform::host::inline assembly {

InitialState::InitialState(System::Parts& parts, Diagnostics& diagnostics)
    : parts_(parts), diagnostics_(diagnostics), centred_(parts.view), given_(parts.joints.size()), tree_(view()) {}

bool InitialState::build() {
  read_given();
  first_order_states();
  if (diagnostics_.failed()) return false;
  length_ = InertiaMetric(view()).length();
  fit_rates();
  const std::vector<double> drawn = parts_.q;
  // As drawn all loops are closed; constraint elements and rows of modules need not hold there.
  const bool closed =
      view().constraints.empty() && !has_holonomic_modules() && (!moved_ || view().cut_joints().empty());
  if (closed) {
    parts_.q = given_q_;
    parts_.eta = given_eta_;
  } else if (!close_loops()) {
    return false;
  }
  if (!find_rates(drawn)) return false;
  if (!view().constraints.empty() && report_contradiction(parts_.q)) return false;
  states_of_motion();
  if (!view().modules.empty()) module_states();
  return !diagnostics_.failed();
}

bool InitialState::has_holonomic_modules() const {
  return std::ranges::any_of(view().modules, [](const ModuleInstances& group) {
    return std::ranges::any_of(group.type->rows(), &Variable::holonomic);
  });
}

void InitialState::read_given() {
  parts_.q.resize(view().nq);
  parts_.v.assign(view().nv, 0.0);
  for (const JointData& joint : view().joints) joint_neutral(joint, parts_.q.data() + joint.q_offset);
  given_q_ = parts_.q;
  constexpr double unit_quaternion = 1e-6;  // as in a model file: seven digits, and it is made 1
  given_v_ = parts_.v;
  for (std::size_t i = 0; i < view().joints.size(); ++i) {
    if (parts_.user_joint[i] == System::Parts::none) continue;
    read_joint(i, item(i).initial_position, view().joints[i].q_offset, own_positions(view().joints[i]), "position",
               given_q_, given_[i].position);
    read_joint(i, item(i).initial_velocity, view().joints[i].v_offset, view().joints[i].nv, "velocity", given_v_,
               given_[i].velocity);
    if (!given_[i].position) continue;
    const double off = joint_normalize(view().joints[i], given_q_.data() + view().joints[i].q_offset);
    if (off > unit_quaternion)
      complain(i, "initial.position", fmt::format("the quaternion's length differs from 1 by {:.3g}", off),
               "give a unit quaternion w x y z");
    moved_ = true;
  }
  moved_ = moved_ || !RheonomicJoints(view()).empty();  // functions of time need not begin as drawn
  read_modes();
}

void InitialState::read_modes() {
  given_eta_.assign(view().modes, 0.0);
  given_etadot_ = given_eta_;
  for (const FlexibleData& f : view().flexible)
    f.type->initial_state(*f.instance, {given_eta_.data() + f.mode_offset, f.modes},
                          {given_etadot_.data() + f.mode_offset, f.modes});
  parts_.eta.assign(view().modes, 0.0);
  parts_.etadot = given_etadot_;
  moved_ = moved_ || std::any_of(given_eta_.begin(), given_eta_.end(), [](double x) { return x != 0; });
}

void InitialState::read_joint(std::size_t joint, const std::vector<double>& given, std::size_t offset,
                              std::size_t count, std::string_view what, std::vector<double>& into, bool& locked) {
  if (given.empty()) return;
  if (given.size() != count) {
    complain(joint, fmt::format("initial.{}", what),
             fmt::format("{} value{} given, but joint `{}` has {} {} coordinate{}", given.size(),
                         given.size() == 1 ? "" : "s", view().joints[joint].name, count, what, count == 1 ? "" : "s"),
             "see the joint's coordinates in the schema (polyform schema)");
    return;
  }
  std::copy(given.begin(), given.end(), into.begin() + static_cast<std::ptrdiff_t>(offset));
  locked = count > 0;
}

void InitialState::complain(std::size_t joint, std::string_view path, const std::string& message,
                            std::string_view remedy, Severity severity) {
  parts_.report(diagnostics_, severity, item(joint), item(joint).initial_place, path, message, remedy);
}

template <class Group>
void InitialState::report_no_batch(std::string_view kind, Strided<const Group> groups) {
  std::string names;
  for (const Group& group : groups) names += fmt::format("{}`{}`", names.empty() ? "" : ", ", group.type->name());
  diagnostics_.error(
      fmt::format("{}{} type gives no batch: its create() fails, as it does when memory runs out; there {} {}",
                  groups.size() > 1 ? "one " : "the ", kind, groups.size() > 1 ? "are" : "is", names));
  diagnostics_.blame_plugin();
}

void InitialState::first_order_states() {
  parts_.discrete.assign(view().discrete, 0);
  if (std::string_view stranger; !initial_discrete(view(), parts_.discrete, stranger)) report_strange_values(stranger);
  parts_.x.assign(view().states, 0.0);
  const ForceSet forces(view(), centred_.origin());
  if (forces.good())
    forces.initial_states(parts_.x);
  else
    report_no_batch("force", view().forces);
  if (const ModuleSet modules(view(), centred_.origin()); modules.good())
    modules.initial_states(parts_.x);
  else
    report_no_batch("module", view().modules);
  given_x_ = parts_.x;
}

/// Discrete states that begin with the motion (DiscreteAtStart), at the motion that tree_ holds.
template <class Group>
void InitialState::discrete_of_motion(const Group& group) {
  const std::size_t count = group.type->descriptor().discrete.size() * group.instances.size();
  if (count == 0) return;
  auto* const batch = group.type->create(group.instances);
  if (batch == nullptr) return;  // which has been told
  if (auto* const told = ask<DiscreteAtStart>(*batch)) {
    const std::span<std::int32_t> values = std::span(parts_.discrete).subspan(group.discrete_offset, count);
    Attachments attached(view(), group.instances, group.joints, centred_.origin());
    attached.gather(tree_.frames(), parts_.q, parts_.v);
    told->values_at_start(attached.input(0, values), values);
    if (!are_named(group.type->descriptor().discrete, values)) report_strange_values(group.type->name());
  }
  batch->destroy();
}

void InitialState::report_strange_values(std::string_view type) {
  diagnostics_.error(fmt::format("type `{}` declares discrete states, but its batches tell none of its values at the "
                                 "start, or one that the type does not name",
                                 type));
  diagnostics_.blame_plugin();
}

/// States that begin with the motion (InitialStates). Integrals of variables stay as assembly has left them.
void InitialState::states_of_motion() {
  if (view().states == 0 && view().discrete == 0) return;
  tree_.evaluate(parts_.q.data(), parts_.v.data(), parts_.eta.data(), parts_.etadot.data());
  for (const ForceInstances& group : view().forces) discrete_of_motion(group);
  for (const ConstraintInstances& group : view().constraints) discrete_of_motion(group);
  for (const ModuleInstances& group : view().modules) discrete_of_motion(group);
  ForceSet forces(view(), centred_.origin());
  forces.follow(parts_.discrete);
  forces.states_at_start(tree_.frames(), parts_.q, parts_.v, parts_.x);
  ModuleSet modules(view(), centred_.origin());
  std::vector<std::pair<std::size_t, double>> integrals;
  for (const ModuleSet::Module& m : modules.modules())
    for (const ModuleSet::Module::Integral& one : m.integrals) integrals.emplace_back(one.state, parts_.x[one.state]);
  modules.follow(parts_.discrete);
  modules.states_at_start(tree_.frames(), parts_.q, parts_.v, parts_.x);
  for (const auto& [state, value] : integrals) parts_.x[state] = value;
  if (!std::ranges::all_of(parts_.x, [](double x) { return std::isfinite(x); })) report_states();
}

void InitialState::report_states() {
  const auto report = [&](const auto& group, std::size_t first, std::size_t each) {
    for (std::size_t k = 0; k < each * group.names.size(); ++k)
      if (!std::isfinite(parts_.x[first + k]))
        return diagnostics_.error(
            fmt::format("a first-order state of `{}` ({}) is no finite number at the start", group.names[k / each],
                        group.type->name()),
            "This is a mistake in the plugin, unless its fields or the initial motion are extreme.");
  };
  for (const ForceInstances& group : view().forces) report(group, group.state_offset, group.type->state_count());
  for (const ModuleInstances& group : view().modules) {
    const std::size_t u = group.type->variables().size();
    report(group, group.state_offset, u);
    report(group, group.state_offset + u * group.names.size(), group.type->states().size());
  }
}

/// The largest rate that the model gives, rad/s or m/s: what others cancel of it leaves its rounding.
double InitialState::fastest_given() const {
  double fastest = 0;
  for (const JointItem& joint : parts_.description.joints)
    for (const double v : joint.initial_velocity) fastest = std::max(fastest, std::abs(v));
  for (const BodyItem& body : parts_.description.bodies)
    for (const auto& v : {body.velocity, body.angular_velocity})
      if (v) fastest = std::max(fastest, norm(*v));
  return fastest;
}

/// Where the rows of modules do not fit the motion of what they are attached to, u moves the least (in the scale of M)
/// that makes them fit.
void InitialState::module_states() {
  ModuleSet modules(view(), centred_.origin());
  tree_.evaluate(parts_.q.data(), parts_.v.data(), parts_.eta.data(), parts_.etadot.data());
  modules.evaluate(0, tree_.frames(), parts_.q, parts_.v, parts_.x);
  const double rounding = 64 * std::numeric_limits<double>::epsilon() * fastest_given();
  for (const ModuleSet::Module& m : modules.modules()) {
    const auto rows = static_cast<Eigen::Index>(m.rows.rows), size = static_cast<Eigen::Index>(m.variables);
    using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    Eigen::Map<Eigen::VectorXd> u(parts_.x.data() + m.u, size);
    Matrix A = Eigen::Map<const Matrix>(m.A.data(), rows, size);
    Eigen::VectorXd left = Eigen::Map<const Eigen::VectorXd>(m.rows.velocity_right.data(), rows) - A * u;
    Eigen::VectorXd terms = left.cwiseAbs() + A.cwiseAbs() * u.cwiseAbs();  // of which what is left is rounding
    for (Eigen::Index r = 0; r < rows; ++r) {
      const auto row = static_cast<std::size_t>(r);
      left[r] -= velocity_of_row(view(), m.rows, row, parts_.v);
      for (std::size_t k = 0; k < m.rows.markers.size(); ++k) {
        const Spatial& a = m.rows.A[row * m.rows.markers.size() + k];
        terms[r] += norm(a.angular) * norm(m.rows.motions[k].angular_velocity);
        terms[r] += norm(a.linear) * norm(m.rows.motions[k].velocity);
      }
      const double* b = m.rows.B.data() + row * m.rows.velocities;
      for (const JointIndex j : m.rows.joints)
        for (std::size_t k = 0; k < view().joints[at(j)].nv; ++k, ++b)
          terms[r] += std::abs(*b) * (std::abs(parts_.v[view().joints[at(j)].v_offset + k]) + rounding / met);
    }
    if (left.size() == 0 || left.isZero(0)) continue;
    Eigen::VectorXd unit(size);
    for (Eigen::Index k = 0; k < size; ++k) {
      const double own = m.M[static_cast<std::size_t>(k * (size + 1))];
      unit[k] = own > 0 ? 1 / std::sqrt(own) : 1;
    }
    if (size > 0) {
      const Eigen::VectorXd step =
          unit.cwiseProduct((A * unit.asDiagonal()).completeOrthogonalDecomposition().solve(left));
      u += step;
      left -= A * step;
    }
    if ((left.cwiseAbs().array() > met * terms.array()).any())
      diagnostics_.error(fmt::format("module `{}` cannot follow the initial motion of what it is attached to: its rows "
                                     "are off by {:.3g}",
                                     m.rows.name, left.lpNorm<Eigen::Infinity>()),
                         "change the initial velocities of its joints or bodies");
  }
}

bool build_initial_state(System::Parts& parts, Diagnostics& diagnostics) {
  return InitialState(parts, diagnostics).build();
}

}  // namespace polyform::host::assembly
