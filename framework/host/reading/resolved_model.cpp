// A description as JSON text in the format of model files.
#include <nlohmann/json.hpp>
#include <string>

#include "framework/host/reading/description.hpp"
#include "framework/host/reading/import.hpp"

namespace polyform::host::inline reading {

namespace {

using nlohmann::ordered_json;

ordered_json components(const Vec3& v) { return {v.x, v.y, v.z}; }
ordered_json components(const Quat& q) { return {q.w, q.x, q.y, q.z}; }

class ResolvedModel {
 public:
  explicit ResolvedModel(const Description& model) : model_(model) {}

  ordered_json write() const {
    ordered_json out{{"polyform", 1}, {"name", model_.name}, {"gravity", components(model_.gravity)}};
    if (model_.lenient) out["lenient"] = true;
    for (const char* key : {"bodies", "joints", "forces", "constraints", "modules"}) out[key] = ordered_json::array();
    if (const ordered_json shapes = geometry(model_.ground_geometry, model_.ground_pictures); !shapes.empty())
      out["ground"]["geometry"] = shapes;
    for (const BodyItem& body : model_.bodies) out["bodies"].push_back(json_of(body));
    for (const JointItem& joint : model_.joints) out["joints"].push_back(json_of(joint));
    for (const ForceItem& force : model_.forces) out["forces"].push_back(element(force));
    for (const ConstraintItem& constraint : model_.constraints) out["constraints"].push_back(element(constraint));
    for (const ModuleItem& module : model_.modules) out["modules"].push_back(element(module));
    for (const SubsystemItem& subsystem : model_.subsystems) out["subsystems"].push_back(subsystem.name);
    return out;
  }

 private:
  std::string name_of(BodyIndex body) const { return is_ground(body) ? "ground" : model_.bodies[at(body)].name; }
  std::string name_of(JointIndex joint) const { return model_.joints[at(joint)].name; }

  static ordered_json json_of_function(const TimeFunction& f) {
    switch (f.kind) {
      case TimeFunction::Kind::constant: return f.constant;
      case TimeFunction::Kind::polynomial: return {{"polynomial", std::vector<double>(f.data.begin(), f.data.end())}};
      case TimeFunction::Kind::ramp: return {{"ramp", {{"rate", f.rate}, {"start", f.start}, {"end", f.end}}}};
      case TimeFunction::Kind::sine:
        return {{"sine",
                 {{"amplitude", f.amplitude}, {"frequency", f.frequency}, {"phase", f.phase}, {"offset", f.offset}}}};
      case TimeFunction::Kind::linear_table: return table(f, 2, "linear");
      case TimeFunction::Kind::cubic_table: return table(f, 3, "cubic");
      case TimeFunction::Kind::other: break;
    }
    return {{"other", true}};
  }
  static ordered_json table(const TimeFunction& f, std::size_t stride, const char* interpolation) {
    ordered_json rows = ordered_json::array();
    for (std::size_t i = 0; i + 1 < f.data.size(); i += stride) rows.push_back({f.data[i], f.data[i + 1]});
    return {{"table", rows}, {"interpolation", interpolation}};
  }

  ordered_json value(const FieldSpec& spec, const FieldValue& v) const {
    ordered_json list = ordered_json::array();
    switch (spec.type) {
      case FieldType::number: return v.number;
      case FieldType::integer: return v.integer;
      case FieldType::boolean: return v.integer != 0;
      case FieldType::text:
      case FieldType::choice: return std::string(v.text);
      case FieldType::vector3:
      case FieldType::direction: return components(v.vector);
      case FieldType::orientation: return components(v.orientation);
      case FieldType::numbers: return std::vector<double>(v.numbers.begin(), v.numbers.end());
      case FieldType::matrix: {
        const std::size_t columns = v.rows == 0 ? 0 : v.numbers.size() / v.rows;
        for (std::size_t r = 0; r < v.rows; ++r) {
          const auto row = v.numbers.subspan(r * columns, columns);
          list.push_back(std::vector<double>(row.begin(), row.end()));
        }
        return list;
      }
      case FieldType::time_function:
      case FieldType::time_functions:
        for (const TimeFunction& f : v.functions) list.push_back(json_of_function(f));
        return list.size() == 1 ? list.front() : list;
      case FieldType::body: return name_of(v.body);
      case FieldType::marker: return {{"body", name_of(v.body)}, {"point", components(v.vector)}};
      case FieldType::joint: return name_of(v.joint);
      case FieldType::bodies:
        for (const BodyIndex body : v.bodies) list.push_back(name_of(body));
        return list;
      case FieldType::markers:
        for (std::size_t i = 0; i < v.bodies.size(); ++i)
          list.push_back({{"body", name_of(v.bodies[i])}, {"point", components(v.points[i])}});
        return list;
      case FieldType::joints:
        for (const JointIndex joint : v.joints) list.push_back(name_of(joint));
        return list;
    }
    return nullptr;
  }

  /// Leaves out a field that was not given and has no default: its type decides.
  void add_fields(ordered_json& out, Strided<const FieldSpec> specs, const Fields& fields) const {
    for (std::size_t i = 0; i < std::min(specs.size(), fields.values.size()); ++i)
      if (fields.values[i].given || !specs[i].default_text.empty())
        place_of(out, specs[i].name) = value(specs[i], fields.values[i]);
  }
  /// Where a field stands: `group.name` is the entry `name` of the map `group`.
  static ordered_json& place_of(ordered_json& out, std::string_view field) {
    const std::size_t dot = field.find('.');
    return dot == std::string_view::npos ? out[std::string(field)]
                                         : out[std::string(field.substr(0, dot))][std::string(field.substr(dot + 1))];
  }

  ordered_json json_of(const BodyItem& body) const {
    const Sym3& j = body.inertia;
    ordered_json out{{"name", body.name},
                     {"type", body.flexible == nullptr ? std::string("rigid") : std::string(body.flexible->name())},
                     {"position", components(body.pose.position)},
                     {"orientation", components(body.pose.orientation)},
                     {"mass", body.mass},
                     {"center_of_mass", components(body.center_of_mass)},
                     {"inertia", {{"xx", j.xx}, {"yy", j.yy}, {"zz", j.zz}, {"xy", j.xy}, {"xz", j.xz}, {"yz", j.yz}}}};
    if (body.velocity) out["velocity"] = components(*body.velocity);
    if (body.angular_velocity) out["angular_velocity"] = components(*body.angular_velocity);
    if (const ordered_json shapes = geometry(body.geometry, body.pictures); !shapes.empty()) out["geometry"] = shapes;
    if (body.flexible != nullptr) add_fields(out, body.flexible->fields(), body.fields);
    return out;
  }

  static ordered_json geometry(const std::vector<GeometricShape>& touching,
                               const std::vector<GeometricShape>& pictures) {
    ordered_json out = ordered_json::array();
    for (const GeometricShape& shape : touching) out.push_back(json_of(shape));
    for (const GeometricShape& shape : pictures) {
      out.push_back(json_of(shape));
      out.back()["visual"] = true;
    }
    return out;
  }

  static ordered_json json_of(const GeometricShape& shape) {
    ordered_json out;
    switch (shape.kind) {
      case GeometricShape::Kind::box: out = {{"type", "box"}, {"size", components(shape.edges)}}; break;
      case GeometricShape::Kind::cylinder:
        out = {{"type", "cylinder"}, {"radius", shape.radius}, {"length", shape.length}};
        break;
      case GeometricShape::Kind::capsule:
        out = {{"type", "capsule"}, {"radius", shape.radius}, {"length", shape.length}};
        break;
      case GeometricShape::Kind::sphere: out = {{"type", "sphere"}, {"radius", shape.radius}}; break;
      case GeometricShape::Kind::plane: out = {{"type", "plane"}}; break;
      case GeometricShape::Kind::ellipsoid:
        out = {{"type", "ellipsoid"}, {"semi_axes", components(0.5 * shape.edges)}};
        break;
      case GeometricShape::Kind::mesh:
        out = {{"type", "mesh"}, {"convex", shape.convex}, {"vertices", ordered_json::array()}, {"faces", shape.faces}};
        for (const Vec3& v : shape.vertices) out["vertices"].push_back(components(v));
        break;
      case GeometricShape::Kind::height_field: {
        const std::size_t columns = shape.heights.size() / shape.rows;
        out = {{"type", "height-field"}, {"heights", ordered_json::array()}};
        for (std::size_t row = 0; row < shape.rows; ++row)
          out["heights"].push_back(shape.heights.subspan(row * columns, columns));
        out["spacing"] = {shape.edges.x / static_cast<double>(shape.rows - 1),
                          shape.edges.y / static_cast<double>(columns - 1)};
        break;
      }
    }
    out["position"] = components(shape.pose.position);
    out["orientation"] = components(shape.pose.orientation);
    return out;
  }

  ordered_json json_of(const JointItem& joint) const {
    ordered_json out{{"name", joint.name},
                     {"type", std::string(joint.type->name())},
                     {"base", name_of(joint.base)},
                     {"moving", name_of(joint.moving)}};
    add_fields(out, joint.type->fields(), joint.fields);
    if (!joint.initial_position.empty()) out["initial"]["position"] = joint.initial_position;
    if (!joint.initial_velocity.empty()) out["initial"]["velocity"] = joint.initial_velocity;
    if (joint.cut) out["cut"] = true;
    return out;
  }

  template <class Item>
  ordered_json element(const Item& item) const {
    ordered_json out{{"name", item.name}, {"type", std::string(item.type->name())}};
    add_fields(out, item.type->fields(), item.fields);
    return out;
  }

  const Description& model_;
};

}  // namespace

std::string resolved_model(const Description& model) {
  return ResolvedModel(model).write().dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace polyform::host::inline reading
