// Blocks that move without inertia.
#pragma once

#include <cstddef>
#include <vector>

#include "recursion_failure.hpp"
#include "subsystem_models.hpp"

namespace polyform::hierarchy {

/// The blocks that were marked since the last name().
class FreeBlocks {
 public:
  /// They outlive the object.
  explicit FreeBlocks(SubsystemModels& models) : models_(models), free_(models.system().blocks()) {}

  bool empty() const { return count_ == 0; }
  /// Marks the blocks that move when the eliminated coordinates of a merge do, in a way that nothing resists.
  /// motion: of these coordinates.
  void mark(const Node& merge, const double* motion) noexcept;
  /// Says which blocks are marked, and unmarks them. Returns false.
  bool name(RecursionFailure&) noexcept;

 private:
  SubsystemModels& models_;
  std::vector<char> free_;  ///< per block
  std::size_t count_ = 0;
};

}  // namespace polyform::hierarchy
