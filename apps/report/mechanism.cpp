#include "apps/report/mechanism.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "apps/report/flexible_lines.hpp"
#include "polyform/contract/body_groups.hpp"
#include "polyform/contract/body_pairs.hpp"
#include "polyform/contract/picture.hpp"
#include "polyform/helpers/height_grid.hpp"

namespace polyform::apps {

namespace {

Json numbers(const Vec3& v) { return Json::array({v.x, v.y, v.z}); }
Json numbers(const Quat& q) { return Json::array({q.w, q.x, q.y, q.z}); }

/// Triangles of meshes and height fields, each once however many shapes have it: bodies may have many like parts.
class Surfaces {
 public:
  /// The place of a shape's triangles in the list.
  std::size_t place(const GeometricShape&);
  Json list() { return std::move(list_); }

 private:
  Json list_ = Json::array();
  std::map<std::string, std::size_t> known_;  ///< by the bytes of all numbers
};

/// A height field as triangles of the surface between its heights: fine enough for the eye where there are few, and one
/// of several where there are many.
Json height_field(const GeometricShape& s) {
  constexpr std::size_t least = 32, most = 160;  // parts along each side
  const std::size_t columns = s.heights.size() / s.rows;
  const HeightGrid grid{.heights = s.heights,
                        .rows = s.rows,
                        .x = -0.5 * s.edges.x,
                        .y = -0.5 * s.edges.y,
                        .spacing_x = s.edges.x / static_cast<double>(s.rows - 1),
                        .spacing_y = s.edges.y / static_cast<double>(columns - 1)};
  const auto parts = [&](std::size_t heights) {
    const std::size_t steps = heights - 1;
    return steps >= least ? std::min(steps, most) : steps * ((least + steps - 1) / steps);
  };
  const std::size_t across = parts(s.rows), along = parts(columns);
  Json vertices = Json::array(), faces = Json::array();
  for (std::size_t i = 0; i <= across; ++i)
    for (std::size_t j = 0; j <= along; ++j) {
      const double x = s.edges.x * (static_cast<double>(i) / static_cast<double>(across) - 0.5),
                   y = s.edges.y * (static_cast<double>(j) / static_cast<double>(along) - 0.5);
      vertices.push_back({x, y, grid.at(x, y).height});
      if (i == across || j == along) continue;
      const std::size_t a = i * (along + 1) + j, b = a + along + 1;
      faces.push_back({a, b, b + 1});
      faces.push_back({a, b + 1, a + 1});
    }
  return {{"vertices", std::move(vertices)}, {"faces", std::move(faces)}, {"smooth", true}};
}

Json mesh(const GeometricShape& s) {
  Json vertices = Json::array();
  for (const Vec3& v : s.vertices) vertices.push_back(numbers(v));
  return {{"vertices", std::move(vertices)}, {"faces", s.faces}};
}

std::size_t Surfaces::place(const GeometricShape& s) {
  std::string bytes;
  const auto add = [&](const auto& list) {
    const auto raw = std::as_bytes(std::span(list));
    bytes += fmt::format("{}:", raw.size());
    bytes.append(reinterpret_cast<const char*>(raw.data()), raw.size());
  };
  add(s.vertices);
  add(s.faces);
  add(s.heights);
  add(std::array{s.edges.x, s.edges.y, static_cast<double>(s.rows)});
  const auto [at, is_new] = known_.emplace(std::move(bytes), list_.size());
  if (is_new) list_.push_back(s.kind == GeometricShape::Kind::mesh ? mesh(s) : height_field(s));
  return at->second;
}

/// Such forces are not drawn as springs.
bool is_between_surfaces(const ForceType& type) {
  return ask<BodyPairs>(type) != nullptr || ask<BodyGroups>(type) != nullptr;
}

/// What the page draws for the shapes of a body: a capsule is a cylinder and two balls.
void add_shapes(std::span<const GeometricShape> shapes, Surfaces& surfaces, Json& out) {
  const auto add = [&](Json drawn, const Pose& pose, double along_z = 0) {
    drawn["position"] = numbers(pose.position + along_z * (rotation_matrix(pose.orientation) * Vec3{0, 0, 1}));
    drawn["orientation"] = numbers(pose.orientation);
    out.push_back(std::move(drawn));
  };
  for (const GeometricShape& s : shapes) {
    const Json ball{{"type", "sphere"}, {"radius", s.radius}};
    const Json cylinder{{"type", "cylinder"}, {"radius", s.radius}, {"length", s.length}};
    switch (s.kind) {
      case GeometricShape::Kind::box: add({{"type", "box"}, {"size", numbers(s.edges)}}, s.pose); break;
      case GeometricShape::Kind::cylinder: add(cylinder, s.pose); break;
      case GeometricShape::Kind::sphere: add(ball, s.pose); break;
      case GeometricShape::Kind::capsule:
        add(cylinder, s.pose);
        for (const double end : {-0.5, 0.5}) add(ball, s.pose, end * s.length);
        break;
      case GeometricShape::Kind::plane: add({{"type", "plane"}}, s.pose); break;
      case GeometricShape::Kind::ellipsoid: add({{"type", "ellipsoid"}, {"size", numbers(s.edges)}}, s.pose); break;
      case GeometricShape::Kind::mesh:
      case GeometricShape::Kind::height_field: add({{"type", "mesh"}, {"surface", surfaces.place(s)}}, s.pose); break;
    }
  }
}

/// The motion that a joint allows, in a word.
const char* freedom_of(const JointData& joint) {
  const auto all = [&](Primitive::Kind kind) {
    return std::ranges::all_of(joint.primitives, [&](const Primitive& p) { return p.kind == kind; });
  };
  if (joint.nv == 6) return "all";
  if (joint.nv == 0) return "none";
  if (joint.primitives.empty()) return "other";
  if (joint.primitives.size() == 1 && all(Primitive::Kind::rotation)) return "turn";
  if (all(Primitive::Kind::translation)) return "slide";
  if (all(Primitive::Kind::ball) || (all(Primitive::Kind::rotation) && joint.primitives.size() == 3)) return "ball";
  return "other";
}

class Mechanism {
 public:
  explicit Mechanism(const host::System& system) : system_(system), view_(system.view()) {
    const std::vector<BodyIndex>& bodies = system.bodies();
    user_body_.resize(view_.bodies.size());
    for (std::size_t i = 0; i < bodies.size(); ++i) user_body_[at(bodies[i])] = i;
    attached_.resize(view_.bodies.size());
    user_joint_.resize(view_.joints.size());
    for (std::size_t i = 0; i < system.joints().size(); ++i) user_joint_[at(system.joints()[i])] = i;
  }

  Json json() {
    Json joints = Json::array(), forces = Json::array(), acting = Json::array(), bodies = Json::array();
    for (const JointIndex j : system_.joints()) joints.push_back(joint(view_.joints[at(j)]));
    for (const ForceInstances& group : view_.forces)
      for (std::size_t i = 0; !is_between_surfaces(*group.type) && i < group.instances.size(); ++i)
        if (Json drawn = force(group, i); !drawn.is_null()) forces.push_back(std::move(drawn));
    for (const ForceInstances& group : view_.forces)
      if (!is_between_surfaces(*group.type) && group.type->descriptor().outputs.size() > 0) add_acting(group, acting);
    for (const ConstraintInstances& group : view_.constraints)
      for (std::size_t i = 0; i < group.instances.size(); ++i)
        if (group.instances[i].markers.size() == 2) forces.push_back(between(group, i, "rod"));
    for (std::size_t i = 0; i < system_.bodies().size(); ++i) bodies.push_back(body(i));
    return {{"gravity", numbers(view_.gravity)},
            {"degrees_of_freedom", system_.count_constraints().degrees_of_freedom},
            {"bodies", bodies},
            {"joints", joints},
            {"forces", forces},
            {"acting", acting},
            {"ground", shapes(system_.description().ground_geometry, system_.description().ground_pictures)},
            {"surfaces", surfaces_.list()}};
  }

 private:
  Json shapes(std::span<const GeometricShape> geometry, std::span<const GeometricShape> pictures) {
    Json out = Json::array();
    add_shapes(geometry, surfaces_, out);
    add_shapes(pictures, surfaces_, out);
    return out;
  }

  Json body(std::size_t i) {
    const BodyIndex b = system_.bodies()[i];
    const BodyData& data = view_.bodies[at(b)];
    const auto& item = system_.description().bodies[i];
    Json out{{"name", data.name},
             {"mass", data.mass},
             {"center", numbers(data.center_of_mass)},
             {"inertia", Json::array({data.inertia.xx, data.inertia.yy, data.inertia.zz})},
             {"shapes", shapes(item.geometry, item.pictures)}};
    if (data.flexible == rigid) return out;
    const FlexibleData& flexible = view_.flexible[data.flexible];
    const FlexibleLines lines = flexible_lines(flexible, attached_[at(b)]);
    Json points = Json::array();
    for (const LinePoint& p : lines.points) points.push_back({{"point", numbers(p.point)}, {"shape", p.displacement}});
    out["modes"] = flexible.modes;
    out["points"] = std::move(points);
    out["edges"] = lines.edges;
    return out;
  }

  /// Where the elements of a type act: what arrows need beside their outputs. What has an axis and a radius at one
  /// point is a wheel, and gives the normal of the road. An element at two points with an `orientation` gives its own
  /// axes, in those of the first body.
  void add_acting(const ForceInstances& group, Json& out) const {
    for (std::size_t i = 0, first = 0; i < group.instances.size(); first += group.instances[i++].joints.size()) {
      const ElementInstance& instance = group.instances[i];
      constexpr std::size_t most_places = 16;  // of a net over many bodies one arrow would say nothing
      if (instance.markers.size() + instance.joints.size() > most_places) continue;
      Json ends = Json::array(), joints = Json::array();
      for (const Marker& m : instance.markers) ends.push_back(place(m.body, m.frame, m.point));
      for (std::size_t j = 0; j < instance.joints.size(); ++j)
        joints.push_back(user_joint_[at(group.joints[first + j])]);
      Json one{{"name", group.names[i]}, {"ends", std::move(ends)}, {"joints", std::move(joints)}};
      const FieldValue *axis = field(group, i, "axis"), *radius = field(group, i, "radius");
      if (instance.markers.size() == 1 && axis != nullptr && radius != nullptr && norm(axis->vector) > 0) {
        const FieldValue* normal = field(group, i, "road_normal");
        one["axis"] = numbers(axis->vector);
        one["radius"] = radius->number;
        one["normal"] = numbers(normal != nullptr && norm(normal->vector) > 0 ? normal->vector : Vec3{0, 0, 1});
      }
      const FieldValue* axes = field(group, i, "orientation");
      if (axes != nullptr && instance.markers.size() == 2 && instance.drawn.size() == 2)
        one["axes"] = numbers(conjugate(instance.drawn[0].orientation) * axes->orientation);
      out.push_back(std::move(one));
    }
  }

  /// A force with the points or the joint that it acts at; null where there is nothing to draw.
  Json force(const ForceInstances& group, std::size_t i) {
    const ElementInstance& instance = group.instances[i];
    const auto* picture = ask<Picture>(*group.type);
    if (picture != nullptr && picture->kind() == Picture::Kind::wheel) return wheel(group, i, *picture);
    if (picture != nullptr && instance.markers.empty() && instance.joints.size() == 1)
      return in_joint(group, i, *picture);
    if (picture == nullptr && instance.markers.size() != 2) return {};
    const bool is_spring = picture != nullptr && !is_zero(field(group, i, "stiffness"));
    if (is_spring && picture->kind() == Picture::Kind::torsion) return between(group, i, "torsion");
    return between(group, i, is_spring && picture->kind() == Picture::Kind::coil ? "coil" : "line");
  }

  /// What stands between all markers of an element.
  template <class Type>
  Json between(const ElementInstances<Type>& group, std::size_t i, const char* kind) {
    Json ends = Json::array();
    for (const Marker& m : group.instances[i].markers) ends.push_back(end(m.body, m.frame, m.point));
    return {{"name", group.names[i]}, {"kind", kind}, {"ends", ends}};
  }

  /// A spring or stops in a joint; null for a damper alone.
  Json in_joint(const ForceInstances& group, std::size_t i, const Picture& picture) const {
    std::size_t first = 0;
    for (std::size_t k = 0; k < i; ++k) first += group.instances[k].joints.size();
    Json out{{"name", group.names[i]}, {"joint", user_joint_[at(group.joints[first])]}};
    if (picture.kind() == Picture::Kind::coil) {
      out["kind"] = "joint-coil";
      return is_zero(field(group, i, "stiffness")) ? Json() : out;
    }
    // Stops are drawn beside the axis of a joint that has one.
    if (picture.kind() != Picture::Kind::stop || group.instances[i].joints[0].nv != 1) return {};
    out["kind"] = "stop";
    for (const char* side : {"lower", "upper"})
      if (const FieldValue* place = field(group, i, side); place != nullptr && place->given) out[side] = place->number;
    return out;
  }

  /// The field of an instance by its name; null where its type has none.
  static const FieldValue* field(const ForceInstances& group, std::size_t i, std::string_view name) {
    const Strided<const FieldSpec> specs = group.type->fields();
    for (std::size_t f = 0; f < specs.size(); ++f)
      if (specs[f].name == name) return &group.instances[i].fields[f];
    return nullptr;
  }
  static bool is_zero(const FieldValue* value) {
    return value != nullptr && value->number == 0 &&
           std::ranges::all_of(value->numbers, [](double x) { return x == 0; });
  }

  Json wheel(const ForceInstances& group, std::size_t i, const Picture& picture) const {
    const ElementInstance& instance = group.instances[i];
    const Strided<const FieldSpec> specs = group.type->fields();
    Json out{{"name", group.names[i]}, {"kind", "wheel"}};
    if (instance.markers.empty() || is_ground(instance.markers[0].body)) return {};
    const Marker& m = instance.markers[0];
    // Not noted as a point where something is attached: a link to the middle of the wheel says nothing.
    out["at"] = {{"body", user_body_[at(m.body)]}, {"point", numbers(m.point)}};
    for (std::size_t f = 0; f < specs.size(); ++f) {
      if (specs[f].name == picture.axis_field()) out["axis"] = numbers(instance.fields[f].vector);
      if (specs[f].name == picture.radius_field()) out["radius"] = instance.fields[f].number;
    }
    return out.contains("axis") && out.contains("radius") ? out : Json();
  }

  Json joint(const JointData& joint) {
    Json out{{"name", joint.name},
             {"freedom", freedom_of(joint)},
             {"ends", Json::array({end(joint.base, joint.base_frame, joint.p_base),
                                   end(joint.moving, joint.moving_frame, joint.p_moving)})}};
    if (!joint.primitives.empty() && joint.primitives.front().kind != Primitive::Kind::ball)
      out["axis"] = numbers(joint.primitives.front().axis);  // in the axes of the base
    // From the joint to the mass centre of the moving body as drawn, in the axes of the base: where its turn begins.
    if (!is_ground(joint.moving) && joint.moving_frame == frame_of(joint.moving))
      out["toward"] = numbers(joint.R_drawn * (view_.bodies[at(joint.moving)].center_of_mass - joint.p_moving));
    return out;
  }

  /// A point of a body, given in one of its frames.
  Json place(BodyIndex body, FrameIndex frame, Vec3 point) const {
    if (is_ground(body)) return {{"body", -1}, {"point", numbers(point)}};
    Json out{{"body", user_body_[at(body)]}};
    if (frame != frame_of(body)) {
      const FlexibleNode& node = view_.nodes[at(frame) - view_.bodies.size()];
      point += node.point;
      out["shape"] = node.displacement;
    }
    out["point"] = numbers(point);
    return out;
  }

  /// The same, noted as a point where something is attached.
  Json end(BodyIndex body, FrameIndex frame, const Vec3& point) {
    Json out = place(body, frame, point);
    if (!is_ground(body))
      attached_[at(body)].push_back(
          {out["point"][0].get<double>(), out["point"][1].get<double>(), out["point"][2].get<double>()});
    return out;
  }

  const host::System& system_;
  const SystemView& view_;
  std::vector<std::size_t> user_body_;       ///< view → user's order
  std::vector<std::size_t> user_joint_;      ///< the same of joints
  std::vector<std::vector<Vec3>> attached_;  ///< per body of the view, in its axes
  Surfaces surfaces_;
};

}  // namespace

Json mechanism_json(const host::System& system) { return Mechanism(system).json(); }

}  // namespace polyform::apps
