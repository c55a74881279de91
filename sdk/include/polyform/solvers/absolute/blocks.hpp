// The unknowns of the equations of motion in absolute coordinates, block by block.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "polyform/contract/system_view.hpp"
#include "polyform/mechanics/module_set.hpp"

namespace polyform::absolute {

/// Blocks of unknowns: those of the bodies, then those of the modules. The block of a body has six unknowns for its
/// frame and one for each of its modes, that of a module one for each of its variables. After all unknowns follows one
/// multiplier per constraint row. The model fixes all of this.
class Blocks {
 public:
  /// Unknowns of a block that are not of a frame: modes of a flexible body, variables of a module.
  struct Own {
    std::size_t first = 0, count = 0;  ///< among all modes, followed by all variables
  };

  /// Both arguments outlive the object.
  Blocks(const SystemView&, const ModuleSet&);

  std::size_t count() const { return own_.size(); }
  std::size_t bodies() const { return view_.bodies.size(); }
  std::size_t unknowns() const { return offsets_.back(); }
  std::size_t owns() const { return owns_; }  ///< unknowns that are not of a frame, of all blocks
  /// Place of a row's multiplier behind the unknowns.
  std::size_t row_at(std::size_t row) const { return offsets_.back() + row; }

  std::size_t offset(std::size_t block) const { return offsets_[block]; }  ///< its first unknown; of count(): the end
  std::size_t size(std::size_t block) const { return offsets_[block + 1] - offsets_[block]; }
  std::size_t frame_size(std::size_t block) const { return block < bodies() ? 6 : 0; }
  const Own& own(std::size_t block) const { return own_[block]; }

  bool is_module(std::size_t block) const { return block >= bodies(); }
  const char* kind(std::size_t block) const { return is_module(block) ? "module" : "body"; }
  std::string_view name(std::size_t block) const noexcept;
  /// Of the bodies that are welded to the body of a block, itself included, the heaviest: they move as one, and that
  /// one is told of what they all lack, not a frame link. Of a module its own block.
  std::size_t heaviest(std::size_t block) const { return is_module(block) ? block : heaviest_[block]; }
  const ModuleSet::Module& module(std::size_t block) const { return modules_.modules()[block - bodies()]; }
  /// The data of a flexible body; nullptr for a rigid one.
  const FlexibleData* flexible(std::size_t body) const noexcept {
    const std::size_t f = view_.bodies[body].flexible;
    return f == rigid ? nullptr : &view_.flexible[f];
  }
  /// The body that a frame belongs to.
  std::size_t body_of(FrameIndex f) const noexcept {
    return at(f) < bodies() ? at(f) : at(view_.nodes[at(f) - bodies()].body);
  }

 private:
  const SystemView& view_;
  const ModuleSet& modules_;
  std::vector<Own> own_;              ///< per block
  std::vector<std::size_t> offsets_;  ///< per block, and the end
  std::size_t owns_ = 0;
  std::vector<std::size_t> heaviest_;  ///< per body
};

}  // namespace polyform::absolute
