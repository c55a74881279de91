#include "levels.hpp"

#include <algorithm>

namespace polyform::hierarchy {
namespace {

/// The named subsystems, with the system as the one after them.
class NamedSubsystems {
 public:
  NamedSubsystems(const SystemView& view, const std::vector<LevelConstraint>& constraints)
      : parent_(view.subsystems.size() + 1, none),
        height_(parent_.size(), 1),
        subsystem_of_(blocks_of(view), parent_.size() - 1) {
    const std::size_t system = parent_.size() - 1;
    std::vector<std::size_t> members(parent_.size());
    for (std::size_t m = 0; m < system; ++m) {
      const Subsystem& subsystem = view.subsystems[m];
      parent_[m] = subsystem.parent == none ? system : subsystem.parent;
      ++members[parent_[m]];
      members[m] += subsystem.bodies.size();
      for (const BodyIndex b : subsystem.bodies) subsystem_of_[at(b)] = m;
    }
    std::vector<bool> alone;
    for (const std::size_t count : members) alone.push_back(count == 1);
    const std::size_t n = view.bodies.size(), first = constraints.size() - (subsystem_of_.size() - n);
    for (std::size_t m = n; m < subsystem_of_.size(); ++m) {
      const std::vector<std::size_t>& constrained = constraints[first + m - n].blocks;
      if (constrained.size() > 1 && constrained.back() == m)
        subsystem_of_[m] = common({constrained.begin(), constrained.end() - 1});
      // A body that is named alone is of level 1, and so is the module that drives it: both are members of the
      // subsystem around them.
      while (subsystem_of_[m] != system && alone[subsystem_of_[m]]) subsystem_of_[m] = parent_[subsystem_of_[m]];
      if (subsystem_of_[m] != system) ++members[subsystem_of_[m]];
    }
    members[system] += static_cast<std::size_t>(std::count(subsystem_of_.begin(), subsystem_of_.end(), system));
    // An enclosing subsystem stands before those within it.
    for (std::size_t m = system; m-- > 0;) {
      if (members[m] > 1) height_[m] = std::max<std::size_t>(height_[m], 2);
      height_[parent_[m]] = std::max(height_[parent_[m]], height_[m] + (members[parent_[m]] > 1 ? 1 : 0));
    }
    if (members[system] > 1) height_[system] = std::max<std::size_t>(height_[system], 2);
  }

  std::size_t levels() const { return height_.back(); }
  std::size_t level_of(const LevelConstraint& constraint) const {
    return constraint.blocks.empty() ? levels() : height_[common(constraint.blocks)];
  }

 private:
  bool contains(std::size_t outer, std::size_t inner) const {
    while (inner != none && inner != outer) inner = parent_[inner];
    return inner == outer;
  }

  /// The smallest subsystem that has all these blocks.
  std::size_t common(const std::vector<std::size_t>& blocks) const {
    std::size_t found = subsystem_of_[blocks.front()];
    for (const std::size_t b : blocks)
      while (!contains(found, subsystem_of_[b])) found = parent_[found];
    return found;
  }

  std::vector<std::size_t> parent_, height_, subsystem_of_;
};

}  // namespace

std::size_t blocks_of(const SystemView& view) {
  std::size_t blocks = view.bodies.size();
  for (const ModuleInstances& group : view.modules) blocks += group.instances.size();
  return blocks;
}

std::vector<LevelConstraint> constraints_of(const SystemView& view) {
  std::vector<LevelConstraint> constraints;
  const auto add_block = [](LevelConstraint& constraint, BodyIndex b) {
    if (!is_ground(b) &&
        std::find(constraint.blocks.begin(), constraint.blocks.end(), at(b)) == constraint.blocks.end())
      constraint.blocks.push_back(at(b));
  };
  for (const JointData& joint : view.joints) {
    LevelConstraint& constraint = constraints.emplace_back();
    constraint.rows = 6 - joint.nv;
    add_block(constraint, joint.base);
    add_block(constraint, joint.moving);
  }
  const auto add_elements = [&](const auto& group, const auto& rows_of, auto finish) {
    std::size_t joint = 0;
    for (std::size_t i = 0; i < group.instances.size(); ++i) {
      LevelConstraint& constraint = constraints.emplace_back();
      constraint.rows = rows_of(i);
      for (const Marker& m : group.instances[i].markers) add_block(constraint, m.body);
      for (std::size_t k = 0; k < group.instances[i].joints.size(); ++k, ++joint) {
        add_block(constraint, view.joints[at(group.joints[joint])].base);
        add_block(constraint, view.joints[at(group.joints[joint])].moving);
      }
      finish(constraint);
    }
  };
  for (const ConstraintInstances& group : view.constraints)
    add_elements(
        group, [&](std::size_t i) { return group.rows[i]; }, [](LevelConstraint&) {});
  std::size_t block = view.bodies.size();
  for (const ModuleInstances& group : view.modules)
    add_elements(
        group, [&](std::size_t) { return group.type->rows().size(); },
        [&](LevelConstraint& constraint) {
          if (!group.type->variables().empty()) constraint.blocks.push_back(block);
          ++block;
        });
  return constraints;
}

std::size_t set_named_levels(const SystemView& view, std::vector<LevelConstraint>& constraints) {
  const NamedSubsystems modules(view, constraints);
  for (LevelConstraint& constraint : constraints) constraint.level = modules.level_of(constraint);
  return modules.levels();
}

std::vector<std::size_t> subsystems_at(const std::vector<LevelConstraint>& constraints, std::size_t blocks,
                                       std::size_t level) {
  std::vector<std::size_t> first(blocks);
  for (std::size_t b = 0; b < blocks; ++b) first[b] = b;
  const auto root = [&](std::size_t b) {
    while (first[b] != b) b = first[b] = first[first[b]];
    return b;
  };
  for (const LevelConstraint& constraint : constraints) {
    if (constraint.rows == 0 || constraint.level > level) continue;
    for (const std::size_t b : constraint.blocks) {
      const std::size_t one = root(constraint.blocks.front()), other = root(b);
      first[std::max(one, other)] = std::min(one, other);
    }
  }
  std::vector<std::size_t> number(blocks), subsystem(blocks);
  std::size_t count = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    if (root(b) == b) number[b] = count++;
    subsystem[b] = number[root(b)];
  }
  return subsystem;
}

}  // namespace polyform::hierarchy
