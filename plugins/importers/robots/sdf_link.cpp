#include "sdf_link.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "looks.hpp"
#include "touch.hpp"
#include "solids.hpp"

namespace polyform::importers {

double number_in(const Element& parent, const char* tag, double otherwise) {
  const Element element = parent.child(tag);
  return element ? element.content_number().value_or(otherwise) : otherwise;
}

double sdf_end(const Element& parent, const char* tag, double none) {
  const Element element = parent.child(tag);
  if (!element) return none;
  const std::string text = element.content();
  const bool is_endless = text == "inf" || text == "+inf" || text == "-inf";
  return is_endless ? none : element.content_number().value_or(none);
}

namespace {

constexpr std::pair<std::string_view, std::string_view> what_for[] = {{"collision", contacts_dropped},
                                                                      {"self_collide", contacts_dropped},
                                                                      {"sensor", "sensors are not modelled"},
                                                                      {"plugin", "belongs to another program"},
                                                                      {"light", "for pictures only"},
                                                                      {"scene", "for pictures only"},
                                                                      {"gui", "for pictures only"},
                                                                      {"physics", "settings of another program"},
                                                                      {"state", "states of a run are not read"},
                                                                      {"actor", "for pictures only"}};

/// Where a visual or a collision stands in its link.
Frame frame_in_link(const SdfModel& model, const Element& shape, const std::string& link) {
  const SdfPose pose = read_sdf_pose(shape);
  if (pose.relative_to.empty()) return pose.frame;
  return model.pose_of(link, shape.place()).inverse() * model.pose_of(pose.relative_to, shape.place()) * pose.frame;
}

/// Of a unit density; nothing for shapes without a volume, and meshes.
std::optional<Solid> solid_in(const Element& geometry) {
  if (const Element box = geometry.child("box")) {
    const auto size = box.child("size").content_numbers(3);
    return solid_box(size ? 0.5 * Vec3{(*size)[0], (*size)[1], (*size)[2]} : Vec3{0.5, 0.5, 0.5});
  }
  if (const Element ball = geometry.child("sphere")) {
    const double radius = number_in(ball, "radius", 1);
    return solid_ellipsoid({radius, radius, radius});
  }
  if (const Element cylinder = geometry.child("cylinder"))
    return solid_cylinder(number_in(cylinder, "radius", 1), number_in(cylinder, "length", 1) / 2);
  if (const Element cone = geometry.child("cone"))
    return solid_cone(number_in(cone, "radius", 1), number_in(cone, "length", 1) / 2);
  if (const Element capsule = geometry.child("capsule"))
    return solid_capsule(number_in(capsule, "radius", 0.5), number_in(capsule, "length", 1) / 2);
  if (const Element ellipsoid = geometry.child("ellipsoid")) {
    const auto radii = ellipsoid.child("radii").content_numbers(3);
    return solid_ellipsoid(radii ? Vec3{(*radii)[0], (*radii)[1], (*radii)[2]} : Vec3{1, 1, 1});
  }
  return std::nullopt;
}

/// What `auto` asks for: the sum over all collisions, each of its own density, or else the link's, or else that of
/// water. A mass that is given scales all.
MassProperties inertial_of_shapes(const SdfModel& model, const Element& link, const std::string& name,
                                  const Element& inertial, bool touches, Ledger& ledger) {
  constexpr double water = 1000;
  const double of_link = number_in(inertial, "density", water);
  MassProperties sum;
  for (const Element& collision : link.children("collision")) {
    if (!touches) {
      collision.mark(Treatment::converted, "its mass counts");
      ledger.add(Treatment::not_honoured, "contact of a collision", contacts_dropped, collision.place());
    }
    collision.mark("name", Treatment::converted, "shapes have no names");
    const Element geometry = collision.child("geometry");
    const std::optional<Solid> solid = geometry ? solid_in(geometry) : std::nullopt;
    const double density = number_in(collision, "density", of_link);
    if (!solid || !(solid->mass > 0) || !(density > 0)) {
      ledger.add(Treatment::not_honoured, "mass of a collision", "its shape has no volume that is known",
                 collision.place());
      continue;
    }
    sum += MassProperties{density * solid->mass, solid->center, scaled_inertia(solid->inertia, density)}.in(
        frame_in_link(model, collision, name));
  }
  for (const char* unused : {"pose", "inertia"})
    if (const Element e = inertial.child(unused))
      e.mark_all(Treatment::converted, "replaced by that of the collisions, as `auto` asks");
  const double mass = number_in(inertial, "mass", sum.mass);
  if (!(sum.mass > 0) || !(mass > 0)) {
    ledger.add(Treatment::converted, "link whose shapes have no mass", "mass 1 kg and inertia 1 kg m², as SDF has it",
               link.place());
    return {1, {}, Sym3::diagonal(1)};
  }
  sum.inertia = scaled_inertia(sum.inertia, mass / sum.mass);
  sum.mass = mass;
  return sum;
}

}  // namespace

void mark_foreign(const Element& element) {
  for (const auto& [tag, remark] : what_for)
    for (const Element& e : element.children(std::string(tag).c_str())) e.mark(Treatment::not_honoured, remark);
}

MassProperties read_sdf_inertial(const SdfModel& model, const Element& link, const std::string& name, Reporter& report,
                                 bool touches, Ledger& ledger) {
  const Element inertial = link.child("inertial");
  MassProperties own{1, {}, Sym3::diagonal(1)};
  if (!inertial) {
    ledger.add(Treatment::converted, "link without inertial", "mass 1 kg and inertia 1 kg m², as SDF has it",
               link.place());
    return own;
  }
  if (sdf_truth(inertial, inertial.text("auto").value_or("false")))
    return inertial_of_shapes(model, link, name, inertial, touches, ledger);
  own.mass = number_in(inertial, "mass", 1);
  if (own.mass < 0)
    report.error(inertial.child("mass").place(), fmt::format("the mass is negative: {} kg", own.mass),
                 "Give a mass of at least 0.");
  if (const Element j = inertial.child("inertia"))
    own.inertia = {number_in(j, "ixx", 1), number_in(j, "iyy", 1), number_in(j, "izz", 1),
                   number_in(j, "ixy", 0), number_in(j, "ixz", 0), number_in(j, "iyz", 0)};
  SdfPose pose = read_sdf_pose(inertial);
  if (!pose.relative_to.empty())
    report.error(inertial.child("pose").place(), "the pose of an inertia is given in its link alone",
                 "Remove `relative_to`.");
  return own.in(pose.frame);
}

namespace {

void read_sdf_mesh(const Element& mesh, Shape shape, MeshFiles& meshes, Body& body) {
  if (mesh.child("submesh")) return mesh.drop("not shown: a part of a mesh");
  shape.size = {1, 1, 1};
  if (const Element scale = mesh.child("scale"))
    if (const auto s = scale.content_numbers(3)) shape.size = {(*s)[0], (*s)[1], (*s)[2]};
  shape.convex = !shape.visual;
  const Element uri = mesh.child("uri");
  meshes.add(mesh, uri ? uri.content() : "", shape, body.shapes);
}

std::optional<Vec3> lengths_in(const Element& shape, const char* tag) {
  const auto all = shape.child(tag).content_numbers(3);
  return all ? std::optional(Vec3{(*all)[0], (*all)[1], (*all)[2]}) : std::nullopt;
}

/// The rotation that takes the z axis to a direction.
Mat3 axes_along(const Vec3& n) {
  const Quat half{1 + n.z, -n.y, n.x, 0};
  return rotation_matrix(half.w > 1e-12 ? half : Quat{0, 1, 0, 0});
}

void read_geometry(const Element& geometry, Shape shape, MeshFiles& meshes, Body& body) {
  const auto add = [&](const Element& element) {
    return shape.visual ? add_shape(shape, element, body.shapes) : add_touching(shape, element, body.shapes);
  };
  if (const Element box = geometry.child("box")) {
    const auto size = lengths_in(box, "size");
    if (!size) return;
    shape.size = *size;
    add(box);
  } else if (const Element ellipsoid = geometry.child("ellipsoid")) {
    const auto size = ellipsoid.child("radii") ? lengths_in(ellipsoid, "radii") : Vec3{1, 1, 1};
    if (!size) return;
    shape.kind = Shape::Kind::ellipsoid;
    shape.size = *size;
    add(ellipsoid);
  } else if (const Element cylinder = geometry.child("cylinder")) {
    shape.kind = Shape::Kind::cylinder;
    shape.radius = number_in(cylinder, "radius", 1);
    shape.length = number_in(cylinder, "length", 1);
    add(cylinder);
  } else if (const Element capsule = geometry.child("capsule")) {
    shape.kind = Shape::Kind::capsule;
    shape.radius = number_in(capsule, "radius", 0.5);
    shape.length = number_in(capsule, "length", 1);
    add(capsule);
  } else if (const Element sphere = geometry.child("sphere")) {
    shape.kind = Shape::Kind::sphere;
    shape.radius = number_in(sphere, "radius", 1);
    add(sphere);
  } else if (const Element plane = geometry.child("plane")) {
    shape.kind = Shape::Kind::plane;
    const auto normal = plane.child("normal") ? lengths_in(plane, "normal") : Vec3{0, 0, 1};
    if (!normal || !(norm(*normal) > 0)) return plane.mark(Treatment::not_honoured, "its normal has no length");
    shape.frame.axes = shape.frame.axes * axes_along((1 / norm(*normal)) * *normal);
    if (const Element size = plane.child("size")) size.mark(Treatment::converted, "the plane goes on without end");
    add(plane);
  } else if (const Element mesh = geometry.child("mesh")) {
    read_sdf_mesh(mesh, shape, meshes, body);
  } else {
    for (const Element& other : geometry.all()) other.mark(Treatment::not_honoured, "there is no such shape");
  }
}

}  // namespace

void read_sdf_visual(const SdfModel& model, const Element& visual, const std::string& link, MeshFiles& meshes,
                     Body& body) {
  Shape shape;
  shape.frame = frame_in_link(model, visual, link);
  shape.visual = true;
  visual.mark("name", Treatment::converted, "shapes have no names");
  if (const Element material = visual.child("material")) material.mark(Treatment::not_honoured, no_looks);
  const std::size_t had = body.shapes.size();
  if (const Element geometry = visual.child("geometry")) read_geometry(geometry, shape, meshes, body);
  if (body.shapes.size() == had) visual.child("pose").drop(no_shape_there);
}

void read_sdf_collision(const SdfModel& model, const Element& collision, const std::string& link, Touch touch,
                        MeshFiles& meshes, Body& body) {
  Shape shape;
  shape.frame = frame_in_link(model, collision, link);
  collision.mark(Treatment::honoured);
  collision.mark("name", Treatment::converted, "shapes have no names");
  touch.friction = 1;
  touch.shapes = 1;
  touch.place = collision.place();
  touch.types = touch.takes = 65535;
  if (const Element surface = collision.child("surface")) {
    if (const Element ode = surface.child("friction").child("ode")) touch.friction = number_in(ode, "mu", 1);
    touch.restitution = std::clamp(number_in(surface.child("bounce"), "restitution_coefficient", 0), 0.0, 1.0);
    if (const Element contact = surface.child("contact"))
      if (const Element mask = contact.child("collide_bitmask"))
        touch.types = touch.takes = static_cast<unsigned>(std::clamp(mask.content_number().value_or(0), 0.0, 65535.0));
  }
  const auto touching = [&] { return std::ranges::count(body.shapes, false, &Shape::visual); };
  const auto had = touching();
  if (const Element geometry = collision.child("geometry")) read_geometry(geometry, shape, meshes, body);
  if (touching() == had) return collision.child("pose").drop(no_shape_there);
  body.touch = body.touch ? * body.touch |= touch : touch;
}

}  // namespace polyform::importers
