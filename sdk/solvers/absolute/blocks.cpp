#include "polyform/solvers/absolute/blocks.hpp"

#include <algorithm>
#include <numeric>

namespace polyform::absolute {
namespace {

/// Per body, the heaviest of those that fixed joints weld it to.
std::vector<std::size_t> heaviest_of_welds(const SystemView& view) {
  std::vector<std::size_t> heaviest(view.bodies.size());
  std::iota(heaviest.begin(), heaviest.end(), 0);
  const auto take = [&](const JointData& joint) {
    if (joint.nv > 0 || is_ground(joint.base) || is_ground(joint.moving)) return;
    std::size_t &base = heaviest[at(joint.base)], &moving = heaviest[at(joint.moving)];
    base = moving = view.bodies[base].mass < view.bodies[moving].mass ? moving : base;
  };
  // In a tree, the bodies of the tips come to the roots first, and then to all.
  for (int round = 0; round < 2; ++round) {
    for (std::size_t j = view.joints.size(); j-- > 0;) take(view.joints[j]);
    std::ranges::for_each(view.joints, take);
  }
  return heaviest;
}

}  // namespace

Blocks::Blocks(const SystemView& view, const ModuleSet& modules)
    : view_(view), modules_(modules), owns_(view.modes), heaviest_(heaviest_of_welds(view)) {
  own_.resize(view.bodies.size());
  for (const FlexibleData& f : view.flexible) own_[at(f.body)] = {f.mode_offset, f.modes};
  for (const ModuleSet::Module& m : modules.modules()) {
    own_.push_back({owns_, m.variables});
    owns_ += m.variables;
  }
  std::size_t end = 0;
  for (std::size_t i = 0; i < own_.size(); ++i) {
    offsets_.push_back(end);
    end += frame_size(i) + own_[i].count;
  }
  offsets_.push_back(end);
}

std::string_view Blocks::name(std::size_t block) const noexcept {
  return is_module(block) ? module(block).rows.name : view_.bodies[block].name;
}

}  // namespace polyform::absolute
