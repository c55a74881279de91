#include "mjcf_tendons.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace polyform::importers {

std::string name_in_formula(const std::string& name) {
  const bool is_plain = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return is_plain ? name : "'" + name + "'";
}

std::string FixedTendon::length() const {
  std::string text = written(at_drawn);
  for (const auto& [joint, factor] : parts)
    text += fmt::format(" + ({})*q({})", written(factor), name_in_formula(joint->name));
  return text;
}

std::string FixedTendon::rate() const {
  std::string text = "0";
  for (const auto& [joint, factor] : parts)
    text += fmt::format(" + ({})*v({})", written(factor), name_in_formula(joint->name));
  return text;
}

void FixedTendon::add_pull(Mechanism& m, NameGiver& names, const std::string& name, const std::string& tension) const {
  for (const auto& [joint, factor] : parts)
    m.elements.push_back({Section::forces,
                          names.give(fmt::format("{}_{}", name, joint->name)),
                          "joint-force",
                          {{"joint", written_name(joint->name)},
                           {"effort", fmt::format("{{expression: \"-({})*({})\"}}", written(factor), tension)}}});
}

void MjcfTendonReader::read() {
  for (const Element& section : source_.sections("tendon"))
    for (const Element& tendon : source_.children(section)) {
      if (tendon.tag() == "fixed")
        read_fixed(tendon);
      else if (tendon.tag() == "spatial")
        read_spatial(tendon);
    }
}

const FixedTendon* MjcfTendonReader::fixed(const std::string& name) const {
  const auto found = fixed_.find(name);
  return found == fixed_.end() ? nullptr : &found->second;
}

double MjcfTendonReader::number(const Element& e, const char* attribute, double otherwise) {
  const Element says = source_.who_says(e, "tendon", attribute, "");
  return says ? says.number(attribute, otherwise) : otherwise;
}

MjcfTendonReader::Spring MjcfTendonReader::spring_of(const Element& e) {
  Spring spring;
  spring.stiffness = number(e, "stiffness", 0);
  spring.damping = number(e, "damping", 0);
  if (const Element says = source_.who_says(e, "tendon", "springlength", ""))
    if (const auto lengths = says.numbers("springlength", 0); lengths && !lengths->empty()) {
      spring.is_given = lengths->front() >= 0;
      spring.lower = lengths->front();
      spring.upper = lengths->size() > 1 ? (*lengths)[1] : spring.lower;
    }
  for (const char* name :
       {"range", "limited", "margin", "solreflimit", "solimplimit", "frictionloss", "solreffriction", "solimpfriction"})
    if (const Element says = source_.who_says(e, "tendon", name, ""))
      says.mark(name, Treatment::not_honoured, "limits and dry friction of tendons are not modelled");
  for (const char* name : {"width", "rgba", "material", "group", "user"})
    if (const Element says = source_.who_says(e, "tendon", name, ""))
      says.mark(name, Treatment::not_honoured, "for pictures only");
  return spring;
}

void MjcfTendonReader::read_fixed(const Element& e) {
  const std::string name = e.text("name").value_or(fmt::format("tendon_{}", ++unnamed_));
  e.text("class");
  FixedTendon tendon;
  double at_rest = 0;
  for (const Element& part : e.children("joint")) {
    const std::string of = part.text("joint").value_or("");
    const auto joint = bodies_.joints.find(of);
    if (joint == bodies_.joints.end())
      return e.report().error(part.place_of("joint"), fmt::format("there is no joint {}", in_quotes(of)), name_a_joint);
    const MjcfJoint& j = joint->second;
    if (j.type != "hinge" && j.type != "slide")
      return e.report().error(part.place_of("joint"), "a fixed tendon is a sum over hinges and slides",
                              "Name a joint of one of these types.");
    const double factor = part.number("coef", 1);
    tendon.parts.push_back({&j, factor});
    tendon.at_drawn += factor * j.reference;
    at_rest += factor * j.spring_reference;
  }
  Spring spring = spring_of(e);
  fixed_[name] = tendon;
  if (!spring.is_given) spring.lower = spring.upper = at_rest;
  if (spring.stiffness < 0 || spring.damping < 0)
    return e.mark(Treatment::not_honoured, "negative stiffness or damping of a tendon");
  if (!spring.acts()) return e.mark(Treatment::converted, "a tendon without spring or damper, which does nothing");
  e.mark(Treatment::converted, "forces on its joints, by a formula");
  if (!passive_) return;
  const std::string length = tendon.length(), rate = tendon.rate();
  std::string tension;
  if (spring.stiffness > 0 && spring.lower == spring.upper)
    tension = fmt::format("{}*({} - ({}))", written(spring.stiffness), length, written(spring.lower));
  else if (spring.stiffness > 0)
    tension = fmt::format("{0}*(max({1} - ({2}), 0) - max(({3}) - ({1}), 0))", written(spring.stiffness), length,
                          written(spring.upper), written(spring.lower));
  if (spring.damping > 0)
    tension += fmt::format("{}{}*({})", tension.empty() ? "" : " + ", written(spring.damping), rate);
  tendon.add_pull(m_, names_, name, tension);
}

void MjcfTendonReader::read_spatial(const Element& e) {
  const std::string name = e.text("name").value_or(fmt::format("tendon_{}", ++unnamed_));
  e.text("class");
  const std::vector<Element> path = e.all();
  const Spring spring = spring_of(e);
  if (!spring.acts()) return e.mark_all(Treatment::converted, "a tendon without spring or damper, which does nothing");
  const bool is_straight = path.size() == 2 && path[0].tag() == "site" && path[1].tag() == "site";
  if (!is_straight) return e.drop("a tendon by way of further points");
  std::string ends[2];
  Vec3 points[2];
  std::vector<Element> sites;
  for (std::size_t k = 0; k < 2; ++k) {
    const std::string site = path[k].text("site").value_or("");
    const auto found = bodies_.sites.find(site);
    if (found == bodies_.sites.end())
      return e.report().error(path[k].place(), fmt::format("there is no site {}", in_quotes(site)), name_a_site);
    path[k].mark(Treatment::honoured);
    sites.push_back(bodies_.site_element.at(site));
    points[k] = found->second.origin;
    ends[k] = bodies_.site_body.at(site);
  }
  const bool springs_rest_as_drawn = std::ranges::all_of(
      bodies_.joints, [](const auto& joint) { return joint.second.spring_reference == joint.second.reference; });
  if (!spring.is_given && !springs_rest_as_drawn)
    return e.drop("a tendon whose length at rest is that at the rest positions of the joints' springs");
  if (spring.stiffness < 0 || spring.damping < 0) return e.drop("negative stiffness or damping of a tendon");
  if (spring.stiffness > 0 && spring.is_given && spring.lower != spring.upper)
    return e.drop("a tendon whose spring is at rest between two lengths");
  e.mark(Treatment::converted, "a spring and damper between its two sites");
  for (const Element& site : sites) site.mark(Treatment::converted, "an end of a tendon");
  if (!passive_) return;
  std::vector<std::pair<std::string, std::string>> fields;
  for (std::size_t k = 0; k < 2; ++k) {
    const auto body = std::ranges::find(m_.bodies, ends[k], &Body::name);
    const Frame frame = body == m_.bodies.end() ? Frame{} : body->frame;
    fields.emplace_back(k == 0 ? "a" : "b", fmt::format("{{body: {}, point: {}}}", written_name(ends[k]),
                                                        written(frame.inverse()(points[k]))));
  }
  fields.emplace_back("stiffness", written(spring.stiffness));
  fields.emplace_back("damping", written(spring.damping));
  if (spring.is_given) fields.emplace_back("free_length", written(spring.lower));
  m_.elements.push_back({Section::forces, names_.give(name), "spring-damper", std::move(fields)});
}

}  // namespace polyform::importers
