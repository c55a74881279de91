#include "urdf_link.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "looks.hpp"

namespace polyform::importers {
namespace {

double needed(const Element& element, const char* attribute, Reporter& report) {
  if (!element.has(attribute))
    report.error(element.place(), fmt::format("<{}> has no attribute `{}`", element.tag(), attribute), "Add it.");
  return element.number(attribute, 0);
}

}  // namespace

Frame read_urdf_origin(const Element& parent) {
  const Element origin = parent.child("origin");
  if (!origin) return {};
  Frame frame;
  frame.origin = origin.vector("xyz").value_or(Vec3{});
  if (origin.has("quat_xyzw")) {
    if (const auto q = origin.numbers("quat_xyzw", 4); q && norm(Quat{(*q)[3], (*q)[0], (*q)[1], (*q)[2]}) > 0)
      frame.axes = rotation_matrix(Quat{(*q)[3], (*q)[0], (*q)[1], (*q)[2]});
  } else if (const auto rpy = origin.vector("rpy")) {
    frame.axes = roll_pitch_yaw(*rpy);
  }
  return frame;
}

MassProperties read_urdf_inertial(const Element& link, Reporter& report) {
  const Element inertial = link.child("inertial");
  if (!inertial) return {};
  const Frame frame = read_urdf_origin(inertial);
  MassProperties own;
  if (const Element mass = inertial.child("mass"))
    own.mass = needed(mass, "value", report);
  else
    report.error(inertial.place(), "<inertial> has no <mass>", "Add <mass value=\"...\"/>, in kg.");
  if (own.mass < 0)
    report.error(inertial.child("mass").place(), fmt::format("the mass is negative: {} kg", own.mass),
                 "Give a mass of at least 0.");
  if (const Element j = inertial.child("inertia"))
    own.inertia = {needed(j, "ixx", report), needed(j, "iyy", report), needed(j, "izz", report),
                   needed(j, "ixy", report), needed(j, "ixz", report), needed(j, "iyz", report)};
  else
    report.error(inertial.place(), "<inertial> has no <inertia>",
                 "Add <inertia ixx=\"...\" iyy=\"...\" izz=\"...\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/>, in kg m².");
  return own.in(frame);
}

namespace {

void read_shape(const Element& owner, Shape shape, MeshFiles& meshes, Body& body) {
  owner.mark("name", Treatment::converted, "shapes have no names");
  const Element geometry = owner.child("geometry");
  if (!geometry) return;
  shape.frame = read_urdf_origin(owner);
  const std::size_t had = body.shapes.size();
  const auto add = [&](const Element& element) {
    return shape.visual ? add_shape(shape, element, body.shapes) : add_touching(shape, element, body.shapes);
  };
  if (const Element box = geometry.child("box")) {
    shape.size = box.vector("size").value_or(Vec3{});
    add(box);
  } else if (const Element round =
                 geometry.child("cylinder") ? geometry.child("cylinder") : geometry.child("capsule")) {
    shape.kind = round.tag() == "cylinder" ? Shape::Kind::cylinder : Shape::Kind::capsule;
    shape.radius = round.number("radius", 0);
    shape.length = round.number("length", 0);
    add(round);
  } else if (const Element sphere = geometry.child("sphere")) {
    shape.kind = Shape::Kind::sphere;
    shape.radius = sphere.number("radius", 0);
    add(sphere);
  } else if (const Element mesh = geometry.child("mesh")) {
    shape.size = mesh.vector("scale").value_or(Vec3{1, 1, 1});
    shape.convex = !shape.visual;
    meshes.add(mesh, mesh.text("filename").value_or(""), shape, body.shapes);
  }
  if (shape.visual && body.shapes.size() == had) owner.child("origin").drop(no_shape_there);
}

}  // namespace

void read_urdf_visual(const Element& visual, MeshFiles& meshes, Body& body) {
  if (const Element material = visual.child("material")) material.mark(Treatment::not_honoured, no_looks);
  Shape shape;
  shape.visual = true;
  read_shape(visual, shape, meshes, body);
}

void read_urdf_collision(const Element& collision, MeshFiles& meshes, Body& body) {
  const auto touching = [&] { return std::ranges::count(body.shapes, false, &Shape::visual); };
  const auto had = touching();
  read_shape(collision, {}, meshes, body);
  if (touching() == had) return collision.child("origin").drop(no_shape_there);
  Touch touch;
  touch.shapes = 1;
  touch.place = collision.place();
  body.touch = body.touch ? * body.touch |= touch : touch;
}

}  // namespace polyform::importers
