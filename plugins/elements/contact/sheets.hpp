// Divides a surface of triangles, so that those which form a valley are of different sheets.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "polyform/contract/spatial.hpp"

namespace polyform::contact {

struct SheetTriangle {
  std::array<std::uint32_t, 3> corners;
  Vec3 normal;
};
/// A surface needs as many as valleys meet at a corner; a body has a point for each. Where these are too few, triangles
/// of a valley share a sheet, and a body touches the nearest one of them alone.
inline constexpr std::uint8_t most_sheets = 8;

/// Per triangle its sheet, from 0. pairs: triangles at a common side. flat: how far a corner may stick out of a plane
/// in which it lies, m.
std::vector<std::uint8_t> sheets_of(std::span<const Vec3> corners, std::span<const SheetTriangle> triangles,
                                    std::span<const std::array<std::size_t, 2>> pairs, double flat);

}  // namespace polyform::contact
