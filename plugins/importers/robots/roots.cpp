#include "roots.hpp"

#include <unordered_map>

namespace polyform::importers {

void hold_roots(Mechanism& m, const std::vector<std::string>& welded, bool fixed, NameGiver& joint_names,
                Ledger& ledger) {
  std::unordered_map<std::string, std::size_t> number{{std::string(ground), m.bodies.size()}};
  for (std::size_t i = 0; i < m.bodies.size(); ++i) number.emplace(m.bodies[i].name, i);
  std::vector<std::size_t> part(m.bodies.size() + 1);
  for (std::size_t i = 0; i < part.size(); ++i) part[i] = i;
  const auto part_of = [&](std::size_t i) {
    while (part[i] != i) i = part[i] = part[part[i]];
    return i;
  };
  std::size_t held = 0;
  const auto hold = [&](const Body& body, const char* type) {
    m.joints.push_back({.name = joint_names.give(held++ == 0 ? "@root" : "@root_" + body.name),
                        .type = type,
                        .base = std::string(ground),
                        .moving = body.name,
                        .position = body.frame.origin});
  };
  // The joints that are added must not make those of the file closing ones.
  const std::vector<Joint> of_file = std::move(m.joints);
  m.joints.clear();
  for (const std::string& name : welded) {
    hold(m.bodies[number.at(name)], "fixed");
    part[part_of(number.at(name))] = part_of(m.bodies.size());
  }
  for (const Joint& joint : of_file) part[part_of(number.at(joint.moving))] = part_of(number.at(joint.base));
  for (std::size_t i = 0; i < m.bodies.size(); ++i) {
    if (part_of(i) == part_of(m.bodies.size())) continue;
    hold(m.bodies[i], fixed ? "fixed" : "free");
    ledger.add(Treatment::converted, "link that nothing carries", fixed ? "welded to ground" : "on a free joint",
               m.bodies[i].place);
    part[part_of(i)] = part_of(m.bodies.size());
  }
  m.joints.insert(m.joints.end(), of_file.begin(), of_file.end());
}

}  // namespace polyform::importers
