// Description to bodies and joints in topological order.
#include <fmt/format.h>

#include <cmath>

#include "framework/host/assembly/cut_choice.hpp"
#include "framework/host/assembly/parts.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::host::inline assembly {
namespace {

/// Collects what a joint type says of one instance, still in ground axes.
class CollectedDefinition final : public JointDefinition, private GivenCoordinates {
 public:
  void set_position(const Vec3& in_ground) noexcept override { position = in_ground; }
  void add_primitive(Primitive::Kind kind, const Vec3& axis) noexcept override { primitives.push_back({kind, axis}); }
  void set_parameters(std::span<const double> values) noexcept override {
    parameters.assign(values.begin(), values.end());
  }
  void* query(std::string_view asked) noexcept override {
    return asked == GivenCoordinates::interface_name ? static_cast<GivenCoordinates*>(this) : nullptr;
  }

  Vec3 position;
  std::vector<Primitive> primitives;
  std::vector<double> parameters;
  std::vector<GivenCoordinate> given;

 private:
  void give(std::size_t velocity, const TimeFunction& function) noexcept override {
    given.push_back({.velocity = velocity, .function = function});
  }
};

/// Adds to what a type says of a field of a joint the place of that field in the file.
class JointFieldSink final : public FieldSink {
 public:
  JointFieldSink(const System::Parts& parts, const JointItem& item, Diagnostics& diagnostics)
      : parts_(parts), item_(item), diagnostics_(diagnostics) {}
  void report(Severity severity, std::size_t, std::size_t field, std::string_view message,
              std::string_view remedy) noexcept override {
    has_error_ = has_error_ || severity == Severity::error;
    const bool known = field < item_.fields.places.size();
    parts_.report(diagnostics_, severity, item_, known ? item_.fields.places[field] : Place{},
                  known ? item_.type->fields()[field].name : std::string_view{}, message, remedy);
  }
  /// The diagnostics keep an error that joints of a chain report one after the other only once.
  bool has_error() const { return has_error_; }

 private:
  const System::Parts& parts_;
  const JointItem& item_;
  Diagnostics& diagnostics_;
  bool has_error_ = false;
};

void count_coordinates(JointData& joint) {
  joint.nq = joint.nv = 0;
  for (const Primitive& p : joint.primitives) {
    joint.nq += position_count(p.kind);
    joint.nv += velocity_count(p.kind);
  }
}

/// What a type does wrong in the definition of a joint; empty when nothing.
std::string breach_of(const JointType& type, const CollectedDefinition& definition) {
  constexpr std::size_t most = 6;
  constexpr double unit_length = 1e-9;  // as far from 1: a unit vector has 1e-15, one of six digits 1e-6
  std::size_t freedoms = 0;
  for (const Primitive& p : definition.primitives) {
    freedoms += velocity_count(p.kind);
    if (p.kind != Primitive::Kind::ball && !(std::abs(norm(p.axis) - 1) < unit_length))
      return fmt::format("the axis of a primitive has the length {:.6g}, not 1", norm(p.axis));
  }
  if (type.kernel() != nullptr && !definition.primitives.empty())
    return "it has a kernel, and its define() adds primitives as well";
  if (freedoms > most) return fmt::format("it has {} velocities, a joint has at most {}", freedoms, most);
  if (type.kernel() == nullptr && !definition.parameters.empty())
    return "it has no kernel, and its define() sets parameters";
  return {};
}

/// Where F and M lie in the frames of their bodies, from the drawn position.
void place_origins(JointData& joint, const Pose& base, const Pose& moving, const Vec3& position) {
  const Mat3 R_base = rotation_matrix(base.orientation), R_moving = rotation_matrix(moving.orientation);
  joint.p_base = transpose_times(R_base, position - base.position);
  joint.p_moving = transpose_times(R_moving, position - moving.position);
  // The matrix is made from the quaternion, as solvers make it, so that no joint starts with a residual of rounding.
  joint.R_drawn = rotation_matrix(normalized(conjugate(base.orientation) * moving.orientation));
}

/// Attaches a joint to the frames of two bodies of the view.
void connect(JointData& joint, BodyIndex base, BodyIndex moving) {
  joint.base = base;
  joint.moving = moving;
  joint.base_frame = frame_of(base);
  joint.moving_frame = frame_of(moving);
}

/// The data of a user's joint that do not depend on the order of the bodies.
bool define_joint(System::Parts& parts, const JointItem& item, JointData& joint, Diagnostics& diagnostics) {
  const auto drawn = [&](BodyIndex b) { return is_ground(b) ? Pose{} : parts.description.bodies[at(b)].pose; };
  joint.name = item.name;
  const Pose base = drawn(item.base), moving = drawn(item.moving);
  CollectedDefinition definition;
  JointFieldSink sink(parts, item, diagnostics);
  if (!item.type->define({.fields = item.fields.values, .base = base, .moving = moving}, definition, sink)) {
    if (!sink.has_error())
      parts.report_breach(diagnostics, item, item.type->name(), "define() rejects this entry without a report");
    return false;
  }
  if (const std::string breach = breach_of(*item.type, definition); !breach.empty()) {
    parts.report_breach(diagnostics, item, item.type->name(), breach);
    return false;
  }
  place_origins(joint, base, moving, definition.position);
  const Mat3 R_base = rotation_matrix(base.orientation);
  for (Primitive& p : definition.primitives) p.axis = transpose_times(R_base, p.axis);
  if (item.type->kernel() != nullptr) {
    joint.kernel = item.type->kernel();
    joint.type = item.type;
    joint.nq = item.type->position_count();
    joint.nv = item.type->velocity_count();
    joint.parameters = parts.parameters.emplace_back(std::move(definition.parameters));
  } else if (!definition.primitives.empty()) {
    joint.primitives = parts.primitives.emplace_back(std::move(definition.primitives));
    count_coordinates(joint);
  }
  if (definition.given.empty()) return true;
  if (const std::string mistake = mistake_in_given(joint, definition.given); !mistake.empty()) {
    parts.report_breach(diagnostics, item, item.type->name(), mistake);
    return false;
  }
  parts.given_joints.emplace_back(joint, std::move(definition.given)).replace(joint);
  return true;
}

/// The free joint of a body that nothing connects with ground: displacement and rotation in ground axes.
JointData added_free_joint(System::Parts& parts, std::size_t user_body, BodyIndex body) {
  using Kind = Primitive::Kind;
  JointData joint;
  const BodyItem& item = parts.description.bodies[user_body];
  joint.name = parts.names.emplace_back(item.name + ".free");
  joint.added = true;
  connect(joint, BodyIndex::ground, body);
  joint.primitives = parts.primitives.emplace_back(std::vector<Primitive>{{Kind::translation, {1, 0, 0}},
                                                                          {Kind::translation, {0, 1, 0}},
                                                                          {Kind::translation, {0, 0, 1}},
                                                                          {Kind::ball, {}}});
  count_coordinates(joint);
  place_origins(joint, {}, item.pose, item.pose.position);
  return joint;
}

std::vector<bool> massless_bodies(const Description& d) {
  std::vector<bool> massless;
  for (const BodyItem& body : d.bodies) massless.push_back(!(body.mass > 0));
  return massless;
}

void copy_body_numbers(System::Parts& parts) {
  for (std::size_t i = 0; i < parts.bodies.size(); ++i) {
    const BodyItem& item = parts.description.bodies[parts.forest.order[i]];
    BodyData& body = parts.bodies[i];
    body.mass = item.mass;
    body.center_of_mass = item.center_of_mass;
    body.inertia = item.inertia;
  }
  parts.view.gravity = parts.description.gravity;
}

/// joints: of the user, defined.
void order_bodies(System::Parts& parts, Strided<const JointData> joints, Diagnostics& diagnostics) {
  const Description& d = parts.description;
  std::vector<GraphEdge> edges;
  edges.reserve(d.joints.size());
  const auto vertex = [](BodyIndex b) { return is_ground(b) ? std::size_t{0} : at(b) + 1; };
  parts.holds = holds_of(d, joints);
  parts.massless = massless_bodies(d);
  for (std::size_t j = 0; j < d.joints.size(); ++j)
    edges.push_back({vertex(d.joints[j].base), vertex(d.joints[j].moving), d.joints[j].cut, parts.holds[j]});
  parts.forest = choose_forest(d, joints, edges);
  warn_of_costly_cuts(parts, joints, edges, diagnostics);
  parts.body_of.resize(d.bodies.size());
  parts.bodies.resize(d.bodies.size());
  for (std::size_t i = 0; i < parts.forest.order.size(); ++i) {
    parts.body_of[parts.forest.order[i]] = body_index(i);
    parts.bodies[i].name = d.bodies[parts.forest.order[i]].name;
  }
  copy_body_numbers(parts);
}

void warn_of_graph(const System::Parts& parts, Diagnostics& diagnostics) {
  const Description& d = parts.description;
  for (const std::size_t edge : parts.forest.ignored_cuts)
    parts.report(diagnostics, Severity::warning, d.joints[edge], {}, "cut",
                 fmt::format("joint `{}` closes no loop and cannot be its cut joint", d.joints[edge].name),
                 "remove `cut: true`");
  const auto& free = parts.forest.added_roots;
  constexpr std::size_t most = 8, named = 3;  // a warning for each of a heap of spheres would fill pages
  if (free.size() > most) {
    std::string names;
    for (std::size_t k = 0; k < named; ++k) names += fmt::format("{}`{}`", k == 0 ? "" : ", ", d.bodies[free[k]].name);
    parts.report(diagnostics, Severity::warning, d.bodies[free[0]], {}, {},
                 fmt::format("no joint connects {} bodies with ground: {} and {} more move freely", free.size(), names,
                             free.size() - named),
                 "add joints to ground; those of type free say that this is meant");
    return;
  }
  for (const std::size_t body : free)
    parts.report(diagnostics, Severity::warning, d.bodies[body], {}, {},
                 fmt::format("no joint connects body `{}` with ground: it moves freely", d.bodies[body].name),
                 "add a joint to ground; one of type free says that this is meant");
}

}  // namespace

bool take_body_numbers(System::Parts& parts) {
  const Description& d = parts.description;
  // An open tree hangs together in one way.
  if (!parts.forest.loops.empty()) {
    std::vector<JointData> joints;
    for (const JointIndex j : parts.joint_of) joints.push_back(parts.joints[at(j)]);
    if (holds_of(d, joints) != parts.holds || massless_bodies(d) != parts.massless) return false;
  }
  copy_body_numbers(parts);
  return true;
}

bool build_tree(System::Parts& parts, Diagnostics& diagnostics) {
  const std::size_t user_joints = parts.description.joints.size();
  std::vector<JointData> defined(user_joints);
  for (std::size_t j = 0; j < user_joints; ++j)
    define_joint(parts, parts.description.joints[j], defined[j], diagnostics);
  if (diagnostics.failed()) return false;
  order_bodies(parts, defined, diagnostics);
  warn_of_graph(parts, diagnostics);
  const std::size_t count = parts.bodies.size() + parts.forest.cut_edges.size();
  parts.joint_of.assign(user_joints, JointIndex::none);
  parts.user_joint.assign(count, System::Parts::none);
  parts.joints.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t edge =
        i < parts.bodies.size() ? parts.forest.carrier[i] : parts.forest.cut_edges[i - parts.bodies.size()];
    if (edge >= user_joints) {
      parts.joints[i] = added_free_joint(parts, parts.forest.order[i], body_index(i));
      continue;
    }
    const auto view_body = [&](BodyIndex b) { return is_ground(b) ? b : parts.body_of[at(b)]; };
    parts.joints[i] = defined[edge];
    connect(parts.joints[i], view_body(parts.description.joints[edge].base),
            view_body(parts.description.joints[edge].moving));
    parts.joints[i].reversed = i < parts.bodies.size() && parts.joints[i].base == body_index(i);
    parts.user_joint[i] = edge;
    parts.joint_of[edge] = joint_index(i);
  }
  SystemView& view = parts.view;
  view.name = parts.description.name;
  for (std::size_t i = 0; i < count; ++i) {
    JointData& joint = parts.joints[i];
    joint.q_offset = view.nq;
    joint.v_offset = view.nv;
    view.nq += joint.nq;
    view.nv += joint.nv;
    if (i + 1 == parts.bodies.size()) {
      view.nq_tree = view.nq;
      view.nv_tree = view.nv;
    }
  }
  view.bodies = parts.bodies;
  view.joints = parts.joints;
  return true;
}

}  // namespace polyform::host::assembly
