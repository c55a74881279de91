// Forces, constraints, modules, flexible bodies and subsystems of the view.
#include <fmt/format.h>

#include <algorithm>

#include "framework/host/assembly/parts.hpp"
#include "framework/host/assembly/welded_bodies.hpp"
#include "polyform/mechanics/flexible_set.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::host::inline assembly {
namespace {

/// Adds to what a type says of a field of an instance the place of that field in the file.
template <class ItemType>
class ElementFieldSink final : public FieldSink {
 public:
  ElementFieldSink(const System::Parts& parts, const ItemType& item, Strided<const FieldSpec> specs,
                   Diagnostics& diagnostics)
      : parts_(parts), item_(item), specs_(specs), diagnostics_(diagnostics) {}
  void report(Severity severity, std::size_t, std::size_t field, std::string_view message,
              std::string_view remedy) noexcept override {
    has_error_ = has_error_ || severity == Severity::error;
    const bool known = field < specs_.size() && field < item_.fields.places.size();
    parts_.report(diagnostics_, severity, item_, known ? item_.fields.places[field] : Place{},
                  known ? specs_[field].name : std::string_view{}, message, remedy);
  }
  /// The diagnostics keep an error that elements of one entry report one after the other only once.
  bool has_error() const { return has_error_; }

 private:
  const System::Parts& parts_;
  const ItemType& item_;
  Strided<const FieldSpec> specs_;
  Diagnostics& diagnostics_;
  bool has_error_ = false;
};

/// Field values with the view's numbers of bodies and joints.
std::vector<FieldValue> renumber(System::Parts& parts, const Fields& fields, Strided<const FieldSpec> specs) {
  const auto body = [&](BodyIndex b) { return is_ground(b) ? b : parts.body_of[at(b)]; };
  const auto joint = [&](JointIndex j) { return j == JointIndex::none ? j : parts.joint_of[at(j)]; };
  std::vector<FieldValue> values = fields.values;
  for (std::size_t f = 0; f < values.size(); ++f) {
    FieldValue& value = values[f];
    if (makes_markers(specs[f].type)) value.body = body(value.body);
    if (names_joints(specs[f].type)) value.joint = joint(value.joint);
    if (!value.bodies.empty()) {
      std::vector<BodyIndex>& list = parts.body_lists.emplace_back(value.bodies.begin(), value.bodies.end());
      std::ranges::transform(list, list.begin(), body);
      value.bodies = list;
    }
    if (!value.joints.empty()) {
      std::vector<JointIndex>& list = parts.joint_lists.emplace_back(value.joints.begin(), value.joints.end());
      std::ranges::transform(list, list.begin(), joint);
      value.joints = list;
    }
  }
  return values;
}

/// The inertia of a body of the view; for a flexible body that of its mass matrix at η = 0.
BodyInertia inertia_of(const System::Parts& parts, const FlexibleSet& flexible, BodyIndex body) {
  if (is_ground(body)) return {};
  const BodyData& data = parts.bodies[at(body)];
  if (data.flexible == rigid || parts.view.flexible.empty() || !flexible.good())
    return {data.mass, data.center_of_mass, data.inertia};
  const std::span<const double> M = flexible.mass(data.flexible);
  const std::size_t n = flexible.size(data.flexible);
  const auto entry = [&](std::size_t row, std::size_t column) { return M[row * n + column]; };
  BodyInertia out{.mass = entry(3, 3),
                  .inertia = {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)}};
  if (!(out.mass > 0)) return out;
  out.center_of_mass = (1 / out.mass) * Vec3{entry(2, 4), entry(0, 5), entry(1, 3)};
  const Sym3 about_origin = unit_mass_inertia(out.center_of_mass);
  for (double Sym3::*e : {&Sym3::xx, &Sym3::yy, &Sym3::zz, &Sym3::xy, &Sym3::xz, &Sym3::yz})
    out.inertia.*e -= out.mass * about_origin.*e;
  return out;
}

std::span<const GeometricShape> shapes_of(const System::Parts& parts, BodyIndex body) {
  const Description& d = parts.description;
  return is_ground(body) ? d.ground_geometry : d.bodies[parts.forest.order[at(body)]].geometry;
}

/// Adds one instance: its markers and joints from the fields.
template <class Type>
void add_instance(System::Parts& parts, const FlexibleSet& flexible, const WeldedBodies& welded,
                  GroupStorage<Type>& group, const Fields& fields) {
  const Strided<const FieldSpec> specs = group.type->fields();
  auto& values = group.values.emplace_back(renumber(parts, fields, specs));
  auto& markers = group.markers.emplace_back();
  auto& drawn = group.drawn.emplace_back();
  auto& shapes = group.shapes.emplace_back();
  auto& inertias = group.inertias.emplace_back();
  auto& geometry = group.geometry.emplace_back();
  const auto add_marker = [&](BodyIndex body, const Vec3& point) {
    markers.push_back({body, point});
    drawn.push_back(parts.drawn(body));
    inertias.push_back(inertia_of(parts, flexible, body));
    geometry.push_back({shapes_of(parts, body)});
  };
  const auto add_joint = [&](JointIndex j) {
    const JointData& joint = parts.joints[at(j)];
    group.joints.push_back(j);
    shapes.push_back({own_positions(joint), joint.nv, joint.primitives, joint.kernel != nullptr, welded[joint.base],
                      welded[joint.moving]});
  };
  for (std::size_t f = 0; f < values.size(); ++f) {
    const FieldType type = specs[f].type;
    const FieldValue& value = values[f];
    if (type == FieldType::body || type == FieldType::marker)
      add_marker(value.body, type == FieldType::marker ? value.vector : Vec3{});
    if (type == FieldType::bodies || type == FieldType::markers)
      for (std::size_t k = 0; k < value.bodies.size(); ++k) add_marker(value.bodies[k], value.points[k]);
    if (type == FieldType::joint) add_joint(value.joint);
    if (type == FieldType::joints)
      for (const JointIndex j : value.joints) add_joint(j);
  }
}

/// More rows or modes than any instance has: a larger number is a mistake of the type, for which memory would not
/// suffice.
constexpr std::size_t most_of_one = std::size_t{1} << 16;

template <class Item>
void refuse_size(const System::Parts& parts, const Item& item, std::string_view type, std::size_t size,
                 std::string_view what, Diagnostics& diagnostics) {
  parts.report_breach(diagnostics, item, type,
                      fmt::format("one instance has {} {}, {} are the most", size, what, most_of_one));
}

/// Instances grouped by type, in the order in which the types first occur.
template <class Type>
void build_groups(System::Parts& parts, const FlexibleSet& flexible, const WeldedBodies& welded,
                  const std::vector<ElementItem<Type>>& items, std::deque<GroupStorage<Type>>& groups,
                  Diagnostics& diagnostics) {
  std::map<const Type*, GroupStorage<Type>*> by_type;
  for (std::size_t i = 0; i < items.size(); ++i) {
    GroupStorage<Type>*& group = by_type[items[i].type];
    if (group == nullptr) {
      group = &groups.emplace_back();
      group->type = items[i].type;
    }
    group->items.push_back(i);
    group->names.push_back(items[i].name);
    add_instance(parts, flexible, welded, *group, items[i].fields);
  }
  for (GroupStorage<Type>& group : groups) {
    for (std::size_t k = 0; k < group.items.size(); ++k) {
      const auto& item = items[group.items[k]];
      ElementInstance& instance = group.instances.emplace_back(ElementInstance{.fields = group.values[k],
                                                                               .markers = group.markers[k],
                                                                               .drawn = group.drawn[k],
                                                                               .joints = group.shapes[k],
                                                                               .gravity = parts.description.gravity,
                                                                               .inertias = group.inertias[k],
                                                                               .shapes = group.geometry[k]});
      ElementFieldSink<ElementItem<Type>> sink(parts, item, group.type->fields(), diagnostics);
      const bool defined = group.type->define(instance, k, sink);
      if (!defined && !sink.has_error())
        parts.report_breach(diagnostics, item, group.type->name(), "define() rejects this entry without a report");
      if constexpr (std::is_same_v<Type, ConstraintType>) {
        const std::size_t rows = defined && !sink.has_error() ? group.type->rows(instance) : 0;
        if (rows > most_of_one) refuse_size(parts, item, group.type->name(), rows, "rows", diagnostics);
        group.rows.push_back(rows);
      }
    }
  }
}

template <class View, class Type>
View group_view(const GroupStorage<Type>& g) {
  View view;
  view.type = g.type;
  view.names = g.names;
  view.instances = g.instances;
  view.joints = g.joints;
  return view;
}

bool build_flexible(System::Parts& parts, Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < parts.bodies.size(); ++i) {
    const BodyItem& item = parts.description.bodies[parts.forest.order[i]];
    if (item.flexible == nullptr) continue;
    FlexibleData data;
    data.type = item.flexible;
    FlexibleInstance& instance = parts.flexible_instances.emplace_back();
    instance.fields = parts.values.emplace_back(item.fields.values);
    data.instance = &instance;
    ElementFieldSink<BodyItem> sink(parts, item, item.flexible->fields(), diagnostics);
    if (!data.type->define(instance, 0, sink)) {
      if (!sink.has_error())
        parts.report_breach(diagnostics, item, data.type->name(), "define() rejects this entry without a report");
      continue;
    }
    data.modes = data.type->modes(instance);
    if (data.modes > most_of_one) {
      refuse_size(parts, item, data.type->name(), data.modes, "modes", diagnostics);
      continue;
    }
    data.body = body_index(i);
    data.mode_offset = parts.view.modes;
    parts.view.modes += data.modes;
    parts.bodies[i].flexible = parts.flexible.size();
    parts.flexible.push_back(data);
  }
  parts.view.flexible = parts.flexible;
  return !diagnostics.failed();
}

void build_subsystems(System::Parts& parts) {
  for (const SubsystemItem& subsystem : parts.description.subsystems) {
    std::vector<BodyIndex>& bodies = parts.group_bodies.emplace_back();
    for (const BodyIndex b : subsystem.bodies) bodies.push_back(parts.body_of[at(b)]);
    parts.subsystems.push_back({subsystem.name, bodies, subsystem.parent});
  }
}

}  // namespace

// Nodes are made once the element types have placed their markers.
bool build_elements(System::Parts& parts, Diagnostics& diagnostics) {
  SystemView& view = parts.view;
  const Description& d = parts.description;
  if (!build_flexible(parts, diagnostics)) parts.view.flexible = {};  // the other elements are still checked
  FlexibleSet flexible(view);
  if (flexible.good()) {
    const std::vector<BodyMotion> rest(view.bodies.size());
    const std::vector<double> undeformed(view.modes);
    flexible.evaluate(rest, undeformed.data(), undeformed.data());
  }
  const WeldedBodies welded(parts.bodies, parts.joints);
  build_groups(parts, flexible, welded, d.forces, parts.force_storage, diagnostics);
  build_groups(parts, flexible, welded, d.constraints, parts.constraint_storage, diagnostics);
  build_groups(parts, flexible, welded, d.modules, parts.module_storage, diagnostics);
  if (diagnostics.failed()) return false;
  open_spin_stiffening(parts);
  if (!build_nodes(parts, diagnostics)) return false;
  const auto count_discrete = [&](const auto& g, auto& group) {
    group.discrete_offset = view.discrete;
    view.discrete += g.type->descriptor().discrete.size() * g.instances.size();
  };
  for (const auto& g : parts.force_storage) {
    ForceInstances& group = parts.forces.emplace_back(group_view<ForceInstances>(g));
    group.state_offset = view.states;
    view.states += g.type->state_count() * g.instances.size();
    count_discrete(g, group);
  }
  for (const auto& g : parts.constraint_storage) {
    ConstraintInstances& group = parts.constraints.emplace_back(group_view<ConstraintInstances>(g));
    group.rows = g.rows;
    count_discrete(g, group);
  }
  for (const auto& g : parts.module_storage) {
    ModuleInstances& group = parts.modules.emplace_back(group_view<ModuleInstances>(g));
    group.state_offset = view.states;
    view.states += (g.type->variables().size() + g.type->states().size()) * g.instances.size();
    view.module_rows += g.type->rows().size() * g.instances.size();
    count_discrete(g, group);
  }
  build_subsystems(parts);
  view.forces = parts.forces;
  view.constraints = parts.constraints;
  view.modules = parts.modules;
  view.subsystems = parts.subsystems;
  return true;
}

void clear_elements(System::Parts& parts) {
  parts.force_storage.clear();
  parts.constraint_storage.clear();
  parts.module_storage.clear();
  parts.body_lists.clear();
  parts.joint_lists.clear();
  parts.forces.clear();
  parts.constraints.clear();
  parts.modules.clear();
  parts.group_bodies.clear();
  parts.subsystems.clear();
  SystemView& view = parts.view;
  view.states = view.discrete = view.module_rows = 0;
}

}  // namespace polyform::host::assembly
