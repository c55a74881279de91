#include "framework/host/columns/row_maker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <unordered_set>

#include "framework/host/columns/column_choice.hpp"
#include "framework/host/columns/constraint_forces.hpp"
#include "framework/host/evaluation/joint_units.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::host::inline columns {

namespace {

/// The factor that gives a quaternion the sign of a first row.
double first_sign(const Quat& q) {
  constexpr double vanishing = 1e-12;  // rounding of a component of a unit quaternion
  for (const double component : {q.w, q.x, q.y, q.z})
    if (std::abs(component) > vanishing) return component < 0 ? -1.0 : 1.0;
  return 1.0;
}

/// `<joint>.q` for one coordinate, `<joint>.q[k]` for more.
void add_coordinates(std::vector<Channel>& channels, std::string_view joint, char letter,
                     const std::vector<Variable>& coordinates) {
  for (std::size_t k = 0; k < coordinates.size(); ++k)
    channels.push_back(
        {coordinates.size() == 1 ? fmt::format("{}.{}", joint, letter) : fmt::format("{}.{}[{}]", joint, letter, k),
         std::string(coordinates[k].unit),
         {},
         std::string(coordinates[k].name)});
}

double* put(double* out, const Vec3& v) {
  *out++ = v.x;
  *out++ = v.y;
  *out++ = v.z;
  return out;
}
double* put(double* out, const Quat& q, double sign) {
  *out++ = sign * q.w;
  *out++ = sign * q.x;
  *out++ = sign * q.y;
  *out++ = sign * q.z;
  return out;
}

}  // namespace

RowMaker::RowMaker(const System& system, const Columns& columns) : view_(system.view()), columns_(columns) {
  body_angles(system, columns.euler_angles);  // also where no column has angles
  channels_.push_back({"time", "s"});
  ColumnChoice choice(columns);
  const auto group = [&](bool Columns::*asked, const auto& add, const auto& drop) {
    const std::size_t first = channels_.size();
    columns_.*asked = columns.*asked || choice.is_open();
    if (!(columns_.*asked)) return;
    add();
    columns_.*asked = choice.take(channels_, first, columns.*asked);
    if (!(columns_.*asked)) drop();
  };
  const auto add_all = [&](const auto& named) {
    for (const auto& [name, unit] : named) channels_.push_back({name, unit});
  };
  const auto nothing = [] {};
  group(
      &Columns::joints,
      [&] {
        for (const JointIndex j : system.joints())
          if (columns.joints || choice.may_have(view_.joints[at(j)].name)) add_joint(view_.joints[at(j)]);
      },
      [&] { joints_.clear(), balls_.clear(); });
  group(
      &Columns::bodies,
      [&] {
        for (const BodyIndex b : system.bodies()) {
          if (!columns.bodies && !choice.may_have(view_.bodies[at(b)].name)) continue;
          bodies_.push_back(columns_of(b));
          add_body(view_.bodies[at(b)]);
        }
      },
      [&] { bodies_.clear(); });
  group(
      &Columns::energy,
      [&] {
        add_all(std::array{std::pair("energy.kinetic", "J"), std::pair("energy.potential", "J"),
                           std::pair("energy.total", "J"), std::pair("energy.power", "W"),
                           std::pair("energy.work", "J"), std::pair("energy.balance", "J")});
      },
      nothing);
  group(
      &Columns::constraints,
      [&] {
        add_all(std::array{std::pair("constraint.position", "m or rad"),
                           std::pair("constraint.velocity", "m/s or rad/s"),
                           std::pair("correction.position", "m or rad"),
                           std::pair("correction.velocity", "m/s or rad/s"), std::pair("correction.iterations", "1")});
      },
      nothing);
  group(
      &Columns::modules, [&] { add_modules(); }, [&] { module_states_.clear(); });
  group(
      &Columns::elements,
      [&] {
        add_elements();
        for (const ForceInstances& instances : view_.forces) add_discrete(instances);
        for (const ConstraintInstances& instances : view_.constraints) add_discrete(instances);
        for (const ModuleInstances& instances : view_.modules) add_discrete(instances);
      },
      [&] { force_states_.clear(), outputs_.reset(); });
  group(
      &Columns::reactions,
      [&] {
        for (const JointIndex j : system.joints()) {
          if (!columns.reactions && !choice.may_have(view_.joints[at(j)].name)) continue;
          reactions_.push_back(at(j));
          add_reaction(view_.joints[at(j)]);
        }
        add_multipliers();
      },
      [&] { reactions_.clear(), constraint_rows_.clear(); });
  group(
      &Columns::accelerations,
      [&] {
        add_accelerations(system,
                          [&](std::string_view name) { return columns.accelerations || choice.may_have(name); });
      },
      [&] { accelerated_ = {}; });
  group(
      &Columns::body_axes,
      [&] { body_axes_ = std::make_unique<BodyAxesColumns>(system, columns.euler_angles, channels_); },
      [&] { body_axes_.reset(); });
  group(
      &Columns::violations,
      [&] {
        violations_ = std::make_unique<ViolationColumns>(system);
        std::ranges::copy(violations_->channels(), std::back_inserter(channels_));
      },
      [&] { violations_.reset(); });
  check_names();
  row_.resize(choice.row_size(channels_));
  chosen_ = choice.end(channels_);
  chosen_row_.resize(chosen_.size());
}

RowMaker::BodyColumns RowMaker::columns_of(BodyIndex b) const {
  const BodyData& body = view_.bodies[at(b)];
  if (body.flexible == rigid) return {at(b), 0, 0};
  const FlexibleData& flexible = view_.flexible[body.flexible];
  return {at(b), flexible.modes, flexible.mode_offset};
}

void RowMaker::add_accelerations(const System& system, const std::function<bool(std::string_view)>& may_have) {
  for (const JointIndex j : system.joints()) {
    const JointData& joint = view_.joints[at(j)];
    if (!may_have(joint.name)) continue;
    accelerated_.joints.push_back({joint.q_offset, own_positions(joint), joint.v_offset, joint.nv});
    const std::size_t first = channels_.size();
    add_coordinates(channels_, joint.name, 'a', velocities_of(joint));
    for (std::size_t c = first; c < channels_.size(); ++c) {
      channels_[c].unit += channels_[c].unit.ends_with("/s") ? "^2" : "/s";
      channels_[c].own_name.clear();  // it is that of the velocity
    }
  }
  for (const BodyIndex b : system.bodies()) {
    const BodyData& body = view_.bodies[at(b)];
    if (!may_have(body.name)) continue;
    accelerated_.bodies.push_back(columns_of(b));
    for (const char* name : {"ax", "ay", "az"}) channels_.push_back({fmt::format("{}.{}", body.name, name), "m/s^2"});
    for (const char* name : {"alphax", "alphay", "alphaz"})
      channels_.push_back({fmt::format("{}.{}", body.name, name), "rad/s^2"});
    for (std::size_t k = 0; k < accelerated_.bodies.back().modes; ++k)
      channels_.push_back({fmt::format("{}.etaddot[{}]", body.name, k), "1/s^2"});
  }
}

double* RowMaker::put_accelerations(const Observation& now, double* out) const {
  for (const JointColumns& j : accelerated_.joints) out = std::copy_n(now.acceleration.data() + j.v, j.nv, out);
  for (const BodyColumns& b : accelerated_.bodies) {
    out = put(out, now.bodies[b.body].acceleration);
    out = put(out, now.bodies[b.body].angular_acceleration);
    out = std::copy_n(now.modal_acceleration.data() + b.mode_offset, b.modes, out);
  }
  return out;
}

void RowMaker::add_joint(const JointData& joint) {
  joints_.push_back({joint.q_offset, own_positions(joint), joint.v_offset, joint.nv});
  if (joint.type != nullptr) {
    const TypeDescriptor& told = joint.type->descriptor();
    for (std::size_t k = 0; k + 4 <= joint.nq; ++k) {
      if (told.positions[k].kind != Variable::Kind::quaternion) continue;
      balls_.push_back({joint.q_offset + k, channels_.size() + k});
      k += 3;
    }
  }
  std::size_t q = 0;
  for (const Primitive& primitive : joint.primitives) {
    if (primitive.kind == Primitive::Kind::ball) balls_.push_back({joint.q_offset + q, channels_.size() + q});
    q += position_count(primitive.kind);
  }
  add_coordinates(channels_, joint.name, 'q', positions_of(joint));
  add_coordinates(channels_, joint.name, 'v', velocities_of(joint));
}

void RowMaker::add_body(const BodyData& body) {
  constexpr std::pair<const char*, const char*> quantities[] = {
      {"x", "m"},    {"y", "m"},    {"z", "m"},    {"qw", "1"},     {"qx", "1"},     {"qy", "1"},    {"qz", "1"},
      {"vx", "m/s"}, {"vy", "m/s"}, {"vz", "m/s"}, {"wx", "rad/s"}, {"wy", "rad/s"}, {"wz", "rad/s"}};
  for (const auto& [name, unit] : quantities) channels_.push_back({fmt::format("{}.{}", body.name, name), unit});
  const std::size_t modes = bodies_.back().modes;
  for (std::size_t k = 0; k < modes; ++k) channels_.push_back({fmt::format("{}.eta[{}]", body.name, k), "1"});
  for (std::size_t k = 0; k < modes; ++k) channels_.push_back({fmt::format("{}.etadot[{}]", body.name, k), "1/s"});
}

void RowMaker::add_reaction(const JointData& joint) {
  for (const char* name : {"fx", "fy", "fz"}) channels_.push_back({fmt::format("{}.{}", joint.name, name), "N"});
  for (const char* name : {"mx", "my", "mz"}) channels_.push_back({fmt::format("{}.{}", joint.name, name), "N m"});
}

void RowMaker::add_modules() {
  for (const ModuleInstances& group : view_.modules) {
    const auto u = group.type->variables(), x = group.type->states();
    const std::size_t first_x = group.state_offset + group.names.size() * u.size();
    for (std::size_t i = 0; i < group.names.size(); ++i) {
      const auto add = [&](Strided<const Variable> own, std::size_t first) {
        for (std::size_t k = 0; k < own.size(); ++k) {
          channels_.push_back(
              {column_name(element_name(group, group.names[i]), own[k].name), std::string(own[k].unit), "modules"});
          module_states_.push_back(first + i * own.size() + k);
        }
      };
      add(u, group.state_offset);
      add(x, first_x);
    }
  }
}

void RowMaker::add_elements() {
  const auto add = [&](std::string_view element, const Variable& number) {
    channels_.push_back({column_name(element, number.name), std::string(number.unit), "elements"});
  };
  for (const ForceInstances& group : view_.forces) {
    std::size_t state = group.state_offset;
    for (const std::string_view name : group.names)
      for (const Variable& one : group.type->descriptor().states) {
        add(element_name(group, name), one);
        force_states_.push_back(state++);
      }
  }
  if (!has_outputs(view_)) return;
  outputs_ = std::make_unique<ElementOutputs>(view_);
  for (const ElementOutputs::Name& name : outputs_->names()) add(name.element, name.output);
}

/// Elements choose the names of their numbers, and a force, constraint, module, body and joint may have the same name.
void RowMaker::check_names() const {
  std::unordered_set<std::string_view> own;
  const auto report = [](const std::string& name) {
    throw Failure(Exit::bad_input, fmt::format("two columns of the results have the name {}", name),
                  fmt::format("Two parts of the model are called {}, and both have such a number: rename one of them.",
                              name.substr(0, name.rfind('.'))));
  };
  for (const Channel& channel : channels_)
    if (!channel.group.empty() && !own.insert(channel.name).second) report(channel.name);
  if (own.empty()) return;
  for (const Channel& channel : channels_)
    if (channel.group.empty() && own.contains(channel.name)) report(channel.name);
}

template <class Group>
void RowMaker::add_discrete(const Group& group) {
  for (const std::string_view element : group.names)
    for (const DiscreteVariable& own : group.type->descriptor().discrete)
      channels_.push_back({column_name(element_name(group, element), own.name), "1", "elements"});
}

void RowMaker::add_multipliers() {
  for (const ConstraintForce& force : constraint_forces(view_)) {
    channels_.push_back({fmt::format("{}.{}", force.element, force.name), force.unit, "reactions"});
    constraint_rows_.push_back(force.row);
  }
  for (const ModuleInstances& group : view_.modules)
    for (const std::string_view name : group.names)
      for (const Variable& row : group.type->rows())
        channels_.push_back({column_name(element_name(group, name), row.name), std::string(row.unit), "reactions"});
}

void RowMaker::settle_signs(const Observation& now) {
  for (BodyColumns& b : bodies_) b.sign = first_sign(now.bodies[b.body].pose.orientation);
  for (BallColumns& b : balls_) {
    const double* q = now.q.data() + b.q;
    b.sign = first_sign({q[0], q[1], q[2], q[3]});
  }
  settled_ = true;
}

std::span<const double> RowMaker::make(double time, const Observation& now, double work) {
  if (!settled_) settle_signs(now);
  double* out = row_.data();
  *out++ = time;
  for (const JointColumns& j : joints_) {
    out = std::copy_n(now.q.data() + j.q, j.nq, out);
    out = std::copy_n(now.v.data() + j.v, j.nv, out);
  }
  for (const BallColumns& b : balls_)
    for (std::size_t k = 0; k < 4; ++k) row_[b.column + k] *= b.sign;
  for (const BodyColumns& b : bodies_) {
    const Observation::Body& body = now.bodies[b.body];
    out = put(out, body.pose.position);
    out = put(out, body.pose.orientation, b.sign);
    out = put(out, body.velocity);
    out = put(out, body.angular_velocity);
    out = std::copy_n(now.eta.data() + b.mode_offset, b.modes, out);
    out = std::copy_n(now.etadot.data() + b.mode_offset, b.modes, out);
  }
  if (columns_.energy) {
    *out++ = now.kinetic_energy;
    *out++ = now.potential_energy;
    *out++ = now.kinetic_energy + now.potential_energy;
    *out++ = now.power;
    *out++ = work;
    *out++ = now.kinetic_energy + now.potential_energy - work;
  }
  if (columns_.constraints) {
    *out++ = now.position_violation;
    *out++ = now.velocity_violation;
    *out++ = now.correction->position_residual;
    *out++ = now.correction->velocity_residual;
    *out++ = static_cast<double>(now.correction->iterations);
  }
  for (const std::size_t k : module_states_) *out++ = now.x[k];
  for (const std::size_t k : force_states_) *out++ = now.x[k];
  if (outputs_) out = std::ranges::copy(outputs_->evaluate(time, now), out).out;
  if (columns_.elements)
    for (const std::int32_t value : now.discrete) *out++ = value;
  for (const std::size_t j : reactions_) {
    out = put(out, now.reactions[j].linear);
    out = put(out, now.reactions[j].angular);
  }
  for (const std::size_t row : constraint_rows_) *out++ = now.constraint_multipliers[row];
  if (columns_.reactions) out = std::copy(now.module_multipliers.begin(), now.module_multipliers.end(), out);
  out = put_accelerations(now, out);
  if (body_axes_) out = body_axes_->put(now, out);
  if (violations_) violations_->put(time, now, out);
  if (chosen_.empty()) return row_;
  for (std::size_t c = 0; c < chosen_.size(); ++c) chosen_row_[c] = row_[chosen_[c]];
  return chosen_row_;
}

}  // namespace polyform::host::columns
