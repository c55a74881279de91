// Geoms of an MJCF model: what is seen of them, and what they touch.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "mjcf_bodies.hpp"
#include "touch.hpp"

namespace polyform::importers {

namespace {

constexpr double last_shown_group = 2;  ///< of geoms, in the viewer of MuJoCo when it opens
constexpr std::array of_contact{"contype", "conaffinity", "condim", "friction", "margin",
                                "gap",     "solref",      "solimp", "solmix",   "priority"};

/// Bits of a number of the file.
unsigned bits_of(double x) { return std::abs(x) < 2147483648.0 ? static_cast<unsigned>(static_cast<int>(x)) : 1U; }

}  // namespace

std::size_t mjcf_sizes_of(std::string_view type) {
  if (type == "sphere") return 1;
  if (type == "capsule" || type == "cylinder") return 2;
  return type == "box" || type == "ellipsoid" ? 3 : 0;
}

/// What a geom touches, by its bits; nothing where it touches nothing.
std::optional<Touch> MjcfBodyReader::touch_of(const Element& geom, const Around& around) {
  Touch touch{.types = bits_of(number(geom, "geom", "contype", around, 1)),
              .takes = bits_of(number(geom, "geom", "conaffinity", around, 1)),
              .friction = 1,
              .shapes = 1,
              .place = geom.place()};
  const double dimensions = number(geom, "geom", "condim", around, 3);
  const Element says = source_.who_says(geom, "geom", "friction", around.childclass);
  if (says)
    if (const auto given = says.numbers("friction", 0); given && !given->empty()) touch.friction = given->front();
  if (dimensions == 1) touch.friction = 0;
  const auto mark = [&](const char* name, Treatment treatment, std::string_view why) {
    if (const Element by = source_.who_says(geom, "geom", name, around.childclass)) by.mark(name, treatment, why);
  };
  if ((touch.types == 0 && touch.takes == 0) || !acting_.contacts) {
    for (const char* name : of_contact) mark(name, Treatment::converted, "the geom touches nothing");
    return std::nullopt;
  }
  if (!acting_.keeps_contacts) {
    for (const char* name : of_contact) mark(name, Treatment::not_honoured, contacts_dropped);
    return touch;
  }
  for (const char* name : {"margin", "gap", "solref", "solimp", "solmix", "priority"})
    mark(name, Treatment::not_honoured, "the force of a contact is of another law");
  if (dimensions > 3) mark("condim", Treatment::not_honoured, "no friction against spinning and rolling");
  mark("friction", Treatment::converted, "that of sliding, between the kinds of bodies the greater one");
  return touch;
}

void MjcfBodyReader::picture(const Element& geom, const Around& around, const std::string& type, const Frame& frame,
                             const std::vector<double>& size) {
  const std::optional<Touch> touch = touch_of(geom, around);
  std::vector<Shape>& shapes = around.is_world ? m_.ground_shapes : m_.bodies[around.number].shapes;
  Shape shape;
  shape.frame = frame;
  shape.visual = !touch;
  if (type == "mesh") {
    const bool hidden = number(geom, "geom", "group", around, 0) > last_shown_group;
    shape.convex = touch && acting_.keeps_contacts;
    const Element says = source_.who_says(geom, "geom", "mesh", around.childclass);
    const std::string why = hidden && !shape.convex ? "not shown: MuJoCo does not show its group either, unless asked"
                            : says                  ? meshes_.show(says.text("mesh").value_or(""), shape, shapes)
                                                    : std::string("not shown: the geom names no mesh");
    ledger_.add(hidden || why.empty() ? Treatment::converted : Treatment::not_honoured, "picture of a mesh",
                !why.empty()   ? std::string_view(why)
                : shape.convex ? hull_touches
                               : mesh_is_shown,
                geom.place());
    if (!why.empty() && acting_.keeps_contacts) return;
  } else if (type == "plane" || mjcf_sizes_of(type) > 0) {
    if (type == "box") shape.size = 2 * Vec3{size[0], size[1], size[2]};
    if (type == "ellipsoid") {
      shape.kind = Shape::Kind::ellipsoid;
      shape.size = {size[0], size[1], size[2]};
    }
    if (type == "plane") {
      shape.kind = Shape::Kind::plane;
      if (const Element says = source_.who_says(geom, "geom", "size", around.childclass))
        says.mark("size", Treatment::converted, "the plane goes on without end");
    }
    if (type == "sphere") shape.kind = Shape::Kind::sphere;
    if (type == "cylinder") shape.kind = Shape::Kind::cylinder;
    if (type == "capsule") shape.kind = Shape::Kind::capsule;
    if (type == "sphere" || type == "cylinder" || type == "capsule") shape.radius = size[0];
    if (type == "cylinder" || type == "capsule") shape.length = 2 * size[1];
    shapes.push_back(shape);
  } else {
    constexpr std::string_view why = "there is no such shape";
    if (around.is_world)
      geom.drop(why);
    else
      ledger_.add(Treatment::not_honoured, fmt::format("geom of type {}", type), why, geom.place());
    if (acting_.keeps_contacts) return;
  }
  if (!touch) return;
  std::optional<Touch>& of_body = around.is_world ? m_.ground_touch : m_.bodies[around.number].touch;
  if (of_body && acting_.keeps_contacts) {
    if (of_body->types != touch->types || of_body->takes != touch->takes)
      ledger_.add(Treatment::not_honoured, "geom that touches other things than other geoms of its body",
                  "all of them touch what one of them touches", geom.place());
    if (of_body->friction != touch->friction)
      ledger_.add(Treatment::converted, "geom of another friction than other geoms of its body",
                  "all of them have the greatest friction", geom.place());
  }
  of_body = of_body ? * of_body |= *touch : *touch;
}

void MjcfBodyReader::read_geom(const Element& geom, const Around& around, OfGeoms& of_geoms) {
  std::string type;
  Frame frame;
  std::vector<double> size;
  const std::optional<Solid> solid = solid_of(geom, around, type, frame, size);
  if (geom.report().errors() > 0) return;
  geom.mark("name", Treatment::converted, "shapes have no names");
  if (solid || mjcf_sizes_of(type) == 0) picture(geom, around, type, frame, size);
  if (around.is_world) {
    for (const char* name : {"mass", "density"}) geom.mark(name, Treatment::converted, "ground does not move");
    return;
  }
  if (!counts_for_mass(geom, around)) return;
  of_geoms.any = true;
  if (!solid) {
    if (source_.who_says(geom, "geom", "mesh", around.childclass))
      ledger_.add(Treatment::not_honoured, "mass of a mesh", "its file is not at hand, so it adds no mass",
                  geom.place());
    return;
  }
  if (const auto own = mass_of(geom, around, *solid, frame)) of_geoms.sum += *own;
}

}  // namespace polyform::importers
