// Places for those corners of a large mesh that are near a smaller body.
#pragma once

#include <cstdint>
#include <vector>

#include "polyhedron.hpp"

namespace polyform::contact {

/// Gives each corner of a mesh that a plane can touch alone (Spokes) a place, so that two corners that can be within a
/// body of a size at once have different ones: the mesh is divided into cells of that size. A body meets two of them
/// along each axis at most, one odd and one even, and in its cell each corner has a number.
class CornerSlots {
 public:
  /// reach: of the body from its origin, m.
  CornerSlots(const Polyhedron& mesh, double reach);

  std::size_t count() const noexcept { return count_; }
  double reach() const noexcept { return reach_; }
  std::uint32_t slot_of(std::size_t corner) const noexcept { return slots_[corner]; }

 private:
  std::vector<std::uint32_t> slots_;
  std::size_t count_ = 0;
  double reach_;
};

}  // namespace polyform::contact
