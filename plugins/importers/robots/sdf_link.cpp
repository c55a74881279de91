#include "sdf_link.hpp"

#include <fmt/format.h>

#include "looks.hpp"

namespace polyform::importers {

double number_in(const Element& parent, const char* tag, double otherwise) {
  const Element element = parent.child(tag);
  return element ? element.content_number().value_or(otherwise) : otherwise;
}

MassProperties read_sdf_inertial(const Element& link, Reporter& report, Ledger& ledger) {
  const Element inertial = link.child("inertial");
  MassProperties own{1, {}, Sym3::diagonal(1)};
  if (!inertial) {
    ledger.add(Treatment::converted, "link without inertial", "mass 1 kg and inertia 1 kg m², as SDF has it",
               link.place());
    return own;
  }
  if (inertial.text("auto").value_or("false") == "true")
    report.error(inertial.place(), "the inertia is to be computed from the shapes (`auto`), which is not done",
                 "Give mass and inertia of the link in the file.");
  own.mass = number_in(inertial, "mass", 1);
  if (own.mass < 0) report.error(inertial.child("mass").place(), fmt::format("the mass is negative: {} kg", own.mass));
  if (const Element j = inertial.child("inertia"))
    own.inertia = {number_in(j, "ixx", 1), number_in(j, "iyy", 1), number_in(j, "izz", 1),
                   number_in(j, "ixy", 0), number_in(j, "ixz", 0), number_in(j, "iyz", 0)};
  SdfPose pose = read_sdf_pose(inertial);
  if (!pose.relative_to.empty())
    report.error(inertial.child("pose").place(), "the pose of an inertia is given in its link alone",
                 "Remove `relative_to`.");
  return own.in(pose.frame);
}

void read_sdf_visual(const SdfModel& model, const Element& visual, const std::string& link, Body& body) {
  const SdfPose pose = read_sdf_pose(visual);
  Shape shape;
  shape.frame = pose.frame;
  if (!pose.relative_to.empty())
    shape.frame =
        model.pose_of(link, visual.place()).inverse() * model.pose_of(pose.relative_to, visual.place()) * pose.frame;
  visual.mark("name", Treatment::not_honoured, "shapes have no names");
  if (const Element material = visual.child("material")) material.mark(Treatment::not_honoured, no_looks);
  const Element geometry = visual.child("geometry");
  if (!geometry) return;
  if (const Element box = geometry.child("box")) {
    const auto size = box.child("size").content_numbers(3);
    if (!size) return;
    shape.size = {(*size)[0], (*size)[1], (*size)[2]};
    add_shape(shape, box, body);
  } else if (const Element cylinder = geometry.child("cylinder")) {
    shape.kind = Shape::Kind::cylinder;
    shape.radius = number_in(cylinder, "radius", 1);
    shape.length = number_in(cylinder, "length", 1);
    add_shape(shape, cylinder, body);
  } else if (const Element sphere = geometry.child("sphere")) {
    shape.kind = Shape::Kind::sphere;
    shape.radius = number_in(sphere, "radius", 1);
    add_shape(shape, sphere, body);
  } else {
    for (const Element& other : geometry.all()) other.mark(Treatment::not_honoured, "pictures have no such shape");
  }
}

}  // namespace polyform::importers
