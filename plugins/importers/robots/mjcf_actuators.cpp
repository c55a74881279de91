#include "mjcf_actuators.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace polyform::importers {

namespace {

constexpr std::string_view drive_tags[] = {"general",     "motor",    "position", "velocity", "damper",
                                           "intvelocity", "cylinder", "muscle",   "adhesion"};
constexpr std::string_view unlike_drives = "drives of this kind are not modelled";

}  // namespace

void MjcfActuatorReader::read() {
  for (const Element& section : source_.sections("actuator"))
    for (const Element& actuator : source_.children(section)) read_one(actuator);
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
  } else if (tag == "velocity") {
    drive.gain = e.number("kv", drive.gain);
    drive.bias = {0, 0, -drive.gain};
    drive.type = Drive::Bias::affine;
  } else if (tag == "damper") {  // damps in proportion to its control
    e.number("kv");
    drive.gain = 0;
    drive.type = Drive::Bias::none;
  } else if (tag == "cylinder") {
    bias("bias");
    drive.type = Drive::Bias::affine;
  } else if (tag == "adhesion") {
    drive.type = Drive::Bias::none;
  } else {
    drive.type = Drive::Bias::other;
  }
}

void MjcfActuatorReader::read_one(const Element& e) {
  if (std::ranges::find(drive_tags, e.tag()) == std::end(drive_tags))
    return e.mark(Treatment::not_honoured, unlike_drives);
  Drive drive;
  for (const Element& given : source_.defaults_of(e, drive_tags)) apply(given, drive);
  apply(e, drive);
  e.text("name");
  e.text("class");
  const MjcfJoint* joint = nullptr;
  for (const char* target : {"joint", "jointinparent"})
    if (const auto name = e.text(target)) {
      const auto found = bodies_.joints.find(*name);
      if (found == bodies_.joints.end())
        return e.report().error(e.place_of(target), fmt::format("there is no joint {}", in_quotes(*name)));
      joint = &found->second;
    }
  const FixedTendon* tendon = nullptr;
  if (const auto name = e.text("tendon")) tendon = tendons_.fixed(*name);
  const bool on_scalar = joint != nullptr && (joint->type == "hinge" || joint->type == "slide");
  const bool does_nothing = drive.type == Drive::Bias::none || drive.bias == std::array<double, 3>{};
  if (drive.type == Drive::Bias::other || (!on_scalar && tendon == nullptr && !does_nothing))
    return e.mark(Treatment::not_honoured, unlike_drives);
  e.mark(Treatment::converted, "what it does while its control is zero");
  if (!acts_ || does_nothing) return;
  if (tendon != nullptr)
    add(e, drive, *tendon);
  else
    add(e, drive, *joint);
}

/// The length of a drive is gear · L, and its force pushes along it.
void MjcfActuatorReader::add(const Element& e, const Drive& drive, const FixedTendon& tendon) {
  const auto product = [](double factor, const std::string& of) { return fmt::format("({})*({})", written(factor), of); };
  const double gear = drive.gear;
  tendon.add_pull(m_, names_, e.text("name").value_or(fmt::format("tendon_{}", e.tag())),
                  fmt::format("{} - {} - {}", written(-gear * drive.bias[0]),
                              product(gear * gear * drive.bias[1], tendon.length()),
                              product(gear * gear * drive.bias[2], tendon.rate())));
}

void MjcfActuatorReader::add(const Element& e, const Drive& drive, const MjcfJoint& joint) {
  // The length of a drive is gear · q, with q as the file counts it.
  const double gear = drive.gear, stiffness = -drive.bias[1] * gear * gear, damping = -drive.bias[2] * gear * gear;
  if (stiffness < 0 || damping < 0)
    return e.mark(Treatment::not_honoured, "negative stiffness or damping of a drive");
  const std::string name = e.text("name").value_or(fmt::format("{}_{}", joint.name, e.tag()));
  if (stiffness > 0 || damping > 0)
    m_.elements.push_back({Section::forces,
                           names_.give(name),
                           "joint-spring-damper",
                           {{"joint", written_name(joint.name)},
                            {"stiffness", written(stiffness)},
                            {"damping", written(damping)},
                            {"rest", written(-joint.reference)}}});
  if (drive.bias[0] != 0)
    m_.elements.push_back({Section::forces,
                           names_.give(name + "_bias"),
                           "joint-force",
                           {{"joint", written_name(joint.name)}, {"effort", written(drive.bias[0] * gear)}}});
}

}  // namespace polyform::importers
