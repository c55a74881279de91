#include "levels.hpp"

#include <algorithm>

namespace polyform::hierarchy {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

/// The named modules, with the system as the one after them.
class NamedModules {
 public:
  explicit NamedModules(const SystemView& view)
      : parent_(view.body_modules.size() + 1, none),
        height_(parent_.size(), 1),
        module_of_(view.bodies.size(), parent_.size() - 1) {
    const std::size_t system = parent_.size() - 1;
    std::vector<std::size_t> members(parent_.size());
    for (std::size_t m = 0; m < system; ++m) {
      const BodyModule& module = view.body_modules[m];
      parent_[m] = module.parent == none ? system : module.parent;
      ++members[parent_[m]];
      members[m] += module.bodies.size();
      for (const BodyIndex b : module.bodies) module_of_[at(b)] = m;
    }
    members[system] += static_cast<std::size_t>(std::count(module_of_.begin(), module_of_.end(), system));
    // An enclosing module stands before those within it.
    for (std::size_t m = system; m-- > 0;) {
      if (members[m] > 1) height_[m] = std::max<std::size_t>(height_[m], 2);
      height_[parent_[m]] = std::max(height_[parent_[m]], height_[m] + (members[parent_[m]] > 1 ? 1 : 0));
    }
    if (members[system] > 1) height_[system] = std::max<std::size_t>(height_[system], 2);
  }

  std::size_t levels() const { return height_.back(); }
  std::size_t level_of(const Tie& tie) const {
    if (tie.bodies.empty()) return levels();
    std::size_t common = module_of_[tie.bodies.front()];
    for (const std::size_t b : tie.bodies)
      while (!contains(common, module_of_[b])) common = parent_[common];
    return height_[common];
  }

 private:
  bool contains(std::size_t outer, std::size_t inner) const {
    while (inner != none && inner != outer) inner = parent_[inner];
    return inner == outer;
  }

  std::vector<std::size_t> parent_, height_, module_of_;
};

}  // namespace

std::vector<Tie> ties_of(const SystemView& view) {
  std::vector<Tie> ties;
  const auto tie_to = [](Tie& tie, BodyIndex b) {
    if (!is_ground(b) && std::find(tie.bodies.begin(), tie.bodies.end(), at(b)) == tie.bodies.end())
      tie.bodies.push_back(at(b));
  };
  for (const JointData& joint : view.joints) {
    Tie& tie = ties.emplace_back();
    tie.rows = 6 - joint.nv;
    tie_to(tie, joint.base);
    tie_to(tie, joint.moving);
  }
  for (const ConstraintGroup& group : view.constraints) {
    std::size_t joint = 0;
    for (std::size_t i = 0; i < group.instances.size(); ++i) {
      Tie& tie = ties.emplace_back();
      tie.rows = group.rows[i];
      for (const Marker& m : group.instances[i].markers) tie_to(tie, m.body);
      for (std::size_t k = 0; k < group.instances[i].joints.size(); ++k, ++joint) {
        tie_to(tie, view.joints[at(group.joints[joint])].base);
        tie_to(tie, view.joints[at(group.joints[joint])].moving);
      }
    }
  }
  return ties;
}

std::size_t set_named_levels(const SystemView& view, std::vector<Tie>& ties) {
  const NamedModules modules(view);
  for (Tie& tie : ties) tie.level = modules.level_of(tie);
  return modules.levels();
}

}  // namespace polyform::hierarchy
