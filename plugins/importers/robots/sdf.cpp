// SDF to a model.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numbers>

#include "deliver.hpp"
#include "joint_stops.hpp"
#include "mechanism.hpp"
#include "robot_formats.hpp"
#include "roots.hpp"
#include "sdf_collector.hpp"
#include "sdf_export.hpp"
#include "sdf_link.hpp"
#include "sdf_model.hpp"
#include "sdf_options.hpp"

namespace polyform::importers {
namespace {

/// Reads a file in SDF. Its members are the options of the import and what was read so far, which its parts share.
class SdfReader {
 public:
  SdfReader(XmlFile& file, DiagnosticSink& sink, Ledger& ledger) : file_(file), files_(file, sink), ledger_(ledger) {}

  bool read(Strided<const FieldValue> given, Mechanism& m) {
    const Element sdf = file_.root();
    if (!sdf) return false;
    if (sdf.tag() != "sdf") {
      sdf.report().error(sdf.place(), fmt::format("the outermost element is <{}>, expected <sdf>", sdf.tag()),
                         "Check that this is an SDF file.");
      return false;
    }
    sdf.text("version");
    coupled_ = given[sdf_mimic].text == "coupled";
    limits_ = given[sdf_limits].text == "keep";
    friction_ = given[sdf_friction].text == "keep";
    touches_ = given[sdf_contacts].text == "keep";
    const Element world = sdf.child("world");
    top_ = std::make_unique<SdfModel>(world ? world : sdf, "", nullptr);
    m.source = "imported from SDF";
    m.neighbours = Neighbours::joined;
    m.gravity = Vec3{0, 0, -9.81};
    if (world) read_world(world, m);
    SdfCollector(*top_, files_).collect(0);
    if (m.name.empty()) m.name = top_->nested().empty() ? std::string() : top_->nested().front()->name();
    if (files_.errors() > 0) return false;
    MeshFiles meshes(given[sdf_packages].text, given[sdf_place].text);
    read_links(*top_, {}, meshes, m);
    if (m.bodies.empty()) sdf.report().error(sdf.place(), "the file has no links", "Check that it has a model.");
    if (files_.errors() > 0) return false;
    read_joints(*top_, m);
    if (files_.errors() > 0) return false;
    hold(given[sdf_base], m);
    return files_.errors() == 0;
  }
  void settle() const { files_.settle(ledger_); }
  void tell_named(std::string_view packages, ConversionSink& sink) const { files_.tell_named(packages, sink); }

 private:
  void read_world(const Element& world, Mechanism& m) {
    m.name = world.text("name").value_or("");
    m.gravity = Vec3{0, 0, -9.8};  // the default of the specification
    if (const Element gravity = world.child("gravity"))
      if (const auto g = gravity.content_numbers(3)) m.gravity = Vec3{(*g)[0], (*g)[1], (*g)[2]};
    mark_foreign(world);
    gravity_ = *m.gravity;
  }

  static std::string given_name(NameGiver& names, std::map<std::string, std::string>& known, const std::string& wanted,
                                const Element& whose) {
    std::string name = names.give(wanted);
    if (name != wanted) whose.mark("name", Treatment::converted, name_is_changed);
    known[wanted] = name;
    return name;
  }

  /// touch: what is known of the shapes of the model, by those that it is in.
  void read_links(const SdfModel& model, Touch touch, MeshFiles& meshes, Mechanism& m) {
    mark_foreign(model.element());
    touch.itself = touch.itself || touches_itself(model.element());
    const Frame in_ground = model.pose();
    for (const auto& [name, item] : model.items()) {
      if (item.kind != SdfItem::Kind::link) continue;
      const Element& link = item.element;
      Body& body = m.bodies.emplace_back();
      body.place = link.place();
      body.name = given_name(body_names_, link_names_, model.prefix() + name, link);
      body.frame = in_ground * model.pose_of(name, link.place());
      mark_foreign(link);
      body.mass = read_sdf_inertial(model, link, name, link.report(), touches_, ledger_);
      for (const Element& visual : link.children("visual")) read_sdf_visual(model, visual, name, meshes, body);
      Touch of_link = touch;
      of_link.itself = touch.itself || touches_itself(link);
      if (touches_)
        for (const Element& collision : link.children("collision"))
          read_sdf_collision(model, collision, name, of_link, meshes, body);
      if (const Element gravity = link.child("gravity"); gravity && !sdf_truth(gravity, gravity.content(), true))
        add_lift(gravity, body, m);
      if (model.is_static()) static_.push_back(body.name);
    }
    for (const auto& nested : model.nested()) {
      if (model.outer() == nullptr) touch = {.model = ++models_, .itself = false};
      read_links(*nested, touch, meshes, m);
    }
  }

  /// Links of one model touch each other only where the file says so.
  bool touches_itself(const Element& e) {
    if (!touches_) return false;
    const Element itself = e.child("self_collide");
    if (itself) itself.mark(Treatment::honoured);
    return itself && sdf_truth(itself, itself.content());
  }

  /// Adds the force that holds a body on which gravity must not act.
  void add_lift(const Element& gravity, const Body& body, Mechanism& m) {
    gravity.mark(Treatment::converted, "a force against the weight");
    m.elements.push_back({Section::forces,
                          element_names_.give(body.name + "_lift"),
                          "point-force",
                          {{"body", written_name(body.name)},
                           {"point", written(body.mass.center)},
                           {"force", written(-body.mass.mass * m.gravity.value_or(gravity_))}}});
  }

  std::string end_of(const SdfModel& model, const SdfItem& item, const char* tag) {
    const Element& joint = item.element;
    const Element end = joint.child(tag);
    if (!end || end.content().empty()) {
      joint.report().error(joint.place(), fmt::format("the joint has no <{}>", tag),
                           "Add it, with the name of a link or frame, or world.");
      return {};
    }
    const std::string link = model.link_of(item.named(end.content()), end.place());
    if (link == ground) return link;
    const auto found = link_names_.find(link);
    return found == link_names_.end() ? std::string() : found->second;
  }

  void read_joints(const SdfModel& model, Mechanism& m) {
    for (const auto& [name, item] : model.items())
      if (item.kind == SdfItem::Kind::joint) read_joint(model, name, item, m);
    for (const auto& nested : model.nested()) read_joints(*nested, m);
  }

  void read_joint(const SdfModel& model, const std::string& name, const SdfItem& item, Mechanism& m) {
    const Element& e = item.element;
    const std::string type = e.text("type").value_or("");
    static constexpr std::pair<std::string_view, std::string_view> types[] = {
        {"revolute", "revolute"},   {"continuous", "revolute"}, {"prismatic", "prismatic"}, {"ball", "spherical"},
        {"universal", "universal"}, {"revolute2", "universal"}, {"fixed", "fixed"},         {"screw", "cylindrical"}};
    const auto found = std::ranges::find(types, type, &std::pair<std::string_view, std::string_view>::first);
    mark_foreign(e);
    if (type == "gearbox") {
      e.drop("a gearbox between two links is not modelled");
      return;
    }
    if (found == std::end(types)) {
      e.report().error(e.place_of("type"), fmt::format("there is no joint type {}", in_quotes(type)),
                       "Types: revolute, continuous, prismatic, ball, universal, revolute2, screw, fixed, gearbox.");
      return;
    }
    Joint joint;
    joint.name = given_name(joint_names_, names_of_joints_, model.prefix() + name, e);
    joint.type = found->second;
    joint.base = end_of(model, item, "parent");
    joint.moving = end_of(model, item, "child");
    const Frame in_model = model.pose_of(name, e.place());
    joint.position = (model.pose() * in_model).origin;
    const Element axis = e.child("axis"), axis2 = e.child("axis2");
    if (joint.type != "spherical" && joint.type != "fixed")
      joint.axis = read_sdf_axis(model, item, axis ? axis : e, in_model);
    if (joint.type == "universal") joint.axis2 = read_sdf_axis(model, item, axis2 ? axis2 : e, in_model);
    if (joint.base == joint.moving && !joint.base.empty()) {
      e.report().error(e.place(), "both ends of the joint are one link", "A joint has a parent and another child.");
      return;
    }
    if (joint.type == "spherical" || joint.type == "fixed") {
      for (const Element& unused : {axis, axis2})
        if (unused) unused.mark_all(Treatment::converted, "such a joint has no axis");
    } else {
      add_effects(model, axis, axis2, joint, type, m);
    }
    if (type == "screw") add_screw(e, joint, m);
    m.joints.push_back(std::move(joint));
  }

  void add_screw(const Element& e, const Joint& joint, Mechanism& m) {
    double lead = 0;  // per radian
    if (const Element pitch = e.child("screw_thread_pitch"))
      lead = pitch.content_number().value_or(0) / (2 * std::numbers::pi);
    else if (const double turns = number_in(e, "thread_pitch", 1); turns != 0)
      lead = -1 / turns;
    m.elements.push_back({Section::constraints,
                          element_names_.give(joint.name + "_thread"),
                          "joint-coupling",
                          {{"joint", written_name(joint.name)},
                           {"coordinate", "0"},
                           {"other_joint", written_name(joint.name)},
                           {"other_coordinate", "1"},
                           {"coefficients", written(std::array{0.0, lead})}}});
  }

  /// Springs, dampers and mimicry about one or two axes.
  void add_effects(const SdfModel& model, const Element& axis, const Element& axis2, Joint& joint,
                   const std::string& type, Mechanism& m) {
    const std::size_t freedoms = joint.type == "universal" || joint.type == "cylindrical" ? 2 : 1;
    std::vector<double> stiffness(freedoms), damping(freedoms), rest(freedoms), start(freedoms);
    std::vector<std::pair<std::size_t, Element>> limits;
    bool acts = false, moved = false;
    std::size_t k = type == "screw" ? 1 : 0;  // a screw's axis is that of its turning
    for (const Element& one : {axis, axis2}) {
      if (!one || k >= freedoms) continue;
      if (const Element from = one.child("initial_position")) start[k] = from.content_number().value_or(0);
      if (const Element dynamics = one.child("dynamics")) {
        damping[k] = number_in(dynamics, "damping", 0);
        stiffness[k] = number_in(dynamics, "spring_stiffness", 0);
        rest[k] = number_in(dynamics, "spring_reference", 0);
        if (const double friction = number_in(dynamics, "friction", 0); friction != 0)
          add_friction(dynamics.child("friction"), friction, joint, k, freedoms, m);
        for (double* const number : {&damping[k], &stiffness[k]})
          if (*number < 0) {
            dynamics.child(number == &damping[k] ? "damping" : "spring_stiffness")
                .mark(Treatment::not_honoured, "negative stiffness or damping");
            *number = 0;
          }
      }
      acts = acts || damping[k] != 0 || stiffness[k] != 0;
      moved = moved || start[k] != 0;
      if (const Element limit = one.child("limit")) limits.emplace_back(k, limit);
      if (const Element mimic = one.child("mimic")) add_mimic(model, mimic, joint, k, freedoms, m);
      ++k;
    }
    if (moved) joint.initial_position = start;
    for (const auto& [coordinate, limit] : limits) read_limit(limit, joint, coordinate, freedoms);
    if (acts)
      m.elements.push_back({Section::forces,
                            element_names_.give(joint.name + "_dynamics"),
                            "joint-spring-damper",
                            {{"joint", written_name(joint.name)},
                             {"stiffness", written(stiffness)},
                             {"damping", written(damping)},
                             {"rest", written(rest)}}});
  }

  void add_friction(const Element& e, double effort, const Joint& joint, std::size_t coordinate, std::size_t freedoms,
                    Mechanism& m) {
    if (effort < 0)
      e.mark(Treatment::not_honoured, "negative friction");
    else if (!friction_)
      e.mark(Treatment::not_honoured, friction_dropped);
    else
      add_dry_friction(m, element_names_, joint, effort, coordinate, freedoms);
  }

  void read_limit(const Element& limit, const Joint& joint, std::size_t coordinate, std::size_t freedoms) {
    const JointRange range{sdf_end(limit, "lower", -endless), sdf_end(limit, "upper", endless)};
    for (const char* tag : {"effort", "velocity"})
      if (sdf_end(limit, tag, endless) < endless) limit.child(tag).mark(Treatment::not_honoured, no_drives);
    for (const char* tag : {"stiffness", "dissipation"})
      if (const Element e = limit.child(tag)) e.mark(Treatment::not_honoured, "the ends do not give way");
    if (limits_ || !range.ends()) {
      limited_.push_back({joint.name, range, coordinate, freedoms, false, limit.place(), limit});
      return;
    }
    for (const Element& end : {limit.child("lower"), limit.child("upper")})
      if (end) end.mark(Treatment::not_honoured, limits_dropped);
  }

  void add_mimic(const SdfModel& model, const Element& mimic, const Joint& joint, std::size_t coordinate,
                 std::size_t freedoms, Mechanism& m) {
    const std::string other = model.prefix() + mimic.text("joint").value_or("");
    const std::size_t other_coordinate = mimic.text("axis").value_or("axis") == "axis2" ? 1 : 0;
    const double multiplier = number_in(mimic, "multiplier", 1), offset = number_in(mimic, "offset", 0),
                 reference = number_in(mimic, "reference", 0);
    if (!coupled_) return mimic.drop(moves_independently);
    mimic.mark(Treatment::converted, "a constraint of type joint-coupling");
    ModelElement& e = m.elements.emplace_back(
        ModelElement{Section::constraints, element_names_.give(joint.name + "_mimic"), "joint-coupling", {}});
    e.fields = {{"joint", written_name(joint.name)}, {"other_joint", written_name(other)}};
    if (freedoms > 1) e.fields.emplace_back("coordinate", fmt::format("{}", coordinate));
    if (other_coordinate > 0) e.fields.emplace_back("other_coordinate", fmt::format("{}", other_coordinate));
    const std::vector<double> coefficients{offset - multiplier * reference, multiplier};
    e.fields.emplace_back("coefficients", written(coefficients));
    followers_.push_back(
        {m.elements.size() - 1, joint.name, other, mimic, coefficients, freedoms == 1 && other_coordinate == 0});
  }

  /// Tells followers and limits where joints begin, now that all are known.
  void follow(Mechanism& m) {
    Mimics mimics;
    for (const Follower& follower : followers_) {
      const auto found = names_of_joints_.find(follower.other);
      if (found == names_of_joints_.end()) {
        follower.mimic.report().error(follower.mimic.place(),
                                      fmt::format("there is no joint {}", in_quotes(follower.other)),
                                      "Name another joint of the model.");
        continue;
      }
      m.elements[follower.element].fields[1].second = written_name(found->second);
      if (follower.of_first_axes) mimics.add(follower.joint, found->second, follower.coefficients);
    }
    add_limits(m, element_names_, limited_, mimics, ledger_);
  }

  /// Connects everything to ground that no joint connects with it.
  void hold(const FieldValue& base, Mechanism& m) {
    follow(m);
    const bool free = base.given && base.text == "free";
    if (free)
      for (Joint& joint : m.joints)
        if (joint.type == "fixed" && joint.base == ground) {
          joint.type = "free";
          ledger_.add(Treatment::converted, "weld to the world", "a free joint, as was asked for", {});
        }
    std::vector<std::string> welded = free ? std::vector<std::string>() : static_;
    hold_roots(m, welded, base.given && base.text == "fixed", joint_names_, ledger_);
  }

  XmlFile& file_;
  SdfFiles files_;
  Ledger& ledger_;
  std::unique_ptr<SdfModel> top_;
  bool coupled_ = true, limits_ = false, friction_ = true, touches_ = false;
  Vec3 gravity_{0, 0, -9.81};
  NameGiver body_names_, joint_names_, element_names_;
  std::map<std::string, std::string> link_names_, names_of_joints_;  ///< by name in the file, with prefix
  std::vector<std::string> static_;
  struct Follower {
    std::size_t element;
    std::string joint, other;
    Element mimic;
    std::vector<double> coefficients;
    bool of_first_axes;
  };
  std::vector<Follower> followers_;
  std::vector<JointLimit> limited_;
  std::size_t models_ = 0;
};

constexpr std::string_view sdf_example = R"(<sdf version="1.9">
  <model name="pendulum">
    <link name="rod">
      <pose>0 0 1 0 0 0</pose>
      <inertial>
        <pose>0 0 -0.5 0 0 0</pose>
        <mass>2</mass>
        <inertia><ixx>0.17</ixx><iyy>0.17</iyy><izz>0.001</izz></inertia>
      </inertial>
    </link>
    <joint name="hinge" type="revolute">
      <parent>world</parent>
      <child>rod</child>
      <axis><xyz>0 1 0</xyz><dynamics><damping>0.1</damping></dynamics></axis>
    </joint>
  </model>
</sdf>
)";

class Sdf final : public ImporterType {
 public:
  std::string_view name() const noexcept override { return "sdf"; }
  std::string_view meaning() const noexcept override { return "Simulation Description Format, of Gazebo"; }
  std::string_view source() const noexcept override { return "http://sdformat.org/spec"; }
  std::string_view extensions() const noexcept override { return ".sdf .world"; }
  Strided<const FieldSpec> fields() const noexcept override { return sdf_options; }
  bool recognises(std::string_view bytes) const noexcept override { return root_tag(bytes) == "sdf"; }
  std::string_view example() const noexcept override { return sdf_example; }
  Status import_model(const ForeignFile& given, Strided<const FieldValue> values,
                      ConversionSink& sink) const noexcept override {
    return guarded(given.name, sink.diagnostics(), [&] {
      XmlFile file(std::string(given.bytes), given.name, sink.diagnostics());
      Ledger ledger;
      Mechanism mechanism;
      SdfReader reader(file, sink.diagnostics(), ledger);
      if (!reader.read(values, mechanism)) return false;
      reader.settle();
      reader.tell_named(values[sdf_packages].text, sink);
      const bool merge = values[sdf_merge].integer != 0, touch = values[sdf_contacts].text == "keep";
      return deliver(mechanism, {.merge = merge, .contacts = touch}, given.name, ledger, sink);
    });
  }
  const void* query(std::string_view interface_name) const noexcept override {
    return interface_name == Exporter::interface_name ? &sdf_exporter() : nullptr;
  }
};

}  // namespace

const ImporterType& sdf() noexcept {
  static constexpr Sdf type;
  return type;
}

}  // namespace polyform::importers
