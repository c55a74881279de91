// System views built by hand, for tests that stand below the host: bodies in preorder, tree joints in the same order,
// then cut joints. Everything is placed in ground axes as drawn, as in a model file.
#pragma once

#include <algorithm>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "polyform/contract/formulation.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::test {

class HandBuilt {
 public:
  explicit HandBuilt(const Vec3& gravity = {0, 0, -9.81}) { view_.gravity = gravity; }
  HandBuilt(const HandBuilt&) = delete;

  BodyIndex add_body(const std::string& name, const Pose& drawn, double mass, const Vec3& center, const Sym3& inertia) {
    bodies_.push_back({keep(name), mass, center, inertia, rigid});
    drawn_.push_back(drawn);
    return body_index(bodies_.size() - 1);
  }
  /// axes in ground as drawn.
  JointIndex add_joint(const std::string& name, BodyIndex base, BodyIndex moving, const Vec3& position,
                       std::vector<Primitive> primitives) {
    const Pose b = pose(base), m = pose(moving);
    const Mat3 Rb = rotation_matrix(b.orientation), Rm = rotation_matrix(m.orientation);
    JointData joint;
    joint.name = keep(name);
    joint.base = base;
    joint.moving = moving;
    joint.base_frame = frame_of(base);
    joint.moving_frame = frame_of(moving);
    joint.p_base = transpose_times(Rb, position - b.position);
    joint.p_moving = transpose_times(Rm, position - m.position);
    joint.R_drawn = transpose_times(Rb, Rm);
    for (Primitive& p : primitives) {
      if (p.kind != Primitive::Kind::ball) p.axis = (1 / norm(p.axis)) * transpose_times(Rb, p.axis);
      joint.nq += position_count(p.kind);
      joint.nv += velocity_count(p.kind);
    }
    primitives_.push_back(std::move(primitives));
    joint.primitives = primitives_.back();
    joints_.push_back(joint);
    return joint_index(joints_.size() - 1);
  }
  JointIndex revolute(const std::string& name, BodyIndex base, BodyIndex moving, const Vec3& position,
                      const Vec3& axis) {
    return add_joint(name, base, moving, position, {{Primitive::Kind::rotation, axis}});
  }
  JointIndex spherical(const std::string& name, BodyIndex base, BodyIndex moving, const Vec3& position) {
    return add_joint(name, base, moving, position, {{Primitive::Kind::ball, {}}});
  }
  JointIndex free(const std::string& name, BodyIndex moving) {
    return add_joint(name, BodyIndex::ground, moving, pose(moving).position,
                     {{Primitive::Kind::translation, {1, 0, 0}},
                      {Primitive::Kind::translation, {0, 1, 0}},
                      {Primitive::Kind::translation, {0, 0, 1}},
                      {Primitive::Kind::ball, {}}});
  }
  /// Groups of elements that the caller owns.
  void set_forces(Strided<const ForceInstances> groups, std::size_t states = 0) {
    view_.forces = groups;
    view_.states = states;
  }
  void set_constraints(Strided<const ConstraintInstances> groups) { view_.constraints = groups; }

  /// Makes the body flexible; its rigid part stays as its hub. The caller owns the type, which needs no fields. Joints
  /// with less than six freedoms attach to nodes, one for each.
  void set_flexible(BodyIndex b, const FlexibleBodyType& type) {
    static const FlexibleInstance no_fields;
    FlexibleData data;
    data.type = &type;
    data.instance = &no_fields;
    data.body = b;
    data.modes = type.modes(no_fields);
    data.mode_offset = view_.modes;
    view_.modes += data.modes;
    bodies_[at(b)].flexible = flexible_.size();
    flexible_.push_back(data);
  }

  BodyData& body(BodyIndex b) { return bodies_[at(b)]; }
  JointData& joint(JointIndex j) { return joints_[at(j)]; }

  /// Call it when all is added; sets the offsets of the coordinates.
  const SystemView& view() {
    view_.nq = view_.nv = 0;
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      joints_[j].q_offset = view_.nq;
      joints_[j].v_offset = view_.nv;
      view_.nq += joints_[j].nq;
      view_.nv += joints_[j].nv;
      if (j + 1 == bodies_.size()) {
        view_.nq_tree = view_.nq;
        view_.nv_tree = view_.nv;
      }
    }
    view_.bodies = bodies_;
    view_.flexible = flexible_;
    if (nodes_.empty() && !flexible_.empty()) make_nodes();
    view_.joints = joints_;
    view_.nodes = nodes_;
    return view_;
  }

 private:
  void make_nodes() {
    for (const FlexibleData& f : flexible_)
      for (JointData& joint : joints_) {
        if (joint.nv == 6) continue;
        if (joint.base == f.body) attach(f, joint.base_frame, joint.p_base);
        if (joint.moving == f.body) attach(f, joint.moving_frame, joint.p_moving);
      }
  }
  void attach(const FlexibleData& f, FrameIndex& frame, Vec3& point) {
    auto& displacement = shapes_.emplace_back(3 * f.modes);
    auto& rotation = shapes_.emplace_back(3 * f.modes);
    ModeShapes shapes{.displacement = displacement, .rotation = rotation};
    f.type->shapes_at(*f.instance, point, shapes);
    frame = frame_index(bodies_.size() + nodes_.size());
    nodes_.push_back({f.body, point, displacement, rotation});
    point = {};
  }
  std::string_view keep(const std::string& name) { return names_.emplace_back(name); }
  Pose pose(BodyIndex b) const { return is_ground(b) ? Pose{} : drawn_[at(b)]; }

  std::deque<std::string> names_;
  std::deque<std::vector<Primitive>> primitives_;
  std::vector<Pose> drawn_;
  std::vector<BodyData> bodies_;
  std::vector<JointData> joints_;
  std::vector<FlexibleData> flexible_;
  std::vector<FlexibleNode> nodes_;
  std::deque<std::vector<double>> shapes_;
  SystemView view_;
};

/// A canonical state of a view, as drawn and at rest.
struct State {
  std::vector<double> q, v, eta, etadot, x;

  explicit State(const SystemView& view) : q(view.nq), v(view.nv), eta(view.modes), etadot(view.modes), x(view.states) {
    for (const JointData& joint : view.joints) joint_neutral(joint, q.data() + joint.q_offset);
  }
  StateView view() { return {.q = q, .v = v, .eta = eta, .etadot = etadot, .x = x}; }
  ConstStateView constant() const { return {.q = q, .v = v, .eta = eta, .etadot = etadot, .x = x}; }
};

/// An observation with its arrays.
struct Observed {
  std::vector<Observation::Body> bodies;
  State state;
  std::vector<double> acceleration, modal_acceleration, state_rates, module_multipliers, constraint_multipliers;
  std::vector<Spatial> reactions;
  Observation observation;

  explicit Observed(const SystemView& view)
      : bodies(view.bodies.size()),
        state(view),
        acceleration(view.nv),
        modal_acceleration(view.modes),
        state_rates(view.states),
        module_multipliers(view.module_rows),
        constraint_multipliers(view.constraint_rows()),
        reactions(view.joints.size()) {
    observation.bodies = bodies;
    observation.q = state.q;
    observation.v = state.v;
    observation.eta = state.eta;
    observation.etadot = state.etadot;
    observation.x = state.x;
    observation.acceleration = acceleration;
    observation.modal_acceleration = modal_acceleration;
    observation.state_rates = state_rates;
    observation.module_multipliers = module_multipliers;
    observation.constraint_multipliers = constraint_multipliers;
    observation.reactions = reactions;
  }
};

/// The classical Runge–Kutta method with a correction after each step. False when the solver failed.
inline bool integrate(Solver& solver, std::vector<double>& y, double& t, double step, std::size_t steps,
                      bool correct = true) {
  std::vector<double> k1(y.size()), k2(y.size()), k3(y.size()), k4(y.size()), stage(y.size());
  const auto offset = [&](double h, const std::vector<double>& k) {
    for (std::size_t i = 0; i < y.size(); ++i) stage[i] = y[i] + h * k[i];
  };
  const double start = t;
  for (std::size_t s = 0; s < steps; ++s) {
    bool ok = solver.derivative(t, y, k1) == Status::ok;
    offset(0.5 * step, k1);
    ok = ok && solver.derivative(t + 0.5 * step, stage, k2) == Status::ok;
    offset(0.5 * step, k2);
    ok = ok && solver.derivative(t + 0.5 * step, stage, k3) == Status::ok;
    offset(step, k3);
    ok = ok && solver.derivative(t + step, stage, k4) == Status::ok;
    if (!ok) return false;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += step / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    t = start + static_cast<double>(s + 1) * step;
    Correction correction;
    if (correct && solver.correct(t, y, correction) != Status::ok) return false;
  }
  return true;
}

}  // namespace polyform::test
