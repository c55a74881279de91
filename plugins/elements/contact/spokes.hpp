// How the surface of a body of triangles leaves its corners: whether a corner can touch a face, and which.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "polyform/contract/spatial.hpp"

namespace polyform::contact {

/// The directions in which the sides of triangles leave each corner.
class Spokes {
 public:
  Spokes() = default;
  /// normals: of the corners, out of the body, of any length. is_open: per corner, whether a side there is of one
  /// triangle alone.
  Spokes(std::span<const Vec3> corners, std::span<const std::array<std::uint32_t, 3>> triangles,
         std::span<const Vec3> normals, const std::vector<bool>& is_open);

  std::span<const Vec3> of(std::size_t corner) const noexcept {
    return std::span(directions_).subspan(first_[corner], first_[corner + 1] - first_[corner]);
  }
  /// Whether a plane outside can touch the surface at the corner and nowhere around it. Within a flat face, along a
  /// straight edge and in a valley none does: what touches there touches sides of triangles too. True where it is not
  /// known.
  bool is_pointed(std::size_t corner) const noexcept { return is_pointed_[corner]; }

 private:
  bool find_pointed(std::size_t corner, const Vec3& normal) const;

  std::vector<std::size_t> first_;
  std::vector<Vec3> directions_;
  std::vector<bool> is_pointed_;
};

}  // namespace polyform::contact
