// URDF to a model.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "deliver.hpp"
#include "joint_stops.hpp"
#include "looks.hpp"
#include "mechanism.hpp"
#include "named_files.hpp"
#include "options.hpp"
#include "robot_formats.hpp"
#include "touch.hpp"
#include "urdf_export.hpp"
#include "urdf_link.hpp"
#include "xml_file.hpp"

namespace polyform::importers {
namespace {

enum Option : std::size_t { at_base, at_merge, at_mimics, at_limits, at_friction, at_contacts, at_packages, at_folder };
constexpr FieldSpec options[] = {urdf_base_option,  // in the order of Option
                                 merge_fixed_option, mimic_option,    limits_option,      friction_option("drop"),
                                 contacts_option,    packages_option, model_folder_option};

/// A joint as the file has it.
struct UrdfJoint {
  Element element;
  std::string name, type, parent, child;
  Frame origin;
  Vec3 axis{1, 0, 0};
};

/// The purpose of elements that have no place in a model, by their tag.
constexpr std::pair<std::string_view, std::string_view> foreign[] = {{"transmission", "drives are not modelled"},
                                                                     {"gazebo", "belongs to another program"},
                                                                     {"sensor", "sensors are not modelled"},
                                                                     {"material", no_looks}};

class UrdfReader {
 public:
  UrdfReader(XmlFile& file, Ledger& ledger) : file_(file), report_(file.report()), ledger_(ledger) {}

  bool read(Strided<const FieldValue> given, Mechanism& m) {
    const Element robot = file_.root();
    if (!robot || !check_root(robot)) return false;
    m.name = robot.text("name").value_or("");
    m.source = "imported from URDF";
    m.gravity = Vec3{0, 0, -9.81};
    constexpr std::string_view versions[] = {"1", "1.0", "1.1", "1.2"};
    if (const auto version = robot.text("version");
        version && std::ranges::find(versions, *version) == std::end(versions))
      robot.mark("version", Treatment::not_honoured, "read as version 1.2");
    MeshFiles meshes(given[at_packages].text, given[at_folder].text);
    read_links(robot, meshes, given[at_contacts].text == "keep", m);
    read_joints(robot);
    for (const auto& [tag, remark] : foreign)
      for (const Element& e : robot.children(std::string(tag).c_str())) e.mark(Treatment::not_honoured, remark);
    if (report_.errors() > 0 || !find_parents()) return false;
    place_links(m, given[at_base].text == "free");
    for (const UrdfJoint& joint : joints_) add_joint(joint, m);
    const Kept kept{.coupled = given[at_mimics].text == "coupled",
                    .limits = given[at_limits].text == "keep",
                    .friction = given[at_friction].text == "keep"};
    for (const UrdfJoint& joint : joints_) add_effects(joint, kept, m);
    for (const UrdfJoint& joint : joints_)
      if (const Element limit = joint.element.child("limit")) read_range(limit, joint, kept.limits);
    add_limits(m, element_names_, limits_, mimics_, ledger_);
    return report_.errors() == 0;
  }

 private:
  struct Kept {
    bool coupled, limits, friction;
  };
  bool check_root(const Element& robot) {
    if (robot.tag() != "robot") {
      report_.error(robot.place(), fmt::format("the outermost element is <{}>, expected <robot>", robot.tag()),
                    "Check that this is a URDF file.");
      return false;
    }
    for (const Element& e : robot.all())
      if (e.tag().starts_with("xacro:")) {
        report_.error(e.place(), "this is a xacro file, which is a program that writes URDF",
                      "Let its own tool write the URDF: xacro FILE > robot.urdf");
        return false;
      }
    return true;
  }

  void read_links(const Element& robot, MeshFiles& meshes, bool touches, Mechanism& m) {
    for (const Element& link : robot.children("link")) {
      const std::optional<std::string> name = link.text("name");
      if (!name || name->empty()) {
        report_.error(link.place(), "the link has no name", add_name);
        continue;
      }
      if (!link_of_.try_emplace(*name, m.bodies.size()).second) {
        report_.error(link.place_of("name"), fmt::format("there is another link of the name {}", in_quotes(*name)),
                      change_name);
        continue;
      }
      Body& body = m.bodies.emplace_back();
      body.place = link.place();
      body.name = given_name(body_names_, *name, link);
      body.mass = read_urdf_inertial(link, report_);
      for (const Element& visual : link.children("visual")) read_urdf_visual(visual, meshes, body);
      for (const Element& collision : link.children("collision"))
        if (touches)
          read_urdf_collision(collision, meshes, body);
        else
          collision.mark(Treatment::not_honoured, contacts_dropped);
      for (const Element& contact : link.children("contact"))
        contact.mark(Treatment::not_honoured, "the force of a contact is of another law");
    }
    if (m.bodies.empty() && report_.errors() == 0)
      report_.error(robot.place(), "the robot has no links", "Add a <link name=\"...\"/> for each body.");
  }

  static std::string given_name(NameGiver& names, const std::string& wanted, const Element& whose) {
    std::string name = names.give(wanted);
    if (name != wanted) whose.mark("name", Treatment::converted, name_is_changed);
    return name;
  }

  std::string link_named(const Element& joint, const char* tag) {
    const Element end = joint.child(tag);
    const std::optional<std::string> name = end ? end.text("link") : std::nullopt;
    if (!name)
      report_.error(joint.place(), fmt::format("the joint has no <{} link=\"…\"/>", tag),
                    "Add it, with the name of a link.");
    else if (!link_of_.contains(*name))
      report_.error(end.place_of("link"), fmt::format("there is no link {}", in_quotes(*name)),
                    "Name a <link> of this robot.");
    return name.value_or("");
  }

  void read_joints(const Element& robot) {
    std::map<std::string, int> known;
    for (const Element& element : robot.children("joint")) {
      UrdfJoint joint{element, element.text("name").value_or(""), element.text("type").value_or(""), {}, {}, {}};
      if (joint.name.empty()) report_.error(element.place(), "the joint has no name", add_name);
      if (!known.try_emplace(joint.name).second)
        report_.error(element.place_of("name"),
                      fmt::format("there is another joint of the name {}", in_quotes(joint.name)), change_name);
      static constexpr std::string_view types[] = {"revolute", "continuous", "prismatic", "fixed",
                                                   "floating", "planar",     "spherical"};
      if (std::ranges::find(types, joint.type) == std::end(types))
        report_.error(element.place_of("type"), fmt::format("there is no joint type {}", in_quotes(joint.type)),
                      "Types are revolute, continuous, prismatic, fixed, floating and planar.");
      joint.parent = link_named(element, "parent");
      joint.child = link_named(element, "child");
      joint.origin = read_urdf_origin(element);
      if (const Element axis = element.child("axis")) joint.axis = axis.vector("xyz").value_or(Vec3{1, 0, 0});
      const bool has_axis =
          joint.type == "revolute" || joint.type == "continuous" || joint.type == "prismatic" || joint.type == "planar";
      if (has_axis && !(norm(joint.axis) > 0)) {
        // The reader of ROS takes such a joint, and its programs then move it nowhere.
        element.child("axis").mark("xyz", Treatment::converted, "an axis of length zero: the joint is fixed");
        joint.type = "fixed";
      }
      joints_.push_back(joint);
    }
  }

  /// Finds the joint that carries each link; a link without one is a root.
  bool find_parents() {
    for (std::size_t j = 0; j < joints_.size(); ++j) {
      const auto [found, first] = carrier_.try_emplace(joints_[j].child, j);
      if (!first)
        report_.error(joints_[j].element.place(),
                      fmt::format("link {} is the child of joint {} already: URDF has no closed loops",
                                  in_quotes(joints_[j].child), in_quotes(joints_[found->second].name)),
                      "SDF and MJCF can close a loop, and so can a joint that is added to the model.");
    }
    for (const UrdfJoint& joint : joints_) {
      const UrdfJoint* at = &joint;
      std::size_t steps = 0;
      for (auto up = carrier_.find(at->parent); up != carrier_.end() && steps <= joints_.size();
           up = carrier_.find(at->parent), ++steps)
        at = &joints_[up->second];
      if (steps <= joints_.size()) continue;
      report_.error(joint.element.place(),
                    fmt::format("joint {} is in a cycle: no root carries it", in_quotes(joint.name)),
                    "One link of a robot is the child of no joint: remove a joint of the cycle, or change its child.");
      break;
    }
    return report_.errors() == 0;
  }

  void place_links(Mechanism& m, bool free) {
    std::map<std::string, std::vector<std::size_t>> carried;
    for (std::size_t j = 0; j < joints_.size(); ++j) carried[joints_[j].parent].push_back(j);
    std::vector<std::string> todo;
    std::size_t roots = 0;
    for (const auto& [link, i] : link_of_)
      if (!carrier_.contains(link)) todo.push_back(link);
    std::ranges::sort(todo, {}, [&](const std::string& link) { return link_of_.at(link); });
    for (const std::string& root : todo) {
      const Body& body = m.bodies[link_of_.at(root)];
      m.joints.push_back({.name = joint_names_.give(roots == 0 ? "@root" : "@root_" + body.name),
                          .type = free ? "free" : "fixed",
                          .base = std::string(ground),
                          .moving = body.name,
                          .position = {}});
      if (roots++ > 0)
        ledger_.add(Treatment::converted, "further root link", free ? "free as the first one" : "welded to ground",
                    body.place);
    }
    std::reverse(todo.begin(), todo.end());
    while (!todo.empty()) {
      const std::string link = todo.back();
      todo.pop_back();
      for (const std::size_t j : carried[link]) {
        m.bodies[link_of_.at(joints_[j].child)].frame = m.bodies[link_of_.at(link)].frame * joints_[j].origin;
        todo.push_back(joints_[j].child);
      }
    }
  }

  void add_joint(const UrdfJoint& joint, Mechanism& m) {
    const Body& child = m.bodies[link_of_.at(joint.child)];
    Joint& out = m.joints.emplace_back();
    out.name = given_name(joint_names_, joint.name, joint.element);
    name_of_joint_[joint.name] = out.name;
    type_of_joint_[joint.name] = joint.type;
    out.type = joint.type == "continuous" ? "revolute" : joint.type == "floating" ? "free" : joint.type;
    out.base = m.bodies[link_of_.at(joint.parent)].name;
    out.moving = child.name;
    out.position = child.frame.origin;
    if (out.type == "revolute" || out.type == "prismatic" || out.type == "planar")
      out.axis = child.frame.axes * ((1 / norm(joint.axis)) * joint.axis);
  }

  static bool has_one_coordinate(std::string_view type) {
    return type == "revolute" || type == "continuous" || type == "prismatic";
  }

  /// Adds damping and mimicry, and reports what is not modelled.
  void add_effects(const UrdfJoint& joint, const Kept& kept, Mechanism& m) {
    const Element& e = joint.element;
    if (const Element dynamics = e.child("dynamics")) add_dynamics(dynamics, joint, kept.friction, m);
    if (const Element safety = e.child("safety_controller"))
      safety.mark(Treatment::not_honoured, "controllers are not modelled");
    if (const Element calibration = e.child("calibration"))
      calibration.mark(Treatment::not_honoured, "reference positions of encoders are not kept");
    if (const Element mimic = e.child("mimic")) add_mimic(mimic, joint, kept.coupled, m);
  }

  Joint& joint_of(const UrdfJoint& joint, Mechanism& m) {
    return *std::ranges::find(m.joints, name_of_joint_[joint.name], &Joint::name);
  }

  void read_range(const Element& limit, const UrdfJoint& joint, bool keep) {
    const auto mark = [&](std::initializer_list<const char*> names, Treatment treatment, std::string_view why) {
      for (const char* name : names) limit.mark(name, treatment, why);
    };
    for (const char* name : {"effort", "velocity"})
      if (limit.number(name, 0) < endless) limit.mark(name, Treatment::not_honoured, no_drives);
    const JointRange range{limit.number("lower", 0), limit.number("upper", 0)};
    if (joint.type != "revolute" && joint.type != "prismatic")
      mark({"lower", "upper"}, Treatment::converted, "a joint of this type has no ends");
    else if (!keep && range.ends())
      mark({"lower", "upper"}, Treatment::not_honoured, limits_dropped);
    else
      limits_.push_back({.joint = name_of_joint_[joint.name],
                         .range = range,
                         .place = limit.place(),
                         .element = limit,
                         .ends = {"lower", "upper"}});
  }

  void add_dynamics(const Element& dynamics, const UrdfJoint& joint, bool rubs, Mechanism& m) {
    const double damping = dynamics.number("damping", 0), friction = dynamics.number("friction", 0);
    if (friction != 0) {
      if (joint.type == "fixed")
        dynamics.mark("friction", Treatment::converted, "a fixed joint does not move");
      else if (!has_one_coordinate(joint.type) || friction < 0)
        dynamics.mark("friction", Treatment::not_honoured,
                      friction < 0 ? "negative friction" : "friction of joints with several coordinates");
      else if (!rubs)
        dynamics.mark("friction", Treatment::not_honoured, friction_dropped);
      else
        add_dry_friction(m, element_names_, joint_of(joint, m), friction);
    }
    if (damping == 0) return;
    if (joint.type == "fixed")
      dynamics.mark("damping", Treatment::converted, "a fixed joint does not move");
    else if (!has_one_coordinate(joint.type) || damping < 0)
      dynamics.mark("damping", Treatment::not_honoured,
                    damping < 0 ? "negative damping" : "damping of joints with several coordinates");
    else
      m.elements.push_back(
          {Section::forces,
           element_names_.give(name_of_joint_[joint.name] + "_damping"),
           "joint-spring-damper",
           {{"joint", written_name(name_of_joint_[joint.name])}, {"stiffness", "0"}, {"damping", written(damping)}}});
  }

  void add_mimic(const Element& mimic, const UrdfJoint& joint, bool coupled, Mechanism& m) {
    const std::string other = mimic.text("joint").value_or("");
    const double multiplier = mimic.number("multiplier", 1), offset = mimic.number("offset", 0);
    if (!coupled) return mimic.drop(moves_independently);
    if (!has_one_coordinate(joint.type)) return mimic.drop("the joint has not one coordinate");
    if (!type_of_joint_.contains(other) || other == joint.name) return mimic.drop("it names no other joint");
    const std::string& type = type_of_joint_[other];
    if (type == "fixed") {
      mimic.mark(Treatment::converted, "the other joint is fixed, so this one is held");
      m.elements.push_back({Section::constraints,
                            element_names_.give(name_of_joint_[joint.name] + "_mimic"),
                            "prescribed-motion",
                            {{"joint", written_name(name_of_joint_[joint.name])}, {"motion", written(offset)}}});
      return;
    }
    if (!has_one_coordinate(type)) return mimic.drop("the other joint has several coordinates");
    mimic.mark(Treatment::converted, "a constraint of type joint-coupling");
    mimics_.add(name_of_joint_[joint.name], name_of_joint_[other], {offset, multiplier});
    m.elements.push_back({Section::constraints,
                          element_names_.give(name_of_joint_[joint.name] + "_mimic"),
                          "joint-coupling",
                          {{"joint", written_name(name_of_joint_[joint.name])},
                           {"other_joint", written_name(name_of_joint_[other])},
                           {"coefficients", written(std::array{offset, multiplier})}}});
  }

  XmlFile& file_;
  Reporter& report_;
  Ledger& ledger_;
  NameGiver body_names_, joint_names_, element_names_;
  std::map<std::string, std::size_t> link_of_;  ///< by name in the file: number of the body
  std::vector<UrdfJoint> joints_;
  std::map<std::string, std::size_t> carrier_;                        ///< by link: the joint that carries it
  std::map<std::string, std::string> name_of_joint_, type_of_joint_;  ///< by name in the file
  Mimics mimics_;
  std::vector<JointLimit> limits_;
};

constexpr std::string_view urdf_example = R"(<robot name="pendulum">
  <link name="base"/>
  <link name="rod">
    <inertial>
      <origin xyz="0 0 -0.5"/>
      <mass value="2"/>
      <inertia ixx="0.17" iyy="0.17" izz="0.001" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <joint name="hinge" type="revolute">
    <parent link="base"/>
    <child link="rod"/>
    <axis xyz="0 1 0"/>
    <limit effort="1" velocity="1" lower="-1" upper="1"/>
    <dynamics damping="0.1"/>
  </joint>
</robot>
)";

class Urdf final : public ImporterType {
 public:
  std::string_view name() const noexcept override { return "urdf"; }
  std::string_view meaning() const noexcept override { return "Unified Robot Description Format, of ROS"; }
  std::string_view source() const noexcept override { return "https://wiki.ros.org/urdf/XML"; }
  std::string_view extensions() const noexcept override { return ".urdf"; }
  Strided<const FieldSpec> fields() const noexcept override { return options; }
  bool recognises(std::string_view bytes) const noexcept override { return root_tag(bytes) == "robot"; }
  std::string_view example() const noexcept override { return urdf_example; }
  Status import_model(const ForeignFile& given, Strided<const FieldValue> values,
                      ConversionSink& sink) const noexcept override {
    return guarded(given.name, sink.diagnostics(), [&] {
      XmlFile file(std::string(given.bytes), given.name, sink.diagnostics());
      Ledger ledger;
      Mechanism mechanism;
      UrdfReader reader(file, ledger);
      if (!reader.read(values, mechanism)) return false;
      file.settle(ledger);
      tell_named_files(file, {}, values[at_packages].text, sink);
      const bool merge = values[at_merge].integer != 0, touch = values[at_contacts].text == "keep";
      return deliver(mechanism, {.merge = merge, .contacts = touch}, given.name, ledger, sink);
    });
  }
  const void* query(std::string_view interface_name) const noexcept override {
    return interface_name == Exporter::interface_name ? &urdf_exporter() : nullptr;
  }
};

}  // namespace

const ImporterType& urdf() noexcept {
  static constexpr Urdf type;
  return type;
}

}  // namespace polyform::importers
