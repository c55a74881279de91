// MJCF to a model: options, equalities and actuators; the bodies are read by mjcf_bodies.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "deliver.hpp"
#include "mjcf_actuators.hpp"
#include "mjcf_bodies.hpp"
#include "mjcf_export.hpp"
#include "mjcf_tendons.hpp"
#include "moved_frames.hpp"
#include "options.hpp"
#include "robot_formats.hpp"
#include "roots.hpp"
#include "touch.hpp"

namespace polyform::importers {
namespace {

enum MjcfOption : std::size_t {
  mjcf_base,
  mjcf_merge,
  mjcf_limits,
  mjcf_friction,
  mjcf_contacts,
  mjcf_place,
  mjcf_controls
};
constexpr std::array mjcf_options{
    FieldSpec{.name = "base",
              .type = FieldType::choice,
              .unit = "",
              .meaning =
                  "how bodies of the world are held that have no joint or a free one: welded to it, or free; not "
                  "given: as the file says",
              .choices = base_choices},
    merge_fixed_option,
    limits_option,
    friction_option("keep"),
    contacts_option,
    model_folder_option,
    controls_option};

constexpr std::pair<const char*, std::string_view> without_effect[] = {
    {"size", "memory of another program"},       {"visual", "for pictures only"},
    {"statistic", "for pictures only"},          {"sensor", "sensors are not modelled"},
    {"keyframe", "stored states are not read"},  {"custom", "numbers for other programs"},
    {"extension", "belongs to another program"}, {"deformable", "soft bodies are not read"}};

constexpr std::string_view rigid_instead = "a constraint that does not give way";

class MjcfReader {
 public:
  MjcfReader(const ForeignFile& file, DiagnosticSink& sink, Ledger& ledger)
      : source_(file, sink, ledger), ledger_(ledger) {}

  bool read(Strided<const FieldValue> given, Mechanism& m) {
    if (!source_.open()) return false;
    m.source = "imported from MJCF";
    m.neighbours = Neighbours::of_mujoco;
    m.name = source_.root().text("model").value_or("");
    m.gravity = Vec3{0, 0, -9.81};
    for (const Element& option : source_.sections("option")) read_option(option, m);
    for (const auto& [tag, remark] : without_effect)
      for (const Element& section : source_.sections(tag)) section.mark(Treatment::not_honoured, remark);
    acting_.limits = acting_.limits && given[mjcf_limits].text == "keep";
    acting_.friction = acting_.friction && given[mjcf_friction].text == "keep";
    if (!acting_.limits)
      for (const Element& compiler : source_.sections("compiler"))
        compiler.mark("autolimits", Treatment::not_honoured, limits_dropped);
    acting_.keeps_contacts = acting_.contacts && given[mjcf_contacts].text == "keep";
    MjcfBodyReader bodies(source_, ledger_, m, acting_, given[mjcf_place].text);
    bodies.read(given[mjcf_base].given ? given[mjcf_base].text : std::string_view());
    if (m.bodies.empty() && source_.errors() == 0) report_no_bodies(bodies.found());
    if (source_.errors() > 0) return false;
    found_ = &bodies.found();
    names_ = &bodies.element_names();
    joint_names_ = &bodies.joint_names();
    moved_.emplace(m, bodies.body_names(), bodies.joint_names(), bodies.element_names());
    for (const Element& section : source_.sections("contact"))
      for (const Element& contact : source_.children(section)) read_contact(contact, m);
    if (source_.errors() > 0) return false;
    tendons_.emplace(source_, bodies.found(), bodies.element_names(), m, acting_.springs);
    tendons_->read();
    if (source_.errors() > 0) return false;
    for (const Element& section : source_.sections("equality"))
      for (const Element& equality : source_.children(section)) read_equality(equality, m);
    add_limits(m, *names_, found_->limits, mimics_, ledger_);
    MjcfActuatorReader({source_, ledger_, bodies.found(), *tendons_, bodies.element_names(), m, actuators_,
                        given[mjcf_controls].text == "keep"})
        .read();
    return source_.errors() == 0;
  }
  void settle() { source_.settle(); }
  void tell_named(ConversionSink& sink) const { source_.tell_named(sink); }

 private:
  void report_no_bodies(const MjcfBodies& found) {
    if (found.makers.empty())
      return source_.report().error(source_.root().place(), "the model has no bodies",
                                    "Put a <body> into its <worldbody>.");
    const Element& maker = found.makers.front();
    maker.report().error(
        maker.place(),
        fmt::format("the model has no bodies but those that MuJoCo makes from `{}`, which are not read", maker.tag()),
        "Let MuJoCo write the model out (mj_saveLastXML, or `compile` of its samples), and import that.");
  }
  void read_option(const Element& option, Mechanism& m) {
    if (const auto gravity = option.vector("gravity")) m.gravity = gravity;
    for (const char* name : {"density", "viscosity", "wind"})
      if (option.has(name)) option.mark(name, Treatment::not_honoured, "no forces of a fluid");
    for (const char* name :
         {"timestep",  "integrator", "iterations",        "tolerance",        "solver",         "cone",
          "jacobian",  "impratio",   "noslip_iterations", "noslip_tolerance", "mpr_iterations", "mpr_tolerance",
          "collision", "apirate",    "ls_iterations",     "ls_tolerance",     "o_margin",       "o_solref",
          "o_solimp",  "magnetic",   "sdf_iterations",    "sdf_initpoints",   "ccd_iterations", "ccd_tolerance"})
      option.mark(name, Treatment::not_honoured, "a setting of another program");
    const Element flag = option.child("flag");
    if (!flag) return;
    const auto off = [&](const char* name) {
      return flag.word(name, {"enable", "disable"}).value_or("enable") == "disable";
    };
    if (off("gravity")) m.gravity = Vec3{};
    acting_.springs = !off("passive");
    acting_.limits = !off("constraint") && !off("limit");
    acting_.friction = !off("constraint") && !off("frictionloss");
    acting_.contacts = !off("constraint") && !off("contact");
    equalities_ = !off("constraint") && !off("equality");
    actuators_ = !off("actuation");
  }

  /// Bodies that do not touch, or geoms that touch each other by settings of their own.
  void read_contact(const Element& e, Mechanism& m) {
    if (!acting_.contacts) return e.mark_all(Treatment::converted, "nothing touches in the file");
    if (e.tag() == "exclude") {
      const auto first = body_named(e, "body1"), second = body_named(e, "body2");
      if (!first || !second) return;
      e.mark(Treatment::honoured);
      e.mark("name", Treatment::not_honoured, "pairs have no names");
      m.apart.emplace_back(*first, *second);
      return;
    }
    e.drop(acting_.keeps_contacts ? "bodies touch by the settings of their geoms alone" : contacts_dropped);
  }

  const MjcfJoint* joint_named(const Element& e, const char* attribute) {
    const std::optional<std::string> name = e.text(attribute);
    if (!name) return nullptr;
    const auto found = found_->joints.find(*name);
    if (found != found_->joints.end()) return &found->second;
    e.report().error(e.place_of(attribute), fmt::format("there is no joint {}", in_quotes(*name)), name_a_joint);
    return nullptr;
  }

  std::optional<std::string> body_named(const Element& e, const char* attribute) {
    const std::string name = e.text(attribute).value_or("world");
    const auto found = found_->bodies.find(name);
    if (found != found_->bodies.end()) return found->second;
    e.report().error(e.place_of(attribute), fmt::format("there is no body {}", in_quotes(name)),
                     "Name a <body> of the model, or leave it out for the world.");
    return std::nullopt;
  }

  Frame frame_of(const Mechanism& m, const std::string& body) {
    const auto found = std::ranges::find(m.bodies, body, &Body::name);
    return found == m.bodies.end() ? Frame{} : found->frame;
  }

  std::string name_of(const Element& e, const char* kind) {
    return e.text("name").value_or(fmt::format("{}_{}", kind, ++unnamed_));
  }

  void read_equality(const Element& e, Mechanism& m) {
    const std::string_view tag = e.tag();
    const Element says = source_.who_says(e, "equality", "active", "");
    if ((says && !says.truth("active", true)) || !equalities_)
      return e.mark_all(Treatment::converted, "it is switched off");
    for (const char* name : {"solref", "solimp"})
      if (const Element by = source_.who_says(e, "equality", name, ""))
        by.mark(name, Treatment::not_honoured, rigid_instead);
    if (tag == "connect" || tag == "weld") {
      add_loop(e, tag == "connect", m);
    } else if (tag == "joint") {
      add_coupling(e, m);
    } else if (tag == "tendon") {
      add_held_tendon(e, m);
    } else {
      e.mark(Treatment::not_honoured, "such an equality is not modelled");
    }
  }

  /// The two sides of a loop: a frame of each body, in ground as drawn, which the loop brings together.
  struct Loop {
    std::string first, second;
    Frame at_first, at_second;
  };

  void add_loop(const Element& e, bool connect, Mechanism& m) {
    const std::optional<Loop> loop = e.has("site1") ? loop_of_sites(e, connect) : loop_of_bodies(e, connect, m);
    if (!loop) return;
    if (loop->first == loop->second) return e.report().error(e.place(), "both bodies are the same", "Name two bodies.");
    e.mark(Treatment::converted, connect ? "a spherical joint that closes a loop" : "a fixed joint that closes a loop");
    const std::string name = joint_names_->give(name_of(e, connect ? "connect" : "weld"));
    const std::string base = moved_->put(name, loop->first, loop->at_second, loop->at_first, e.place());
    m.joints.push_back({.name = name,
                        .type = connect ? "spherical" : "fixed",
                        .base = base,
                        .moving = loop->second,
                        .position = loop->at_second.origin,
                        .cut = true});
  }

  std::optional<Loop> loop_of_sites(const Element& e, bool connect) {
    const std::string one = e.text("site1").value_or(""), two = e.text("site2").value_or("");
    if (!found_->sites.contains(one) || !found_->sites.contains(two)) {
      e.report().error(e.place(), "there is no such site", name_a_site);
      return std::nullopt;
    }
    for (const std::string& site : {one, two}) found_->site_element[site].mark(Treatment::honoured);
    Loop loop{found_->site_body[one], found_->site_body[two], found_->sites[one], found_->sites[two]};
    // A connect holds points alone.
    if (connect) loop.at_first.axes = loop.at_second.axes;
    return loop;
  }

  std::optional<Loop> loop_of_bodies(const Element& e, bool connect, const Mechanism& m) {
    const auto one = body_named(e, "body1"), two = body_named(e, "body2");
    if (!one || !two) return std::nullopt;
    const Frame first = frame_of(m, *one), second = frame_of(m, *two);
    if (!connect) return Loop{*one, *two, first * weld_of(e, first.inverse() * second), second};
    const Frame around = source_.compiler().global ? Frame{} : first;
    const Frame meeting{Mat3::identity(), around(e.vector("anchor").value_or(Vec3{}))};
    return Loop{*one, *two, meeting, meeting};
  }

  /// Where a weld holds the second body, in the first one; drawn: where it is drawn. MuJoCo takes a quaternion of no
  /// length for as drawn; else relpose is where the anchor of the second body lies.
  static Frame weld_of(const Element& e, const Frame& drawn) {
    e.mark("torquescale", Treatment::converted, "it tells how a weld gives way, and this one does not");
    const auto given = e.numbers("relpose", 7);
    const bool is_held = given && norm(Quat{(*given)[3], (*given)[4], (*given)[5], (*given)[6]}) > 0;
    if (!is_held) {
      e.mark("anchor", Treatment::converted, "it tells how a weld gives way, and this one does not");
      return drawn;
    }
    const std::vector<double>& p = *given;
    Frame held{rotation_matrix(Quat{p[3], p[4], p[5], p[6]}), {p[0], p[1], p[2]}};
    held.origin = held(-e.vector("anchor").value_or(Vec3{}));
    if (!MovedFrames::are_same(drawn, held))
      e.mark("relpose", Treatment::converted,
             "not as drawn: the weld is to a frame that prescribed coordinates put there");
    return held;
  }

  void add_coupling(const Element& e, Mechanism& m) {
    const MjcfJoint* const first = joint_named(e, "joint1");
    if (first == nullptr) return;
    const MjcfJoint* const second = e.has("joint2") ? joint_named(e, "joint2") : nullptr;
    const bool scalar = first->type == "hinge" || first->type == "slide";
    if (!scalar || (second != nullptr && second->type != "hinge" && second->type != "slide"))
      return e.report().error(e.place(), "an equality couples hinges and slides", "Name joints of these types.");
    std::vector<double> coefficients{0, 1, 0, 0, 0};
    if (const auto given = e.numbers("polycoef", 0))
      for (std::size_t k = 0; k < std::min(given->size(), coefficients.size()); ++k) coefficients[k] = (*given)[k];
    while (coefficients.size() > 1 && coefficients.back() == 0) coefficients.pop_back();
    const std::string name = names_->give(name_of(e, "coupling"));
    if (second == nullptr) {
      e.mark(Treatment::converted, "the coordinate is held: a constraint of type prescribed-motion");
      m.elements.push_back({Section::constraints,
                            name,
                            "prescribed-motion",
                            {{"joint", written_name(first->name)}, {"motion", written(coefficients[0])}}});
      return;
    }
    e.mark(Treatment::converted, "a constraint of type joint-coupling");
    mimics_.add(first->name, second->name, coefficients);
    m.elements.push_back({Section::constraints,
                          name,
                          "joint-coupling",
                          {{"joint", written_name(first->name)},
                           {"other_joint", written_name(second->name)},
                           {"coefficients", written(coefficients)}}});
  }

  /// A sum over one or two joints that keeps its drawn value, or one that is so much larger.
  void add_held_tendon(const Element& e, Mechanism& m) {
    const FixedTendon* const tendon = tendons_->fixed(e.text("tendon1").value_or(""));
    if (tendon == nullptr || e.has("tendon2") || tendon->parts.empty() || tendon->parts.size() > 2 ||
        std::ranges::any_of(tendon->parts, [](const FixedTendon::Part& part) { return part.factor == 0; }))
      return e.drop("such an equality of tendons is not modelled");
    const double more = e.numbers("polycoef", 0).value_or(std::vector{0.0}).front();
    const auto& [first, factor] = tendon->parts.front();
    const std::string name = names_->give(name_of(e, "tendon"));
    if (tendon->parts.size() == 1) {
      e.mark(Treatment::converted, "the coordinate is held: a constraint of type prescribed-motion");
      m.elements.push_back({Section::constraints,
                            name,
                            "prescribed-motion",
                            {{"joint", written_name(first->name)}, {"motion", written(more / factor)}}});
      return;
    }
    e.mark(Treatment::converted, "a constraint of type joint-coupling");
    const auto& [second, other_factor] = tendon->parts.back();
    const std::vector<double> coefficients{more / factor, -other_factor / factor};
    mimics_.add(first->name, second->name, coefficients);
    m.elements.push_back({Section::constraints,
                          name,
                          "joint-coupling",
                          {{"joint", written_name(first->name)},
                           {"other_joint", written_name(second->name)},
                           {"coefficients", written(coefficients)}}});
  }

  MjcfSource source_;
  Ledger& ledger_;
  MjcfBodies* found_ = nullptr;
  std::optional<MjcfTendonReader> tendons_;
  NameGiver* names_ = nullptr;
  NameGiver* joint_names_ = nullptr;
  std::optional<MovedFrames> moved_;
  MjcfActing acting_{.springs = true, .limits = true, .friction = true};
  bool equalities_ = true, actuators_ = true;
  Mimics mimics_;
  int unnamed_ = 0;
};

constexpr std::string_view mjcf_example = R"(<mujoco model="pendulum">
  <compiler angle="radian"/>
  <worldbody>
    <body name="rod" pos="0 0 1">
      <joint name="hinge" axis="0 1 0" damping="0.1"/>
      <geom type="capsule" fromto="0 0 0 0 0 -1" size="0.05"/>
    </body>
  </worldbody>
</mujoco>
)";

class Mjcf final : public ImporterType {
 public:
  std::string_view name() const noexcept override { return "mjcf"; }
  std::string_view meaning() const noexcept override { return "MuJoCo's XML format"; }
  std::string_view source() const noexcept override { return "https://mujoco.readthedocs.io, XML reference"; }
  std::string_view extensions() const noexcept override { return ".xml .mjcf"; }
  Strided<const FieldSpec> fields() const noexcept override { return mjcf_options; }
  bool recognises(std::string_view bytes) const noexcept override { return root_tag(bytes) == "mujoco"; }
  std::string_view example() const noexcept override { return mjcf_example; }
  Status import_model(const ForeignFile& given, Strided<const FieldValue> values,
                      ConversionSink& sink) const noexcept override {
    return guarded(given.name, sink.diagnostics(), [&] {
      Ledger ledger;
      Mechanism mechanism;
      MjcfReader reader(given, sink.diagnostics(), ledger);
      if (!reader.read(values, mechanism)) return false;
      reader.settle();
      reader.tell_named(sink);
      return deliver(mechanism,
                     {.merge = values[mjcf_merge].integer != 0, .contacts = values[mjcf_contacts].text == "keep"},
                     given.name, ledger, sink);
    });
  }
  const void* query(std::string_view interface_name) const noexcept override {
    return interface_name == Exporter::interface_name ? &mjcf_exporter() : nullptr;
  }
};

}  // namespace

const ImporterType& mjcf() noexcept {
  static constexpr Mjcf type;
  return type;
}

}  // namespace polyform::importers
