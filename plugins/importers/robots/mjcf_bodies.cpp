#include "mjcf_bodies.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace polyform::importers {

namespace {

constexpr std::string_view made_by_mujoco = "bodies that MuJoCo makes by itself are not read";

constexpr std::pair<std::string_view, std::string_view> not_for_models[] = {
    {"camera", "for pictures only"}, {"light", "for pictures only"}, {"plugin", "belongs to another program"},
    {"composite", made_by_mujoco},   {"flexcomp", made_by_mujoco},   {"replicate", made_by_mujoco},
    {"attach", made_by_mujoco}};

}  // namespace

std::string MjcfBodyReader::given(NameGiver& names, const std::string& wanted, const Element& whose) {
  std::string name = names.give(wanted);
  if (name != wanted) whose.mark("name", Treatment::converted, name_is_changed);
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

void MjcfBodyReader::read_children(const Element& element, const Around& around, std::vector<Element>& joints,
                                   OfGeoms& of_geoms) {
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
      found_.site_element[name] = child;
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
      if (known->second == made_by_mujoco) found_.makers.push_back(child);
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
  around.body = named ? given(body_names_, wanted, element) : body_names_.give(wanted);
  if (named && !found_.bodies.try_emplace(around.file_body, around.body).second)
    element.report().error(element.place_of("name"), fmt::format("there is another body {}", in_quotes(wanted)),
                           change_name);
  around.base = outside.body;
  const Frame in_outside{source_.orientation(element, "body", outside.childclass),
                         element.vector("pos").value_or(Vec3{})};
  around.frame = outside.frame * outside.within * in_outside;
  if (source_.compiler().global) {
    if (!element.has("pos")) around.frame = frame_by_mass(element, Around{.childclass = around.childclass});
    around.within = around.frame.inverse();
  }
  around.number = m_.bodies.size();
  m_.bodies.emplace_back();
  {
    Body& body = m_.bodies.back();
    body.name = around.body;
    body.frame = around.frame;
    body.place = element.place();
  }
  const bool mocap = element.truth("mocap", false);
  if (mocap) element.mark("mocap", Treatment::converted, "welded where it is drawn");
  element.mark("user", Treatment::not_honoured, "numbers for other programs");

  std::vector<Element> joints;
  OfGeoms of_geoms;
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
  const MjcfCompiler::FromGeoms from = source_.compiler().from_geoms;
  const bool from_geoms =
      from != MjcfCompiler::FromGeoms::no && of_geoms.any && (from == MjcfCompiler::FromGeoms::always || !has_inertial);
  if (from_geoms && has_inertial)
    ledger_.add(Treatment::converted, "inertial of a body", "replaced by that of its geoms, as `inertiafromgeom` asks",
                element.place());
  m_.bodies[around.number].mass = bounded(from_geoms ? of_geoms.sum : of_file, element.place());
  if (element.report().errors() == 0) add_joints(joints, around, around.number, mocap);
  m_.joints.insert(m_.joints.end(), of_children.begin(), of_children.end());
  if (const double share = element.number("gravcomp", 0); share != 0) {
    element.mark("gravcomp", Treatment::converted,
                 acting_.springs ? "a force against the weight" : "passive forces are switched off");
    if (acting_.springs) lifts_.emplace_back(around.number, share);
  }
}

void MjcfBodyReader::add_joints(const std::vector<Element>& joints, const Around& around, std::size_t body,
                                bool mocap) {
  const bool top = around.base == ground;
  if (joints.empty()) {
    const bool free = top && !mocap && base_ == "free";
    if (free)
      ledger_.add(Treatment::converted, "body that the world carries", "on a free joint, as was asked for",
                  m_.bodies[body].place);
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
  known.name = wanted.empty() ? joint_names_.give(unnamed) : given(joint_names_, wanted, element);
  Joint joint;
  joint.name = known.name;
  joint.base = base;
  joint.moving = moving;
  const Frame frame = around.frame * around.within;
  joint.position = frame(vector(element, "joint", "pos", around).value_or(Vec3{}));
  const bool turns = known.type == "hinge";
  if (turns || known.type == "slide") {
    joint.type = turns ? "revolute" : "prismatic";
    const Vec3 axis = vector(element, "joint", "axis", around).value_or(Vec3{0, 0, 1});
    if (!(norm(axis) > 0))
      return element.report().error(element.place(), "the axis has no length", "Give it a component other than 0.");
    joint.axis = frame.axes * ((1 / norm(axis)) * axis);
    const double reference = number(element, "joint", "ref", around, 0);
    known.reference = turns ? source_.angle(reference) : reference;
    const double rest = number(element, "joint", "springref", around, 0);
    known.spring_reference = turns ? source_.angle(rest) : rest;
  } else if (known.type == "ball") {
    joint.type = "spherical";
  } else if (known.type == "free") {
    joint.type = base_ == "fixed" ? "fixed" : "free";
    joint.position = around.frame.origin;
    for (const char* name : {"pos", "axis"}) element.mark(name, Treatment::converted, "a free joint has no place");
    if (base_ == "fixed") ledger_.add(Treatment::converted, "free joint", "welded, as was asked for", element.place());
  } else {
    return element.report().error(element.place_of("type"),
                                  fmt::format("there is no joint type {}", in_quotes(known.type)),
                                  "Types are hinge, slide, ball and free.");
  }
  if (!wanted.empty() && !found_.joints.try_emplace(wanted, known).second)
    element.report().error(element.place_of("name"), fmt::format("there is another joint {}", in_quotes(wanted)),
                           change_name);
  for (const char* name : {"ref", "springref"})
    if (const Element says = source_.who_says(element, "joint", name, around.childclass))
      says.mark(name, Treatment::converted, "coordinates of a model are zero as drawn");
  if (joint.type != "fixed") add_passive(element, is_free ? "freejoint" : "joint", around, known, joint);
  m_.joints.push_back(joint);
}

void MjcfBodyReader::add_passive(const Element& element, const char* tag, const Around& around, const MjcfJoint& known,
                                 Joint& joint) {
  if (std::string_view(tag) == "freejoint") return;
  const bool is_scalar = known.type == "hinge" || known.type == "slide";
  const double stiffness = number(element, tag, "stiffness", around, 0),
               damping = number(element, tag, "damping", around, 0),
               armature = number(element, tag, "armature", around, 0);
  if (stiffness < 0 || damping < 0 || armature < 0)
    return element.report().error(element.place(), "stiffness, damping or armature is negative",
                                  "Give numbers of at least 0.");
  auto timed = timed_spring(source_.who_says(element, tag, "springdamper", around.childclass));
  armatures_.add(armature, known.type, joint, element.place());
  add_stops(element, tag, around, known, joint);
  if (!acting_.springs || (!timed && stiffness == 0 && damping == 0)) return;
  if (timed) {
    timed->joint = joint.name;
    timed->element = m_.elements.size();
    timed_.push_back(*timed);
  }
  ModelElement& spring = m_.elements.emplace_back(
      ModelElement{Section::forces, element_names_.give(joint.name + "_spring"), "joint-spring-damper", {}});
  spring.fields = {
      {"joint", written_name(joint.name)}, {"stiffness", written(stiffness)}, {"damping", written(damping)}};
  const double rest = known.spring_reference - known.reference;
  if (is_scalar && rest != 0) spring.fields.emplace_back("rest", written(rest));
}

void MjcfBodyReader::add_stops(const Element& element, const char* tag, const Around& around, const MjcfJoint& known,
                               Joint& joint) {
  const bool is_scalar = known.type == "hinge" || known.type == "slide";
  if (const Element by = source_.who_says(element, tag, "frictionloss", around.childclass))
    if (const double effort = by.number("frictionloss", 0); effort != 0) {
      if (!is_scalar || effort < 0)
        by.mark("frictionloss", Treatment::not_honoured,
                effort < 0 ? "negative friction" : "friction of balls and free joints");
      else if (acting_.friction)
        add_dry_friction(m_, element_names_, joint, effort);
      else
        by.mark("frictionloss", Treatment::not_honoured, friction_dropped);
    }
  const Element says_range = source_.who_says(element, tag, "range", around.childclass),
                says_limited = source_.who_says(element, tag, "limited", around.childclass);
  const std::string limited =
      says_limited ? says_limited.word("limited", {"true", "false", "auto"}).value_or("auto") : "auto";
  if (!says_range) {
    if (limited == "true") says_limited.mark("limited", Treatment::not_honoured, "there is no range");
    return;
  }
  const auto ends = says_range.numbers("range", 2);
  if (!ends) return;
  if (limited == "false" || (limited == "auto" && !source_.compiler().auto_limits))
    return says_range.mark("range", Treatment::converted, "the joint is not limited");
  std::string_view why = limits_dropped;
  const bool is_ball = known.type == "ball";
  if (!is_scalar && !is_ball) {
    why = "limits of free joints";
  } else if (is_ball && (*ends)[0] != 0) {
    why = "the range of a ball begins at 0";
  } else if (acting_.limits) {
    const auto from_drawn = [&](double x) {
      return (known.type == "slide" ? x : source_.angle(x)) - (is_ball ? 0 : known.reference);
    };
    found_.limits.push_back({.joint = joint.name,
                             .range = {from_drawn((*ends)[0]), from_drawn((*ends)[1])},
                             .is_ball = is_ball,
                             .place = element.place(),
                             .element = says_range,
                             .ends = {"range"}});
    return;
  }
  says_range.mark("range", Treatment::not_honoured, why);
  if (says_limited) says_limited.mark("limited", Treatment::not_honoured, why);
}

void MjcfBodyReader::read(std::string_view base) {
  base_ = base;
  meshes_.read();
  Around world;
  world.body = std::string(ground);
  world.is_world = true;
  found_.bodies["world"] = std::string(ground);
  std::vector<Element> joints;
  OfGeoms unused;
  for (const Element& worldbody : source_.sections("worldbody")) {
    world.childclass = worldbody.text("childclass").value_or("");
    read_children(worldbody, world, joints, unused);
  }
  for (const Element& joint : joints)
    joint.report().error(joint.place(), "the world has no joints", "Put it into the body that it moves.");
  scale_to_total();
  if (source_.errors() == 0) set_timed_springs(m_, timed_, armatures_.by_joint());
  for (const auto& [number, share] : lifts_) {
    const Body& body = m_.bodies[number];
    m_.elements.push_back({Section::forces,
                           element_names_.give(body.name + "_lift"),
                           "point-force",
                           {{"body", written_name(body.name)},
                            {"point", written(body.mass.center)},
                            {"force", written(-share * body.mass.mass * m_.gravity.value_or(Vec3{}))}}});
  }
  armatures_.finish();
}

}  // namespace polyform::importers
