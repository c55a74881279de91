// For tests of forces, constraints and modules: one instance by itself, without a model, a host or a solver. Joints
// have joint_test.hpp.
//
//   polyform::testing::ElementTest spring(example::hardening_spring);
//   spring.set("stiffness", 50).set("hardening", 0).set("free_length", 0.8).attach("a").attach("b");
//   spring.create();
//   spring.marker(1).position = {0, 0, -1};
//   assert(spring.evaluate().wrenches[1].linear.z == 10);     // pulled up by 50 N/m × 0.2 m
//
// Misuse throws std::invalid_argument, a refusal of define() std::runtime_error, both with a sentence.
#pragma once

#include <cmath>
#include <cstddef>
#include <deque>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "polyform/contract/constraint_element.hpp"
#include "polyform/contract/events.hpp"
#include "polyform/contract/initial_states.hpp"
#include "polyform/contract/module.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/helpers/test_fields.hpp"

namespace polyform::testing {

/// The results of one call of evaluate for one instance: for a force the first four lines, for a constraint `rows`, for
/// a module all. Names and shapes are those of ForceOutput, ConstraintOutput and ModuleOutput.
struct ElementResult {
  std::vector<Spatial> wrenches;
  std::vector<double> efforts;
  std::vector<double> state_rates;  ///< of a module: xdot
  double potential_energy = 0, power = 0;

  std::vector<Spatial> A_markers;  ///< rows × markers: A of a constraint, C of a module
  std::vector<double> B, residual, velocity_right, acceleration_right, effort;

  std::vector<double> M, f, A;  ///< of a module
  double kinetic_energy = 0;
};

/// One instance of a ForceType, ConstraintType or ModuleType.
/// Its members are the inputs of the instance, one array for each kind, as a test has set them so far.
template <class Type>
class ElementTest : public TestFields<ElementTest<Type>> {
  using Fields = TestFields<ElementTest<Type>>;
  using Fields::fields_;
  using Fields::index_of;
  using Fields::misuse;
  using Fields::value_of;
  using Batch = std::remove_pointer_t<decltype(std::declval<const Type&>().create({}))>;

 public:
  /// The type outlives the object.
  explicit ElementTest(const Type& type) : Fields(type.fields()), type_(type), attached_(fields_.size()) {}

  /// Attaches a field of type body or marker; for a list, adds one more. Every call names a new body unless the test
  /// says which one: 0, 1, …, or ground. drawn: the frame of the body in ground as drawn.
  ElementTest& attach(std::string_view field, const Vec3& point = {}, const Pose& drawn = {}) {
    return attach(field, body_index(next_body_++), point, drawn);
  }
  ElementTest& attach(std::string_view field, BodyIndex body, const Vec3& point = {}, const Pose& drawn = {},
                      const BodyInertia& inertia = {}) {
    const std::size_t f = index_of(field);
    if (!makes_markers(type_.fields()[f].type)) misuse(field, "attaches to no body");
    value_of(field).given = true;
    attached_[f].push_back({{body, point}, drawn, is_ground(body) ? BodyInertia{} : inertia, {}});
    return *this;
  }
  /// Attaches a field of type joint; for a list, adds one more.
  ElementTest& attach(std::string_view field, const JointShape& joint) {
    const std::size_t f = index_of(field);
    if (!names_joints(type_.fields()[f].type)) misuse(field, "attaches to no joint");
    value_of(field).given = true;
    attached_[f].push_back({{}, {}, {}, joint});
    return *this;
  }
  ElementTest& set_gravity(const Vec3& gravity) {
    gravity_ = gravity;
    return *this;
  }

  /// Passes define() and makes the batch; markers are where they are drawn, all at rest, joints at zero, states at
  /// their start. A refusal by define() throws its message.
  void create() {
    place_attachments();
    instance_ = {.fields = fields_,
                 .markers = markers_,
                 .drawn = drawn_,
                 .joints = joints_,
                 .gravity = gravity_,
                 .inertias = inertias_};
    typename Fields::Sink sink;
    if (!type_.define(instance_, 0, sink) || sink.failed)
      throw std::runtime_error(sink.message.empty() ? "define() refuses the instance" : sink.message);
    batch_.reset(type_.create({&instance_, 1}));
    if (!batch_) throw std::runtime_error("create() gives no batch");
    for (std::size_t k = 0; k < markers_.size(); ++k) {
      const Mat3 R = rotation_matrix(drawn_[k].orientation);
      motions_.push_back({R, drawn_[k].position + R * markers_[k].point, {}, {}});
    }
    for (const JointShape& joint : joints_) nq_ += joint.nq, nv_ += joint.nv;
    q.assign(nq_, 0);
    v.assign(nv_, 0);
    u.assign(type_.descriptor().variables.size(), 0);
    states.assign(type_.descriptor().states.size(), 0);
    if constexpr (std::is_same_v<Type, ForceType>) batch_->initial_states(states);
    if constexpr (std::is_same_v<Type, ModuleType>) batch_->initial_state(u, states);
  }
  /// The motion of marker k for the next call; markers count in the order of the fields.
  MarkerMotion& marker(std::size_t k) { return motions_.at(k); }
  double time = 0;
  std::vector<double> q, v;       ///< of the joints
  std::vector<double> u, states;  ///< variables of a module, and first-order states

  /// Evaluates; entries that the type does not write are zero.
  ElementResult evaluate() {
    ElementResult r;
    const ForceInput in = input();
    if constexpr (std::is_same_v<Type, ForceType>) {
      r.wrenches.resize(markers_.size());
      r.efforts.resize(nv_);
      r.state_rates.resize(states.size());
      ForceOutput out{.wrenches = r.wrenches, .efforts = r.efforts, .state_rates = r.state_rates};
      batch().evaluate(in, out);
      r.potential_energy = out.potential_energy;
      r.power = out.power;
    } else {
      evaluate_rows(in, r);
    }
    return r;
  }
  /// The outputs in the order of TypeDescriptor::outputs. known: further data that an output may use; its attachments
  /// are those of the test.
  std::vector<double> outputs(OutputInput known = {}) {
    auto* const source = ask<OutputSource>(batch());
    if (source == nullptr) throw std::invalid_argument("the type has no outputs");
    std::vector<double> values(type_.descriptor().outputs.size(), std::numeric_limits<double>::quiet_NaN());
    const ForceInput in = input();
    known.attachments = &in;
    known.u = u;
    if constexpr (std::is_same_v<Type, ModuleType>) known.x = states;
    source->evaluate_outputs(known, values);
    return values;
  }
  /// Sets states and variables to those that follow from the present motion.
  void begin_with_motion() {
    auto* const source = ask<InitialStates>(batch());
    if (source == nullptr) throw std::invalid_argument("the type has no states that begin with the motion");
    const ForceInput in{.time = time, .markers = motions_, .q = q, .v = v};
    source->states_at_start(in, u, states);
  }
  /// For further interfaces: ask<EventSource>(test.batch()).
  Batch& batch() {
    if (!batch_) throw std::invalid_argument("call create() first");
    return *batch_;
  }

 private:
  struct Attached {
    Marker marker;
    Pose drawn;
    BodyInertia inertia;
    JointShape joint;
  };
  struct Destroy {
    void operator()(Batch* b) const noexcept { b->destroy(); }
  };
  void place_attachments() {
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      std::vector<BodyIndex>& bodies = bodies_.emplace_back();
      std::vector<Vec3>& points = points_.emplace_back();
      const FieldSpec& spec = type_.fields()[f];
      const bool one = spec.type == FieldType::body || spec.type == FieldType::marker || spec.type == FieldType::joint;
      if (one && attached_[f].size() != 1) misuse(spec.name, "is attached to one thing: call attach() for it once");
      for (const Attached& a : attached_[f]) {
        if (names_joints(spec.type)) {
          joints_.push_back(a.joint);
          continue;
        }
        markers_.push_back(a.marker);
        drawn_.push_back(a.drawn);
        inertias_.push_back(a.inertia);
        bodies.push_back(a.marker.body);
        points.push_back(a.marker.point);
      }
      if (!makes_markers(spec.type)) continue;
      fields_[f].bodies = bodies;
      fields_[f].points = points;
      if (one) fields_[f].body = bodies[0], fields_[f].vector = points[0];
    }
  }
  ForceInput input() const {
    ForceInput in{.time = time, .markers = motions_, .q = q, .v = v};
    if constexpr (std::is_same_v<Type, ForceType>) in.states = states;
    return in;
  }
  void evaluate_rows(const ForceInput& in, ElementResult& r) {
    std::size_t rows = type_.descriptor().rows.size();
    if constexpr (std::is_same_v<Type, ConstraintType>) rows = type_.rows(instance_);
    r.A_markers.resize(rows * markers_.size());
    r.B.resize(rows * nv_);
    for (auto* list : {&r.residual, &r.velocity_right, &r.acceleration_right, &r.effort}) list->resize(rows);
    if constexpr (std::is_same_v<Type, ConstraintType>) {
      ConstraintOutput out{.A = r.A_markers,
                           .B = r.B,
                           .residual = r.residual,
                           .velocity_right = r.velocity_right,
                           .acceleration_right = r.acceleration_right,
                           .effort = r.effort};
      batch().evaluate(in, out);
    } else {
      const std::size_t n = u.size();
      r.M.resize(n * n);
      r.f.resize(n);
      r.A.resize(rows * n);
      r.wrenches.resize(markers_.size());
      r.efforts.resize(nv_);
      r.state_rates.resize(states.size());
      ModuleOutput out;
      out.M = r.M;
      out.f = r.f;
      out.A = r.A;
      out.C = r.A_markers;
      out.B = r.B;
      out.velocity_right = r.velocity_right;
      out.acceleration_right = r.acceleration_right;
      out.wrenches = r.wrenches;
      out.efforts = r.efforts;
      out.xdot = r.state_rates;
      out.residual = r.residual;
      batch().evaluate({.attachments = &in, .u = u, .x = states}, out);
      r.kinetic_energy = out.kinetic_energy;
      r.potential_energy = out.potential_energy;
      r.power = out.power;
    }
  }

  const Type& type_;
  std::vector<std::vector<Attached>> attached_;  ///< per field
  std::size_t next_body_ = 0, nq_ = 0, nv_ = 0;
  Vec3 gravity_{0, 0, -9.81};
  std::deque<std::vector<BodyIndex>> bodies_;
  std::deque<std::vector<Vec3>> points_;
  std::vector<Marker> markers_;
  std::vector<Pose> drawn_;
  std::vector<BodyInertia> inertias_;
  std::vector<JointShape> joints_;
  std::vector<MarkerMotion> motions_;
  ElementInstance instance_;
  std::unique_ptr<Batch, Destroy> batch_;
};
/// From an object of a derived class: its base tells the kind.
ElementTest(const ForceType&)->ElementTest<ForceType>;
ElementTest(const ConstraintType&)->ElementTest<ConstraintType>;
ElementTest(const ModuleType&)->ElementTest<ModuleType>;

}  // namespace polyform::testing
