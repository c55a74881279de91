#include "mjcf_actuators.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "options.hpp"

namespace polyform::importers {

namespace {

constexpr std::string_view drive_tags[] = {"general",     "motor",    "position", "velocity", "damper",
                                           "intvelocity", "cylinder", "muscle",   "adhesion"};
constexpr std::string_view unlike_drives = "drives of this kind are not modelled";

}  // namespace

void MjcfActuatorReader::read() {
  for (const Element& section : parts_.source.sections("actuator"))
    for (const Element& actuator : parts_.source.children(section)) read_one(actuator);
}

/// The shortcuts as MuJoCo reads them, attribute by attribute.
void MjcfActuatorReader::apply(const Element& e, Drive& drive) {
  const std::string_view tag = e.tag();
  if (const auto gear = e.numbers("gear", 0); gear && !gear->empty()) drive.gear = gear->front();
  for (const char* name : {"ctrlrange", "ctrllimited", "forcerange", "forcelimited", "actrange", "actlimited"})
    e.mark(name, Treatment::not_honoured, "limits of drives are not modelled");
  const auto bias = [&](const char* name) {
    if (const auto given = e.numbers(name, 0))
      std::copy_n(given->begin(), std::min(given->size(), drive.bias.size()), drive.bias.begin());
  };
  if (tag == "general") {
    if (const auto gain = e.numbers("gainprm", 0); gain && !gain->empty()) drive.gain = gain->front();
    bias("biasprm");
    for (const char* name : {"dyntype", "gaintype"})
      if (const auto type = e.text(name)) drive.follows = drive.follows && (*type == "none" || *type == "fixed");
    if (const auto type = e.text("biastype"))
      drive.type = *type == "none" ? Drive::Bias::none : *type == "affine" ? Drive::Bias::affine : Drive::Bias::other;
  } else if (tag == "motor") {
    drive.gain = 1;
    drive.type = Drive::Bias::none;
  } else if (tag == "position" || tag == "intvelocity") {
    drive.gain = e.number("kp", drive.gain);
    drive.bias = {0, -drive.gain, 0};
    if (const auto damping = e.number("kv")) drive.bias[2] = -*damping;
    drive.type = Drive::Bias::affine;
    if (tag == "intvelocity") drive.follows = false;
  } else if (tag == "velocity") {
    drive.gain = e.number("kv", drive.gain);
    drive.bias = {0, 0, -drive.gain};
    drive.type = Drive::Bias::affine;
  } else if (tag == "damper") {  // damps in proportion to its control
    e.number("kv");
    drive.gain = 0;
    drive.type = Drive::Bias::none;
    drive.follows = false;
  } else if (tag == "cylinder") {
    bias("bias");
    drive.type = Drive::Bias::affine;
    drive.follows = false;
  } else if (tag == "adhesion") {
    drive.type = Drive::Bias::none;
  } else {
    drive.type = Drive::Bias::other;
  }
}

/// A joint that it pulls at may be a ball or free, which is no target then.
MjcfActuatorReader::Target MjcfActuatorReader::target_of(const Element& e) {
  Target target;
  for (const char* attribute : {"joint", "jointinparent"})
    if (const auto name = e.text(attribute)) {
      const auto found = parts_.bodies.joints.find(*name);
      if (found == parts_.bodies.joints.end()) {
        e.report().error(e.place_of(attribute), fmt::format("there is no joint {}", in_quotes(*name)), name_a_joint);
        return {};
      }
      const MjcfJoint& joint = found->second;
      target.joint = joint.type == "hinge" || joint.type == "slide" ? &joint : nullptr;
    }
  if (const auto name = e.text("tendon")) target.tendon = parts_.tendons.fixed(*name);
  return target;
}

void MjcfActuatorReader::read_one(const Element& e) {
  if (std::ranges::find(drive_tags, e.tag()) == std::end(drive_tags))
    return e.mark(Treatment::not_honoured, unlike_drives);
  Drive drive;
  for (const Element& given : parts_.source.defaults_of(e, drive_tags)) apply(given, drive);
  apply(e, drive);
  e.text("name");
  e.text("class");
  const std::size_t errors = parts_.source.errors();
  const Target target = target_of(e);
  if (parts_.source.errors() > errors) return;
  const bool does_nothing = drive.type == Drive::Bias::none || drive.bias == std::array<double, 3>{},
             has_target = target.joint != nullptr || target.tendon != nullptr;
  if (drive.type == Drive::Bias::other || (!has_target && !does_nothing))
    return e.mark(Treatment::not_honoured, unlike_drives);
  e.mark(Treatment::converted, "what it does while its control is zero");
  if (!parts_.acts) return;
  add_control(e, drive, target);  // first, so that the signal has the name of the actuator
  if (!does_nothing && target.tendon != nullptr)
    add(e, drive, *target.tendon);
  else if (!does_nothing)
    add(e, drive, *target.joint);
}

/// Its force is gear · gain · control along what it pulls at, besides what it does without.
void MjcfActuatorReader::add_control(const Element& e, const Drive& drive, const Target& target) {
  const auto tell = [&](std::string_view why) {
    parts_.ledger.add(Treatment::not_honoured, fmt::format("control of actuator/{}", e.tag()), why, e.place());
  };
  if (!drive.follows) return tell("drives with states of their own, and dampers that are controlled, are not modelled");
  if (target.joint == nullptr && target.tendon == nullptr)
    return tell("a drive pulls at hinges, slides and fixed tendons alone");
  if (!parts_.keeps_controls) return tell(controls_dropped);
  e.mark(Treatment::converted, "an external signal, and the forces that it makes");
  const std::string signal = parts_.names.give(e.text("name").value_or(
      target.joint != nullptr ? fmt::format("{}_{}", target.joint->name, e.tag()) : fmt::format("tendon_{}", e.tag())));
  parts_.m.elements.push_back({Section::signals, signal, "external", {{"initial", "0"}}});
  const std::string force = fmt::format("({})*signal({})", written(drive.gear * drive.gain), name_in_formula(signal));
  if (target.tendon != nullptr)
    return target.tendon->add_pull(parts_.m, parts_.names, signal, fmt::format("-({})", force));
  parts_.m.elements.push_back(
      {Section::forces,
       parts_.names.give(signal + "_force"),
       "joint-force",
       {{"joint", written_name(target.joint->name)}, {"effort", fmt::format("{{expression: \"{}\"}}", force)}}});
}

/// The length of a drive is gear · L, and its force pushes along it.
void MjcfActuatorReader::add(const Element& e, const Drive& drive, const FixedTendon& tendon) {
  const auto product = [](double factor, const std::string& of) {
    return fmt::format("({})*({})", written(factor), of);
  };
  const double gear = drive.gear;
  tendon.add_pull(
      parts_.m, parts_.names, e.text("name").value_or(fmt::format("tendon_{}", e.tag())),
      fmt::format("{} - {} - {}", written(-gear * drive.bias[0]), product(gear * gear * drive.bias[1], tendon.length()),
                  product(gear * gear * drive.bias[2], tendon.rate())));
}

void MjcfActuatorReader::add(const Element& e, const Drive& drive, const MjcfJoint& joint) {
  // The length of a drive is gear · q, with q as the file counts it.
  const double gear = drive.gear, stiffness = -drive.bias[1] * gear * gear, damping = -drive.bias[2] * gear * gear;
  if (stiffness < 0 || damping < 0) return e.mark(Treatment::not_honoured, "negative stiffness or damping of a drive");
  const std::string name = e.text("name").value_or(fmt::format("{}_{}", joint.name, e.tag()));
  if (stiffness > 0 || damping > 0)
    parts_.m.elements.push_back({Section::forces,
                                 parts_.names.give(name),
                                 "joint-spring-damper",
                                 {{"joint", written_name(joint.name)},
                                  {"stiffness", written(stiffness)},
                                  {"damping", written(damping)},
                                  {"rest", written(-joint.reference)}}});
  if (drive.bias[0] != 0)
    parts_.m.elements.push_back({Section::forces,
                                 parts_.names.give(name + "_bias"),
                                 "joint-force",
                                 {{"joint", written_name(joint.name)}, {"effort", written(drive.bias[0] * gear)}}});
}

}  // namespace polyform::importers
