#include "mimics.hpp"

namespace polyform::importers {

void Mimics::set_starts(Mechanism& m) const {
  std::map<std::string, Joint*> joints;
  for (Joint& joint : m.joints) joints[joint.name] = &joint;
  for (const auto& [name, first] : rules_) {
    std::vector<const Rule*> chain;
    std::string at = name;
    for (auto found = rules_.find(at); found != rules_.end() && chain.size() <= rules_.size();
         found = rules_.find(at)) {
      chain.push_back(&found->second);
      at = found->second.other;
    }
    if (chain.size() > rules_.size()) continue;  // they follow each other in a circle
    const std::vector<double>& leads = joints.at(at)->initial_position;
    double start = leads.empty() ? 0 : leads.front();
    for (auto rule = chain.rbegin(); rule != chain.rend(); ++rule) {
      const std::vector<double>& coefficients = (*rule)->coefficients;
      double sum = 0;
      for (auto c = coefficients.rbegin(); c != coefficients.rend(); ++c) sum = sum * start + *c;
      start = sum;
    }
    if (start != 0) joints.at(name)->initial_position = {start};
  }
}

}  // namespace polyform::importers
