// Shapes and masses of the bodies of an MJCF model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mjcf_bodies.hpp"

namespace polyform::importers {

namespace {

constexpr double water = 1000;  ///< kg/m³, the density of geoms by default

}  // namespace

/// What a unit density gives, with the frame of the shape in the body; nothing for what has no volume.
std::optional<Solid> MjcfBodyReader::solid_of(const Element& geom, const Around& around, std::string& type,
                                              Frame& frame, std::vector<double>& size) {
  const Element says_type = source_.who_says(geom, "geom", "type", around.childclass);
  type = says_type ? says_type.text("type").value_or("sphere") : "sphere";
  const Element says_mesh = source_.who_says(geom, "geom", "mesh", around.childclass);
  if (const Element says = source_.who_says(geom, "geom", "size", around.childclass))
    size = says.numbers("size", 0).value_or(std::vector<double>{});
  frame.origin = vector(geom, "geom", "pos", around).value_or(Vec3{});
  frame.axes = source_.orientation(geom, "geom", around.childclass);
  const Element says_ends = source_.who_says(geom, "geom", "fromto", around.childclass);
  if (says_ends && (type == "capsule" || type == "cylinder" || type == "box" || type == "ellipsoid")) {
    const auto ends = says_ends.numbers("fromto", 6);
    if (!ends) return std::nullopt;
    const Vec3 from{(*ends)[0], (*ends)[1], (*ends)[2]}, to{(*ends)[3], (*ends)[4], (*ends)[5]};
    const Vec3 along = from - to;
    const double length = norm(along);
    if (!(length > 0)) {
      says_ends.report().error(says_ends.place_of("fromto"), "both ends are the same point",
                               "Give two points, or a pose in place of them.");
      return std::nullopt;
    }
    frame.origin = 0.5 * (from + to);
    const Vec3 z = (1 / length) * along, across = cross(Vec3{0, 0, 1}, z);
    const double sine = norm(across);
    constexpr double straight = 1e-10;  // rad
    frame.axes = sine < straight ? (z.z > 0 ? Mat3::identity() : Mat3{{1, 0, 0, 0, -1, 0, 0, 0, -1}})
                                 : rotation_matrix(axis_angle((1 / sine) * across, std::atan2(sine, z.z)));
    const double radius = size.empty() ? 0 : size[0];
    size = type == "capsule" || type == "cylinder" ? std::vector{radius, length / 2}
                                                   : std::vector{radius, radius, length / 2};
  }
  frame = around.within * frame;
  const std::string mesh_name = says_mesh ? says_mesh.text("mesh").value_or("") : "";
  if ((says_mesh || type == "mesh") && !meshes_.has(mesh_name)) {
    geom.report().error(geom.place(), fmt::format("there is no mesh {}", in_quotes(mesh_name)),
                        "Name a <mesh> of <asset>.");
    return std::nullopt;
  }
  if (type == "mesh") {
    const auto& mesh = meshes_.at(mesh_name);
    return mesh ? std::optional(mesh->solid) : std::nullopt;
  }
  if (says_mesh && !fit(geom, around, mesh_name, type, frame, size)) return std::nullopt;
  const std::size_t needed = mjcf_sizes_of(type);
  if (size.size() < needed || std::any_of(size.begin(), size.begin() + static_cast<std::ptrdiff_t>(needed),
                                          [](double s) { return !(s > 0); })) {
    geom.report().error(geom.place(),
                        fmt::format("the {} needs {} size{} greater than 0", type, needed, needed == 1 ? "" : "s"),
                        "Radius or half lengths, in `size`.");
    return std::nullopt;
  }
  if (type == "sphere") return solid_ellipsoid({size[0], size[0], size[0]});
  if (type == "capsule") return solid_capsule(size[0], size[1]);
  if (type == "cylinder") return solid_cylinder(size[0], size[1]);
  if (type == "box") return solid_box({size[0], size[1], size[2]});
  if (type == "ellipsoid") return solid_ellipsoid({size[0], size[1], size[2]});
  return std::nullopt;
}

/// Gives a shape the place and size that stand for a mesh; false if its file is not at hand.
bool MjcfBodyReader::fit(const Element& geom, const Around& around, const std::string& mesh, const std::string& type,
                         Frame& frame, std::vector<double>& size) {
  const auto& found = meshes_.at(mesh);
  if (!found) return false;
  frame = frame * Frame{found->box.axes, found->solid.center};
  size = MjcfMeshes::fitted_size(type, found->box);
  const double scale = number(geom, "geom", "fitscale", around, 1);
  for (double& one : size) one *= scale;
  ledger_.add(Treatment::converted, "geom@mesh", fmt::format("a {} of the inertia of the mesh stands for it", type),
              geom.place());
  return true;
}

std::optional<MassProperties> MjcfBodyReader::mass_of(const Element& geom, const Around& around, const Solid& solid,
                                                      const Frame& frame) {
  const Element says_mass = source_.who_says(geom, "geom", "mass", around.childclass);
  const double density = number(geom, "geom", "density", around, water);
  const double mass = says_mass ? says_mass.number("mass", 0) : density * solid.mass;
  if (mass < 0) geom.report().error(geom.place(), "mass or density is negative", "Give a number of at least 0.");
  if (!(solid.mass > 0) || !(mass > 0)) return std::nullopt;
  return MassProperties{mass, solid.center, scaled_inertia(solid.inertia, mass / solid.mass)}.in(frame);
}

Frame MjcfBodyReader::frame_by_mass(const Element& body, const Around& in_ground) {
  ledger_.add(Treatment::converted, "body without `pos` in global coordinates", "its frame lies at its mass centre",
              body.place());
  MassProperties sum;
  for (const Element& child : source_.children(body)) {
    if (child.tag() == "inertial")
      return {source_.orientation(child, "inertial", in_ground.childclass), child.vector("pos").value_or(Vec3{})};
    if (child.tag() != "geom") continue;
    std::string type;
    Frame frame;
    std::vector<double> size;
    const std::optional<Solid> solid = solid_of(child, in_ground, type, frame, size);
    if (!solid) continue;
    if (const auto own = mass_of(child, in_ground, *solid, frame)) sum += *own;
  }
  return {Mat3::identity(), sum.center};
}

/// Whether a geom is one of those that give a body its mass.
bool MjcfBodyReader::counts_for_mass(const Element& geom, const Around& around) {
  const MjcfCompiler& c = source_.compiler();
  if (c.discard_visual && number(geom, "geom", "contype", around, 1) == 0 &&
      number(geom, "geom", "conaffinity", around, 1) == 0) {
    ledger_.add(Treatment::converted, "geom that touches nothing", "it has no mass, as `discardvisual` asks",
                geom.place());
    return false;
  }
  const double group = number(geom, "geom", "group", around, 0);
  return c.from_geoms != MjcfCompiler::FromGeoms::no && group >= c.first_group && group <= c.last_group;
}

MassProperties MjcfBodyReader::read_inertial(const Element& inertial, const Around& around) {
  inertial.mark(Treatment::honoured);
  MassProperties own;
  own.mass = inertial.number("mass", 0);
  if (own.mass < 0)
    inertial.report().error(inertial.place_of("mass"), "the mass is negative", "Give a mass of at least 0.");
  Frame frame{Mat3::identity(), inertial.vector("pos").value_or(Vec3{})};
  frame.axes = source_.orientation(inertial, "inertial", around.childclass);
  if (const auto full = inertial.numbers("fullinertia", 6))
    own.inertia = {(*full)[0], (*full)[1], (*full)[2], (*full)[3], (*full)[4], (*full)[5]};
  else if (const auto diagonal = inertial.vector("diaginertia"))
    own.inertia = {diagonal->x, diagonal->y, diagonal->z, 0, 0, 0};
  return own.in(around.within * frame);
}

/// Least masses and inertias, and the balance of inertias that no body can have.
MassProperties MjcfBodyReader::bounded(MassProperties p, Place place) {
  const MjcfCompiler& c = source_.compiler();
  if (c.bound_mass > p.mass) {
    p.mass = c.bound_mass;
    ledger_.add(Treatment::converted, "mass below `boundmass`", "raised to it", place);
  }
  if (PrincipalInertia own = principal(p.inertia); own.moments.x < c.bound_inertia) {
    for (double* const moment : {&own.moments.x, &own.moments.y, &own.moments.z})
      *moment = std::max(*moment, c.bound_inertia);
    p.inertia = own.whole();
    ledger_.add(Treatment::converted, "principal inertia below `boundinertia`", "raised to it", place);
  }
  if (c.balance && is_impossible(p.inertia)) {
    const double mean = (p.inertia.xx + p.inertia.yy + p.inertia.zz) / 3;
    p.inertia = Sym3::diagonal(mean);
    ledger_.add(Treatment::converted, "inertia that no body can have", "balanced, as `balanceinertia` asks", place);
  }
  return p;
}

void MjcfBodyReader::scale_to_total() {
  const double wanted = source_.compiler().total_mass;
  if (!(wanted > 0)) return;
  double whole = 0;
  for (const Body& body : m_.bodies) whole += body.mass.mass;
  if (!(whole > 0)) return;
  const double factor = wanted / whole;
  for (Body& body : m_.bodies) {
    body.mass.mass *= factor;
    body.mass.inertia = scaled_inertia(body.mass.inertia, factor);
  }
}

}  // namespace polyform::importers
