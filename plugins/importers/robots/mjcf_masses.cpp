// Shapes and masses of the bodies of an MJCF model.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "mjcf_bodies.hpp"

namespace polyform::importers {

namespace {

constexpr double water = 1000;  ///< kg/m³, the density of geoms by default

}  // namespace

void MjcfBodyReader::read_mesh(const Element& mesh) {
  const std::string file = mesh.text("file").value_or("");
  std::string name = mesh.text("name").value_or("");
  if (name.empty()) name = std::filesystem::path(file).stem().string();
  std::optional<TriangleMesh> read;
  if (mesh.has("vertex") && mesh.has("face")) {
    const auto points = mesh.numbers("vertex", 0), faces = mesh.numbers("face", 0);
    if (points && faces && points->size() % 3 == 0 && faces->size() % 3 == 0) {
      read.emplace();
      for (std::size_t i = 0; i < points->size(); i += 3)
        read->vertices.push_back({(*points)[i], (*points)[i + 1], (*points)[i + 2]});
      for (std::size_t i = 0; i < faces->size(); i += 3) {
        std::array<std::uint32_t, 3> corners{};
        for (std::size_t k = 0; k < 3; ++k) {
          const double corner = (*faces)[i + k];
          if (!(corner >= 0 && corner < static_cast<double>(read->vertices.size())))
            return mesh.report().error(mesh.place_of("face"), "a face names a vertex that is not there");
          corners[k] = static_cast<std::uint32_t>(corner);
        }
        read->faces.push_back(corners);
      }
    }
  } else if (!file.empty()) {
    std::filesystem::path path =
        source_.compiler().strip_path ? std::filesystem::path(file).filename() : std::filesystem::path(file);
    if (path.is_relative()) path = std::filesystem::path(source_.folder()) / source_.compiler().mesh_folder / path;
    MeshFault fault;
    if (const auto bytes = read_file(path.string()))
      read = polyform::read_mesh(*bytes, path.extension().string(), fault);
  }
  if (!read) {
    mesh.mark(Treatment::not_honoured, "neither an STL nor an OBJ file that can be read");
    meshes_[name] = std::nullopt;
    return;
  }
  const Element scaled = source_.who_says(mesh, "mesh", "scale", "");
  const Vec3 scale = scaled ? scaled.vector("scale").value_or(Vec3{1, 1, 1}) : Vec3{1, 1, 1};
  const Vec3 origin = mesh.vector("refpos").value_or(Vec3{});
  Mat3 axes = Mat3::identity();
  if (const auto q = mesh.numbers("refquat", 4); q && norm(Quat{(*q)[0], (*q)[1], (*q)[2], (*q)[3]}) > 0)
    axes = rotation_matrix(Quat{(*q)[0], (*q)[1], (*q)[2], (*q)[3]});
  for (Vec3& p : read->vertices) {
    p = transpose_times(axes, p - origin);
    p = {scale.x * p.x, scale.y * p.y, scale.z * p.z};
  }
  Solid solid = solid_mesh(*read);
  if (solid.mass < 0) {  // seen from inside, or mirrored by a negative scale
    solid.mass = -solid.mass;
    solid.inertia = Sym3{} - solid.inertia;
  }
  meshes_[name] = solid;
}

void MjcfBodyReader::read_meshes() {
  for (const Element& assets : source_.sections("asset"))
    for (const Element& asset : source_.children(assets)) {
      if (asset.tag() != "mesh") {
        asset.mark(Treatment::not_honoured, "for pictures only");
        continue;
      }
      asset.mark(Treatment::honoured);
      read_mesh(asset);
    }
}

/// What a unit density gives, with the frame of the shape in the body; nothing for what has no volume.
std::optional<Solid> MjcfBodyReader::solid_of(const Element& geom, const Around& around, std::string& type,
                                              Frame& frame, std::vector<double>& size) {
  const Element says_type = source_.who_says(geom, "geom", "type", around.childclass);
  type = says_type ? says_type.text("type").value_or("sphere") : "sphere";
  const Element says_mesh = source_.who_says(geom, "geom", "mesh", around.childclass);
  if (says_mesh && !says_type) type = "mesh";
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
      says_ends.report().error(says_ends.place_of("fromto"), "both ends are the same point");
      return std::nullopt;
    }
    frame.origin = 0.5 * (from + to);
    const Vec3 z = (1 / length) * along, across = cross(Vec3{0, 0, 1}, z);
    const double sine = norm(across);
    frame.axes = sine < 1e-10 ? (z.z > 0 ? Mat3::identity() : Mat3{{1, 0, 0, 0, -1, 0, 0, 0, -1}})
                              : rotation_matrix(axis_angle((1 / sine) * across, std::atan2(sine, z.z)));
    const double radius = size.empty() ? 0 : size[0];
    size = type == "capsule" || type == "cylinder" ? std::vector{radius, length / 2}
                                                   : std::vector{radius, radius, length / 2};
  }
  frame = around.within * frame;
  const std::size_t needed = type == "sphere"                          ? 1
                             : type == "capsule" || type == "cylinder" ? 2
                             : type == "box" || type == "ellipsoid"    ? 3
                                                                       : 0;
  if (size.size() < needed || std::any_of(size.begin(), size.begin() + static_cast<std::ptrdiff_t>(needed),
                                          [](double s) { return !(s > 0); })) {
    geom.report().error(geom.place(),
                        fmt::format("the {} needs {} size{} greater than 0", type, needed, needed == 1 ? "" : "s"));
    return std::nullopt;
  }
  if (type == "sphere") return solid_ellipsoid({size[0], size[0], size[0]});
  if (type == "capsule") return solid_capsule(size[0], size[1]);
  if (type == "cylinder") return solid_cylinder(size[0], size[1]);
  if (type == "box") return solid_box({size[0], size[1], size[2]});
  if (type == "ellipsoid") return solid_ellipsoid({size[0], size[1], size[2]});
  if (type != "mesh") return std::nullopt;
  const std::string name = says_mesh ? says_mesh.text("mesh").value_or("") : "";
  const auto found = meshes_.find(name);
  if (found == meshes_.end()) {
    geom.report().error(geom.place(), fmt::format("there is no mesh {}", in_quotes(name)));
    return std::nullopt;
  }
  return found->second;
}

void MjcfBodyReader::picture(const Element& geom, const std::string& type, const Frame& frame,
                             const std::vector<double>& size, Body& body) {
  Shape shape;
  shape.frame = frame;
  if (type == "box") {
    shape.size = 2 * Vec3{size[0], size[1], size[2]};
  } else if (type == "sphere") {
    shape.kind = Shape::Kind::sphere;
    shape.radius = size[0];
  } else if (type == "cylinder" || type == "capsule") {
    shape.kind = Shape::Kind::cylinder;
    shape.radius = size[0];
    shape.length = 2 * size[1];
    if (type == "capsule") {
      ledger_.add(Treatment::converted, "picture of a capsule", "a cylinder and two spheres", geom.place());
      for (const double end : {-size[1], size[1]}) {
        Shape ball;
        ball.kind = Shape::Kind::sphere;
        ball.radius = size[0];
        ball.frame = frame * Frame{Mat3::identity(), {0, 0, end}};
        body.shapes.push_back(ball);
      }
    }
  } else {
    ledger_.add(Treatment::not_honoured, fmt::format("picture of a geom of type {}", type),
                "pictures have no such shape", geom.place());
    return;
  }
  body.shapes.push_back(shape);
}

void MjcfBodyReader::read_geom(const Element& geom, const Around& around, MassProperties& sum) {
  std::string type;
  Frame frame;
  std::vector<double> size;
  const std::optional<Solid> solid = solid_of(geom, around, type, frame, size);
  if (geom.report().errors() > 0) return;
  geom.text("name");
  if (around.is_world) {
    geom.drop("shapes of the ground are not shown, and bodies do not touch");
    return;
  }
  picture(geom, type, frame, size, m_.bodies[around.number]);
  const double group = number(geom, "geom", "group", around, 0);
  const Element says_mass = source_.who_says(geom, "geom", "mass", around.childclass);
  const double density = number(geom, "geom", "density", around, water);
  if (source_.compiler().from_geoms == MjcfCompiler::FromGeoms::no || group < source_.compiler().first_group ||
      group > source_.compiler().last_group)
    return;
  if (!solid) {
    if (type == "mesh")
      ledger_.add(Treatment::not_honoured, "mass of a mesh", "its file is not at hand, so it adds no mass",
                  geom.place());
    return;
  }
  MassProperties own = *solid;
  const double mass = says_mass ? says_mass.number("mass", 0) : density * solid->mass;
  if (mass < 0) geom.report().error(geom.place(), "mass or density is negative");
  if (!(solid->mass > 0)) return;
  const double factor = mass / solid->mass;
  const Sym3& j = solid->inertia;
  own.mass = mass;
  own.inertia = {factor * j.xx, factor * j.yy, factor * j.zz, factor * j.xy, factor * j.xz, factor * j.yz};
  if (mass > 0) sum += own.in(frame);
}

MassProperties MjcfBodyReader::read_inertial(const Element& inertial, const Around& around) {
  inertial.mark(Treatment::honoured);
  MassProperties own;
  own.mass = inertial.number("mass", 0);
  if (own.mass < 0) inertial.report().error(inertial.place_of("mass"), "the mass is negative");
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
  const Sym3 before = p.inertia;
  if (c.bound_inertia > 0) {
    p.inertia.xx = std::max(p.inertia.xx, c.bound_inertia);
    p.inertia.yy = std::max(p.inertia.yy, c.bound_inertia);
    p.inertia.zz = std::max(p.inertia.zz, c.bound_inertia);
    if (p.inertia.xx != before.xx || p.inertia.yy != before.yy || p.inertia.zz != before.zz)
      ledger_.add(Treatment::converted, "inertia below `boundinertia`", "raised to it", place);
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
    const Sym3 j = body.mass.inertia;
    body.mass.inertia = {factor * j.xx, factor * j.yy, factor * j.zz, factor * j.xy, factor * j.xz, factor * j.yz};
  }
}

}  // namespace polyform::importers
