#include "framework/workbench/comparison/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "framework/diagnostics.hpp"
#include "framework/host/columns/constraint_forces.hpp"
#include "framework/host/evaluation/joint_units.hpp"
#include "polyform/contract/near_rows.hpp"
#include "polyform/contract/unilateral.hpp"
#include "polyform/mechanics/force_set.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::host::inline comparison {

namespace {

constexpr const char* room = "Make room in the folder for temporary files, or compare with a larger --output-interval.";

[[noreturn]] void fail_to_store() {
  throw Failure(Exit::simulation_failed, "the trajectories to compare do not fit into the folder for temporary files",
                room);
}

}  // namespace

std::string_view name_of(Quantity quantity) {
  constexpr std::string_view names[] = {
      "position",           "angle", "joint", "modal", "force", "moment", "acceleration", "angular_acceleration",
      "joint_acceleration", "output"};
  return names[static_cast<std::size_t>(quantity)];
}

TraceLayout::TraceLayout(const System& system)
    : system_(system), view_(system.view()), orientations_(view_.bodies.size(), none) {
  using Kind = TraceItem::Kind;
  for (const BodyIndex b : system.bodies()) {
    const BodyData& body = view_.bodies[at(b)];
    bodies_.push_back(at(b));
    add(Quantity::position, Kind::vector, true, body.name);
    orientations_[at(b)] = width();
    add(Quantity::angle, Kind::quaternion, false, body.name);
    const double inertia = body.inertia.xx + body.inertia.yy + body.inertia.zz;
    reach_ = std::max({reach_, norm(body.center_of_mass), body.mass > 0 ? std::sqrt(inertia / 2 / body.mass) : 0});
  }
  for (const JointIndex j : system.joints()) {
    const JointData& joint = view_.joints[at(j)];
    joints_.push_back(at(j));
    add_coordinates(joint);
    reach_ = std::max({reach_, norm(joint.p_base), norm(joint.p_moving)});
  }
  for (const FlexibleData& flexible : view_.flexible)
    for (std::size_t k = 0; k < flexible.modes; ++k)
      add(Quantity::modal, Kind::number, false, view_.bodies[at(flexible.body)].name);
  const ConstraintCount count = system.count_constraints();
  const std::vector<OpenDirections>& open = count.open;
  auto next = open.begin();
  for (const std::size_t j : joints_) {
    if (next != open.end() && at(next->joint()) == j) open_.push_back({{j, BodyIndex::ground, *next++}, width()});
    add(Quantity::force, Kind::vector, false, view_.joints[j].name);
    add(Quantity::moment, Kind::vector, false, view_.joints[j].name);
  }
  const SystemScales scales(view_);
  for (const std::size_t b : bodies_) {
    const double mass = scales.mass(b), reach = scales.reach(b);
    add(Quantity::acceleration, Kind::vector, false, view_.bodies[b].name, mass);
    add(Quantity::angular_acceleration, Kind::vector, false, view_.bodies[b].name, mass * reach * reach);
  }
  for (const std::size_t j : joints_) add_accelerations(view_.joints[j]);
  if (has_outputs(view_)) {
    const ElementOutputs outputs(view_);
    for (const auto& [element, variable] : outputs.names())
      add(Quantity::output, Kind::number, false,
          kept(fmt::format("{}, {}", column_name(element, variable.name), variable.unit)));
  }
  for (const ConstraintForce& force : constraint_forces(view_)) {
    if (std::ranges::find(count.open_rows, force.row) != count.open_rows.end()) continue;
    add(Quantity::output, Kind::number, false, kept(fmt::format("{}.{}, {}", force.element, force.name, force.unit)));
    constraint_rows_.push_back(force.row);
  }
  add_switches();
  if (!open_.empty()) {
    state_ = width();
    for (std::size_t k = view_.nq + view_.nv + 2 * view_.modes; k > 0; --k) pass();
  }
  acting_ = acting_at_start(system);
}

void TraceItems::add(Quantity quantity, TraceItem::Kind kind, bool length, std::string_view name, double inertia) {
  items_.push_back({quantity, kind, length, width_, name, inertia});
  width_ += items_.back().size();
}

void TraceLayout::add_coordinates(const JointData& joint) {
  using Kind = TraceItem::Kind;
  for (const Primitive& primitive : joint.primitives) switch (primitive.kind) {
      case Primitive::Kind::rotation: add(Quantity::joint, Kind::turn, false, joint.name); break;
      case Primitive::Kind::translation: add(Quantity::joint, Kind::number, true, joint.name); break;
      case Primitive::Kind::ball: add(Quantity::joint, Kind::quaternion, false, joint.name); break;
    }
  if (joint.kernel == nullptr) return;
  const std::vector<Variable> own = positions_of(joint);
  for (std::size_t k = 0; k < joint.nq; ++k) {
    if (k >= own.size()) {
      pass();  // the clock
    } else if (own[k].kind == Variable::Kind::quaternion) {
      add(Quantity::joint, Kind::quaternion, false, joint.name);
      k += 3;
    } else if (own[k].unit == "m" || own[k].unit == "rad") {
      const bool length = own[k].unit == "m";
      add(Quantity::joint, length ? Kind::number : Kind::turn, length, told(joint, own[k]));
    } else {
      add(Quantity::output, Kind::number, false, kept(fmt::format("{}, {}", told(joint, own[k]), own[k].unit)));
    }
  }
}

std::string_view TraceLayout::kept(std::string name) { return names_.emplace_back(std::move(name)); }

/// A joint and the name that its type gives one of its coordinates or velocities.
std::string_view TraceLayout::told(const JointData& joint, const Variable& own) {
  return own.name.empty() ? joint.name : kept(fmt::format("{}.{}", joint.name, own.name));
}

void TraceLayout::add_accelerations(const JointData& joint) {
  using Kind = TraceItem::Kind;
  const auto one = [&](Kind kind, bool length) { add(Quantity::joint_acceleration, kind, length, joint.name); };
  for (const Primitive& primitive : joint.primitives)
    one(primitive.kind == Primitive::Kind::ball ? Kind::vector : Kind::number,
        primitive.kind == Primitive::Kind::translation);
  if (joint.kernel == nullptr) return;
  for (const Variable& own : velocities_of(joint)) {
    if (own.unit == "m/s" || own.unit == "rad/s")
      one(Kind::number, own.unit == "m/s");
    else
      add(Quantity::output, Kind::number, false,
          kept(fmt::format("d/dt {}, {}{}", told(joint, own), own.unit, own.unit.ends_with("/s") ? "^2" : "/s")));
  }
}

/// The states without a unit of elements that touch, stick or lock.
void TraceLayout::add_switches() {
  for (const ForceInstances& group : view_.forces) {
    if (!UnilateralRows::are_of(*group.type) && !NearRows::are_of(*group.type)) continue;
    const auto states = group.type->descriptor().states;
    for (std::size_t k = 0; k < states.size() * group.instances.size(); ++k) {
      if (states[k % states.size()].unit != "1") continue;
      switched_.push_back(group.state_offset + k);
      add_switch();
    }
  }
}

Scale acting_at_start(const System& system) {
  const SystemView& view = system.view();
  const ConstStateView start = system.initial_state();
  TreeKinematics tree(view);
  tree.evaluate(start.q.data(), start.v.data(), start.eta.data(), start.etadot.data());
  ForceSet forces(view);
  std::vector<Spatial> loads(view.frames());
  std::vector<double> efforts(view.nv), rates(view.states);
  if (forces.good())
    forces.evaluate(system.start_time(), tree.frames(), start.q, start.v, start.x, loads, efforts, rates);
  const SystemScales scales(view);
  Scale acting = scales.of_system(tree.frames(), std::span(loads).first(view.bodies.size()));
  // Springs that balance each other have no resultant load but their round-off.
  const double stored = std::abs(forces.potential_energy()), reach = scales.largest_reach();
  acting.force = std::max(acting.force, reach > 0 ? stored / reach : 0);
  acting.moment = std::max(acting.moment, stored);
  return acting;
}

bool TraceItems::has(Quantity quantity) const {
  return std::any_of(items_.begin(), items_.end(), [&](const TraceItem& item) { return item.quantity == quantity; });
}

void TraceLayout::fill(const Observation& now, std::span<const double> outputs, std::span<double> row) const {
  double* out = row.data();
  const auto put = [&out](const Vec3& v) {
    for (const double value : {v.x, v.y, v.z}) *out++ = value;
  };
  for (const std::size_t b : bodies_) {
    const auto& [q, p] = now.bodies[b].pose;
    for (const double value : {p.x, p.y, p.z, q.w, q.x, q.y, q.z}) *out++ = value;
  }
  for (const std::size_t j : joints_)
    out = std::copy_n(now.q.data() + view_.joints[j].q_offset, view_.joints[j].nq, out);
  for (const FlexibleData& flexible : view_.flexible)
    out = std::copy_n(now.eta.data() + flexible.mode_offset, flexible.modes, out);
  for (const std::size_t j : joints_) {
    put(now.reactions[j].linear);
    put(now.reactions[j].angular);
  }
  for (const std::size_t b : bodies_) {
    put(now.bodies[b].acceleration);
    put(now.bodies[b].angular_acceleration);
  }
  for (const std::size_t j : joints_)
    out = std::copy_n(now.acceleration.data() + view_.joints[j].v_offset, view_.joints[j].nv, out);
  out = std::ranges::copy(outputs, out).out;
  for (const std::size_t k : constraint_rows_) *out++ = now.constraint_multipliers[k];
  for (const std::size_t k : switched_) *out++ = now.x[k];
  if (state_ == none) return;
  for (const std::span<const double> part : {std::span<const double>(now.q), std::span<const double>(now.v),
                                             std::span<const double>(now.eta), std::span<const double>(now.etadot)})
    out = std::copy(part.begin(), part.end(), out);
}

/// The axes of ground, or of a body of the user.
Mat3 TraceLayout::axes(std::span<const double> row, BodyIndex body) const {
  if (is_ground(body) || orientations_[at(body)] == none) return Mat3::identity();
  const double* q = row.data() + orientations_[at(body)];
  return rotation_matrix(normalized(Quat{q[0], q[1], q[2], q[3]}));
}

void TraceLayout::leave_open(TraceRows& run) {
  if (open_.empty()) return;
  std::vector<double> row(width());
  const std::vector<double> x(view_.states);
  OpenReactions open(system_);
  const std::size_t count = run.rewind();
  for (std::size_t k = 0, taken = 0; k < count && taken < OpenReactions::states; ++k) {
    run.next_as_stored(row);
    if (k * (OpenReactions::states - 1) < taken * (count - 1)) continue;
    ++taken;
    if (!std::all_of(row.begin(), row.end(), [](double value) { return std::isfinite(value); })) continue;
    std::size_t next = state_;
    const auto part = [&](std::size_t n) {
      const std::span<const double> numbers(row.data() + next, n);
      next += n;
      return numbers;
    };
    const auto q = part(view_.nq), v = part(view_.nv), eta = part(view_.modes), etadot = part(view_.modes);
    open.add({.q = q, .v = v, .eta = eta, .etadot = etadot, .x = x},
             [&](BodyIndex b) { return std::optional(axes(row, b)); });
  }
  std::map<std::size_t, std::size_t> forces;  // where those of each joint stand
  for (std::size_t k = 0; const TraceItem& item : items())
    if (item.quantity == Quantity::force) forces[joints_[k++]] = item.offset;
  open_.clear();
  for (OpenReaction& reaction : open.found()) {
    const std::size_t force = forces.at(reaction.joint);
    open_.push_back({std::move(reaction), force});
  }
}

void TraceLayout::keep_unique(std::span<double> row) const {
  for (const OpenPlace& open : open_) {
    double* f = row.data() + open.force;
    const Spatial r =
        open.reaction.unique_part({{f[3], f[4], f[5]}, {f[0], f[1], f[2]}}, axes(row, open.reaction.axes));
    for (const double value : {r.linear.x, r.linear.y, r.linear.z, r.angular.x, r.angular.y, r.angular.z}) *f++ = value;
  }
}

TraceRows::TraceRows(std::size_t width) : file_(std::tmpfile()), buffer_(1 + width) {
  if (!file_)
    throw Failure(Exit::simulation_failed, "no temporary file could be made for the trajectories to compare", room);
}

void TraceRows::put(double time, std::span<const double> row) {
  buffer_.front() = time;
  std::copy(row.begin(), row.end(), buffer_.begin() + 1);
  if (std::fwrite(buffer_.data(), sizeof(double), buffer_.size(), file_.get()) != buffer_.size()) fail_to_store();
}

void TraceRows::flush() {
  if (std::fflush(file_.get()) != 0) fail_to_store();
}

std::size_t TraceRows::rewind() {
  std::fseek(file_.get(), 0, SEEK_END);
  const long bytes = std::ftell(file_.get());
  std::rewind(file_.get());
  return bytes < 0 ? 0 : static_cast<std::size_t>(bytes) / (buffer_.size() * sizeof(double));
}

double TraceRows::next(std::span<double> row) {
  const double time = next_as_stored(row);
  refine(row);
  return time;
}

double TraceRows::next_as_stored(std::span<double> row) {
  if (std::fread(buffer_.data(), sizeof(double), buffer_.size(), file_.get()) != buffer_.size())
    throw Failure(Exit::simulation_failed,
                  "the trajectories to compare could not be read back from the temporary file");
  std::copy(buffer_.begin() + 1, buffer_.end(), row.begin());
  return buffer_.front();
}

void Trace::row(double time, const Observation& now) {
  layout_.fill(now, outputs_ ? outputs_->evaluate(time, now) : std::span<const double>(), row_);
  put(time, row_);
}

}  // namespace polyform::host::comparison
