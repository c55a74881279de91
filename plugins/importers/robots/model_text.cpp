// A mechanism as a model file.
#include <fmt/format.h>

#include <algorithm>

#include "mechanism.hpp"

namespace polyform::importers {

/// The shortest digits that read back exactly. There is a point before the exponent, because YAML 1.1 needs it in
/// numbers.
std::string written(double x) {
  std::string text = fmt::format("{}", x == 0 ? 0.0 : x);
  if (const std::size_t e = text.find('e'); e != std::string::npos && text.find('.') == std::string::npos)
    text.insert(e, ".0");
  return text;
}
std::string written(const Vec3& v) { return fmt::format("[{}, {}, {}]", written(v.x), written(v.y), written(v.z)); }
std::string written(std::span<const double> all) {
  std::string text = "[";
  for (const double x : all) text += (text.size() > 1 ? ", " : "") + written(x);
  return text + "]";
}

std::string written_name(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      text += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    else
      text += c;
  }
  return text + "\"";
}

namespace {

std::string orientation(const Mat3& axes) {
  const Quat q = quaternion_of(axes);
  return fmt::format("[{}, {}, {}, {}]", written(q.w), written(q.x), written(q.y), written(q.z));
}

bool is_turned(const Mat3& axes) {
  const Mat3 none = Mat3::identity();
  return !std::equal(std::begin(axes.m), std::end(axes.m), std::begin(none.m));
}

std::string pose(const Frame& frame) {
  std::string text = ", position: " + written(frame.origin);
  if (is_turned(frame.axes)) text += ", orientation: " + orientation(frame.axes);
  return text;
}

std::string shape_entries(const Shape& shape) {
  switch (shape.kind) {
    case Shape::Kind::box: return fmt::format("type: box, size: {}", written(shape.size));
    case Shape::Kind::cylinder:
      return fmt::format("type: cylinder, radius: {}, length: {}", written(shape.radius), written(shape.length));
    case Shape::Kind::capsule:
      return fmt::format("type: capsule, radius: {}, length: {}", written(shape.radius), written(shape.length));
    case Shape::Kind::ellipsoid: return fmt::format("type: ellipsoid, semi_axes: {}", written(shape.size));
    case Shape::Kind::plane: return "type: plane";
    case Shape::Kind::sphere: return fmt::format("type: sphere, radius: {}", written(shape.radius));
    case Shape::Kind::mesh: {
      const Vec3& s = shape.size;
      const bool is_even = s.x == s.y && s.y == s.z;
      const std::string scale =
          is_even && s.x == 1 ? std::string() : ", scale: " + (is_even ? written(s.x) : written(s));
      return fmt::format("type: mesh, {}{}{}", shape.mesh, scale, shape.convex ? ", convex: true" : "");
    }
  }
  return {};
}

std::string geometry_text(const std::vector<Shape>& shapes, const char* indent) {
  if (shapes.empty()) return {};
  std::string text = fmt::format("{}geometry:\n", indent);
  for (const Shape& shape : shapes)
    text += fmt::format("{}  - {{{}{}{}}}\n", indent, shape_entries(shape), pose(shape.frame),
                        shape.visual ? ", visual: true" : "");
  return text;
}

std::string body_text(const Body& body) {
  const Sym3& j = body.mass.inertia;
  std::string text = fmt::format("  - name: {}\n", written_name(body.name));
  text += fmt::format("    position: {}\n", written(body.frame.origin));
  if (is_turned(body.frame.axes)) text += fmt::format("    orientation: {}\n", orientation(body.frame.axes));
  text += fmt::format("    mass: {}\n", written(body.mass.mass));
  text += fmt::format("    center_of_mass: {}\n", written(body.mass.center));
  text += fmt::format("    inertia: {{xx: {}, yy: {}, zz: {}, xy: {}, xz: {}, yz: {}}}\n", written(j.xx), written(j.yy),
                      written(j.zz), written(j.xy), written(j.xz), written(j.yz));
  if (body.velocity) text += fmt::format("    velocity: {}\n", written(*body.velocity));
  if (body.angular_velocity) text += fmt::format("    angular_velocity: {}\n", written(*body.angular_velocity));
  return text + geometry_text(body.shapes, "    ");
}

std::string joint_text(const Joint& joint) {
  std::string text =
      fmt::format("  - {{name: {}, type: {}, base: {}, moving: {}, position: {}", written_name(joint.name), joint.type,
                  written_name(joint.base), written_name(joint.moving), written(joint.position));
  if (joint.axis) text += fmt::format(", axis: {}", written(*joint.axis));
  if (joint.axis2) text += fmt::format(", axis2: {}", written(*joint.axis2));
  if (joint.cut) text += ", cut: true";
  const bool position = !joint.initial_position.empty(), velocity = !joint.initial_velocity.empty();
  if (position || velocity) {
    text += ",\n     initial: {";
    if (position) text += "position: " + written(joint.initial_position);
    if (velocity) text += (position ? ", velocity: " : "velocity: ") + written(joint.initial_velocity);
    text += "}";
  }
  return text + "}\n";
}

std::string elements_text(const std::vector<ModelElement>& all, Section section, const char* key) {
  std::string text;
  for (const ModelElement& element : all) {
    if (element.section != section) continue;
    text += fmt::format("  - {{name: {}, type: {}", written_name(element.name), element.type);
    for (const auto& [field, value] : element.fields) text += fmt::format(", {}: {}", field, value);
    text += "}\n";
  }
  return text.empty() ? text : key + text;
}

}  // namespace

std::string model_text(const Mechanism& m) {
  std::string text = fmt::format("# {}\npolyform: 1\n", m.source);
  if (!m.name.empty()) text += fmt::format("name: {}\n", written_name(printable_text(m.name)));
  if (m.gravity) text += fmt::format("gravity: {}\n", written(*m.gravity));
  if (std::ranges::any_of(m.bodies, [](const Body& b) { return is_impossible(b.mass.inertia); }))
    text += "lenient: true\n";
  if (!m.ground_shapes.empty()) text += "ground:\n" + geometry_text(m.ground_shapes, "  ");
  text += "bodies:\n";
  for (const Body& body : m.bodies) text += body_text(body);
  if (!m.joints.empty()) text += "joints:\n";
  for (const Joint& joint : m.joints) text += joint_text(joint);
  if (!m.contacts.empty()) text += "contacts:\n";
  for (const std::string& entry : m.contacts) text += fmt::format("  - {{{}}}\n", entry);
  return text + elements_text(m.elements, Section::signals, "signals:\n") +
         elements_text(m.elements, Section::forces, "forces:\n") +
         elements_text(m.elements, Section::constraints, "constraints:\n") +
         elements_text(m.elements, Section::modules, "modules:\n");
}

}  // namespace polyform::importers
