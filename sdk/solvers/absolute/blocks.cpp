#include "polyform/solvers/absolute/blocks.hpp"

namespace polyform::absolute {

Blocks::Blocks(const SystemView& view, const ModuleSet& modules) : view_(view), modules_(modules), owns_(view.modes) {
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
