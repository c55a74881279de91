#include "mjcf_bodies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace polyform::importers {

namespace {

constexpr std::pair<std::string_view, std::string_view> not_for_models[] = {
    {"camera", "for pictures only"},
    {"light", "for pictures only"},
    {"plugin", "belongs to another program"},
    {"composite", "bodies that MuJoCo makes by itself are not read"},
    {"flexcomp", "bodies that MuJoCo makes by itself are not read"},
    {"replicate", "bodies that MuJoCo makes by itself are not read"},
    {"attach", "bodies that MuJoCo makes by itself are not read"}};

constexpr double water = 1000;  ///< kg/m³, the density of geoms by default

}  // namespace

std::string MjcfBodyReader::given(NameGiver& names, const std::string& wanted, const char* what, Place place) {
  std::string name = names.give(wanted);
  if (name != wanted) ledger_.add(Treatment::converted, what, "a name that a model cannot have is changed", place);
  return name;
}

double MjcfBodyReader::number(const Element& e, const char* tag, const char* attribute, const Around& around,
                              double otherwise) {
  const Element says = source_.who_says(e, tag, attribute, around.childclass);
  return says ? says.number(attribute, otherwise) : otherwise;
}

std::optional<Vec3> MjcfBodyReader::vector(const Element& e, const char* tag, const char* attribute,
                                           const Around& around) {
  const Element says = source_.who_says(e, tag, attribute, around.childclass);
  return says ? says.vector(attribute) : std::nullopt;
}

void MjcfBodyReader::read_mesh(const Element& mesh) {
  const std::string file = mesh.text("file").value_or("");
  std::string name = mesh.text("name").value_or("");
  if (name.empty()) name = std::filesystem::path(file).stem().string();
  std::optional<Mesh> read;
  if (mesh.has("vertex") && mesh.has("face")) {
    const auto points = mesh.numbers("vertex", 0), faces = mesh.numbers("face", 0);
    if (points && faces && points->size() % 3 == 0 && faces->size() % 3 == 0) {
      read.emplace();
      for (std::size_t i = 0; i < points->size(); i += 3)
        read->points.push_back({(*points)[i], (*points)[i + 1], (*points)[i + 2]});
      for (std::size_t i = 0; i < faces->size(); i += 3) {
        std::array<std::size_t, 3> corners{};
        for (std::size_t k = 0; k < 3; ++k) {
          const double corner = (*faces)[i + k];
          if (!(corner >= 0 && corner < static_cast<double>(read->points.size())))
            return mesh.report().error(mesh.place_of("face"), "a face names a vertex that is not there");
          corners[k] = static_cast<std::size_t>(corner);
        }
        read->triangles.push_back(corners);
      }
    }
  } else if (!file.empty()) {
    std::filesystem::path path =
        source_.compiler().strip_path ? std::filesystem::path(file).filename() : std::filesystem::path(file);
    if (path.is_relative()) path = std::filesystem::path(source_.folder()) / source_.compiler().mesh_folder / path;
    if (const auto bytes = read_file(path.string())) {
      std::string ending = path.extension().string();
      std::ranges::transform(ending, ending.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c; });
      read = ending == ".obj" ? read_obj(*bytes) : ending == ".stl" ? read_stl(*bytes) : std::nullopt;
    }
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
  for (Vec3& p : read->points) {
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

void MjcfBodyReader::read_children(const Element& element, const Around& around, std::vector<Element>& joints,
                                   MassProperties& of_geoms) {
  for (const Element& child : source_.children(element)) {
    const std::string_view tag = child.tag();
    if (tag == "geom") {
      child.mark(Treatment::honoured);
      read_geom(child, around, of_geoms);
    } else if (tag == "joint" || tag == "freejoint") {
      child.mark(Treatment::honoured);
      joints.push_back(child);
    } else if (tag == "site") {
      child.mark(Treatment::not_honoured, "markers without an effect are not kept");
      const std::string name = child.text("name").value_or("");
      const Frame site{source_.orientation(child, "site", around.childclass),
                       vector(child, "site", "pos", around).value_or(Vec3{})};
      found_.sites[name] = around.frame * around.within * site;
      found_.site_body[name] = around.body;
    } else if (tag == "frame") {
      child.mark(Treatment::honoured);
      Around inner = around;
      inner.childclass = child.text("childclass").value_or(around.childclass);
      child.text("name");
      inner.within = around.within * Frame{source_.orientation(child, "frame", around.childclass),
                                           child.vector("pos").value_or(Vec3{})};
      read_children(child, inner, joints, of_geoms);
    } else if (const auto known =
                   std::ranges::find(not_for_models, tag, &std::pair<std::string_view, std::string_view>::first);
               known != std::end(not_for_models)) {
      child.mark(Treatment::not_honoured, known->second);
    }
  }
  // Bodies come after the joints and shapes of the one that carries them.
  for (const Element& child : source_.children(element))
    if (child.tag() == "body") {
      child.mark(Treatment::honoured);
      read_body(child, around);
    }
}

void MjcfBodyReader::read_body(const Element& element, const Around& outside) {
  if (m_.bodies.size() > 1'000'000) return;
  Around around;
  around.childclass = element.text("childclass").value_or(outside.childclass);
  around.file_body = element.text("name").value_or("");
  const bool named = !around.file_body.empty();
  const std::string wanted = named ? around.file_body : fmt::format("body_{}", m_.bodies.size() + 1);
  around.body = named ? given(body_names_, wanted, "body@name", element.place()) : body_names_.give(wanted);
  if (named && !found_.bodies.try_emplace(around.file_body, around.body).second)
    element.report().error(element.place_of("name"), fmt::format("there is another body {}", in_quotes(wanted)));
  around.base = outside.body;
  const Frame in_outside{source_.orientation(element, "body", outside.childclass),
                         element.vector("pos").value_or(Vec3{})};
  around.frame = outside.frame * outside.within * in_outside;
  around.number = m_.bodies.size();
  m_.bodies.emplace_back();
  {
    Body& body = m_.bodies.back();
    body.name = around.body;
    body.frame = around.frame;
    body.place = element.place();
  }
  const bool mocap = element.text("mocap").value_or("false") == "true";
  element.mark("user", Treatment::not_honoured, "numbers for other programs");

  std::vector<Element> joints;
  MassProperties of_geoms;
  MassProperties of_file;
  bool has_inertial = false;
  for (const Element& child : source_.children(element))
    if (child.tag() == "inertial") {
      of_file = read_inertial(child, around);
      has_inertial = true;
    }
  // The joints stand before the bodies that this one carries, as a reader of the model expects them.
  const std::size_t first_joint = m_.joints.size();
  read_children(element, around, joints, of_geoms);
  std::vector<Joint> of_children(m_.joints.begin() + static_cast<std::ptrdiff_t>(first_joint), m_.joints.end());
  m_.joints.resize(first_joint);
  const bool from_geoms = source_.compiler().from_geoms == MjcfCompiler::FromGeoms::always ||
                          (source_.compiler().from_geoms == MjcfCompiler::FromGeoms::where_missing && !has_inertial);
  if (from_geoms && has_inertial)
    ledger_.add(Treatment::converted, "inertial of a body", "replaced by that of its geoms, as `inertiafromgeom` asks",
                element.place());
  m_.bodies[around.number].mass = bounded(from_geoms ? of_geoms : of_file, element.place());
  if (element.report().errors() == 0) add_joints(joints, around, around.number, mocap);
  m_.joints.insert(m_.joints.end(), of_children.begin(), of_children.end());
  if (const double share = element.number("gravcomp", 0); share != 0) {
    element.mark("gravcomp", Treatment::converted, "a force against the weight");
    lifts_.emplace_back(around.number, share);
  }
}

void MjcfBodyReader::add_joints(const std::vector<Element>& joints, const Around& around, std::size_t body,
                                bool mocap) {
  const bool top = around.base == ground;
  if (joints.empty()) {
    const bool free = top && !mocap && base_ == "free";
    if (free || mocap)
      ledger_.add(Treatment::converted, mocap ? "body@mocap" : "body that the world carries",
                  free ? "on a free joint, as was asked for" : "welded where it is drawn", m_.bodies[body].place);
    m_.joints.push_back({.name = joint_names_.give(free ? "@root" : around.body + "_weld"),
                         .type = free ? "free" : "fixed",
                         .base = around.base,
                         .moving = around.body,
                         .position = around.frame.origin});
    return;
  }
  // Each joint but the last moves a body without mass, on which the next one stands.
  std::string base = around.base;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    std::string moving = around.body;
    if (j + 1 < joints.size()) {
      Body between;
      between.name = body_names_.give(fmt::format("{}_{}", around.body, j + 1));
      between.frame = around.frame;
      between.place = joints[j].place();
      moving = between.name;
      m_.bodies.push_back(between);
      ledger_.add(Treatment::converted, "further joint of a body", "a body without mass stands between two joints",
                  joints[j].place());
    }
    add_joint(joints[j], around, base, moving);
    base = moving;
  }
}

void MjcfBodyReader::add_joint(const Element& element, const Around& around, const std::string& base,
                               const std::string& moving) {
  const bool is_free = element.tag() == "freejoint";
  MjcfJoint known;
  known.type = "hinge";
  if (const Element says = source_.who_says(element, "joint", "type", around.childclass); says && !is_free)
    known.type = says.text("type").value_or("hinge");
  if (is_free) known.type = "free";
  const std::string wanted = element.text("name").value_or("");
  const std::string unnamed = known.type == "free" ? (joint_names_.is_taken("@root") ? "@root_" + around.body : "@root")
                                                   : around.body + "_joint";
  known.name =
      wanted.empty() ? joint_names_.give(unnamed) : given(joint_names_, wanted, "joint@name", element.place_of("name"));
  Joint joint;
  joint.name = known.name;
  joint.base = base;
  joint.moving = moving;
  const Frame frame = around.frame * around.within;
  joint.position = frame(vector(element, "joint", "pos", around).value_or(Vec3{}));
  std::size_t freedoms = 1;
  const bool turns = known.type == "hinge";
  if (turns || known.type == "slide") {
    joint.type = turns ? "revolute" : "prismatic";
    const Vec3 axis = vector(element, "joint", "axis", around).value_or(Vec3{0, 0, 1});
    if (!(norm(axis) > 0)) return element.report().error(element.place(), "the axis has no length");
    joint.axis = frame.axes * ((1 / norm(axis)) * axis);
    const double reference = number(element, "joint", "ref", around, 0);
    known.reference = turns ? source_.angle(reference) : reference;
  } else if (known.type == "ball") {
    joint.type = "spherical";
    freedoms = 3;
  } else if (known.type == "free") {
    joint.type = base_ == "fixed" ? "fixed" : "free";
    freedoms = 6;
    joint.position = around.frame.origin;
    if (base_ == "fixed") ledger_.add(Treatment::converted, "free joint", "welded, as was asked for", element.place());
  } else {
    return element.report().error(element.place_of("type"),
                                  fmt::format("there is no joint type {}", in_quotes(known.type)),
                                  "Types are hinge, slide, ball and free.");
  }
  if (!wanted.empty() && !found_.joints.try_emplace(wanted, known).second)
    element.report().error(element.place_of("name"), fmt::format("there is another joint {}", in_quotes(wanted)));
  if (known.reference != 0)
    ledger_.add(Treatment::converted, "joint@ref", "the drawn position is the coordinate 0", element.place());
  m_.joints.push_back(joint);
  if (joint.type != "fixed") add_passive(element, is_free ? "freejoint" : "joint", around, known, freedoms);
}

void MjcfBodyReader::add_passive(const Element& element, const char* tag, const Around& around, const MjcfJoint& joint,
                                 std::size_t freedoms) {
  const bool is_free = std::string_view(tag) == "freejoint";
  double stiffness = 0, damping = 0, rest = 0, armature = 0;
  if (!is_free) {
    stiffness = number(element, tag, "stiffness", around, 0);
    damping = number(element, tag, "damping", around, 0);
    armature = number(element, tag, "armature", around, 0);
    const Element says = source_.who_says(element, tag, "springref", around.childclass);
    const double reference = says ? says.number("springref", 0) : 0;
    if (freedoms == 1) rest = (joint.type == "hinge" ? source_.angle(reference) : reference) - joint.reference;
    if (number(element, tag, "frictionloss", around, 0) != 0)
      source_.who_says(element, tag, "frictionloss", around.childclass)
          .mark("frictionloss", Treatment::not_honoured, "no dry friction in joints");
    for (const char* limit : {"range", "limited"})
      if (const Element by = source_.who_says(element, tag, limit, around.childclass))
        by.mark(limit, Treatment::not_honoured, "a joint moves beyond its limits");
    if (const Element by = source_.who_says(element, tag, "springdamper", around.childclass))
      by.mark("springdamper", Treatment::not_honoured, "give stiffness and damping as numbers");
  }
  if (stiffness < 0 || damping < 0 || armature < 0) {
    element.report().error(element.place(), "stiffness, damping or armature is negative");
    return;
  }
  if (armature > 0 && freedoms == 1)
    m_.elements.push_back({Section::modules,
                           element_names_.give(joint.name + "_armature"),
                           "rotor",
                           {{"joint", written_name(joint.name)}, {"inertia", written(armature)}}});
  else if (armature > 0)
    ledger_.add(Treatment::not_honoured, "joint@armature of balls and free joints",
                "a rotor turns with a joint of one coordinate", element.place());
  if (!passive_ || (stiffness == 0 && damping == 0)) return;
  ModelElement& spring = m_.elements.emplace_back(
      ModelElement{Section::forces, element_names_.give(joint.name + "_spring"), "joint-spring-damper", {}});
  spring.fields = {
      {"joint", written_name(joint.name)}, {"stiffness", written(stiffness)}, {"damping", written(damping)}};
  if (rest != 0) spring.fields.emplace_back("rest", written(rest));
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

void MjcfBodyReader::read(std::string_view base) {
  base_ = base;
  read_meshes();
  Around world;
  world.body = std::string(ground);
  world.is_world = true;
  found_.bodies["world"] = std::string(ground);
  std::vector<Element> joints;
  MassProperties unused;
  for (const Element& worldbody : source_.sections("worldbody")) {
    world.childclass = worldbody.text("childclass").value_or("");
    read_children(worldbody, world, joints, unused);
  }
  for (const Element& joint : joints) joint.report().error(joint.place(), "the world has no joints");
  scale_to_total();
  for (const auto& [number, share] : lifts_) {
    const Body& body = m_.bodies[number];
    m_.elements.push_back({Section::forces,
                           element_names_.give(body.name + "_lift"),
                           "point-force",
                           {{"body", written_name(body.name)},
                            {"point", written(body.mass.center)},
                            {"force", written(-share * body.mass.mass * m_.gravity.value_or(Vec3{}))}}});
  }
}

}  // namespace polyform::importers
