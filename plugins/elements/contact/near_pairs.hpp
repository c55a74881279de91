// Which of many shapes are near each other: a list that holds for a while, found anew when something has moved far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "polyform/contract/spatial.hpp"

namespace polyform::contact {

/// What a shape takes up: a ball about its centre, a box about it in ground axes if it never moves, or a half space.
struct Extent {
  double radius = 0;       ///< m; of what moves
  Vec3 half_edges;         ///< m; of what is fixed
  bool fixed = false;      ///< in ground
  bool unbounded = false;  ///< a half space: `normal` points out of it, its centre is on its surface
  Vec3 normal;             ///< of a fixed half space
  double height = 0;       ///< of a half space: how far it rises above its centre, m
  std::size_t body = 0;    ///< shapes of the same body are no pair
  std::uint8_t sides = both;
  static constexpr std::uint8_t first = 1, second = 2, both = 3;
  /// Whether bodies of these sides may touch: one of them has to be on the first side, the other on the second.
  static constexpr bool may_meet(unsigned a, unsigned b) noexcept {
    return ((a & first) != 0 && (b & second) != 0) || ((a & second) != 0 && (b & first) != 0);
  }
};

/// A list of pairs with a margin (Verlet 1967): it has all pairs that are nearer than their margins, and stays right
/// until a shape has moved by its share of them. Cells of a uniform grid find them, with a grid for each size of shapes
/// that differ by a factor of two (Ericson, Real-Time Collision Detection, 7.2). The work and the memory of a search
/// are linear in the shapes and the pairs that are near.
///
/// A list has more pairs than those that touch, which depend on the past. Whoever adds up what touches, in the order of
/// the list, gets a sum that depends on the present alone.
class NearPairs {
 public:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;

  /// margin: of a shape, in its radii. reach: how far it may move before the list is found anew, in its radii, at most
  /// `margin`. apart: pairs of bodies that never touch, each with the smaller one first.
  NearPairs(std::vector<Extent>, std::vector<Pair> apart, double margin, double reach);

  /// Pairs in their order, the smaller first, where the centres are there, m. Memory grows only where there are more
  /// pairs than ever before. False if there is no more: then the list is empty.
  bool update(std::span<const Vec3> centres) noexcept;
  std::span<const Pair> pairs() const noexcept { return pairs_; }
  /// Whether two shapes, the smaller number first, are nearer than these margins, in their radii. A pair for which that
  /// holds with `margin` less `reach` is in each list that is right.
  bool is_near(std::uint32_t a, std::uint32_t b, std::span<const Vec3> centres, double margin) const noexcept;
  const Extent& extent(std::size_t shape) const noexcept { return extents_[shape]; }
  /// How far a shape moves at most before its list is found anew, m.
  double reach(std::size_t shape) const noexcept { return reach_ * extents_[shape].radius; }
  std::size_t searches() const noexcept { return searches_; }

 private:
  struct Cell {
    std::int64_t x, y, z;
    bool operator==(const Cell&) const = default;
  };
  bool is_right(std::span<const Vec3> centres) const noexcept;
  void search(std::span<const Vec3> centres);
  void search_around(std::uint32_t shape, std::span<const Vec3> centres);
  bool may_touch(std::uint32_t a, std::uint32_t b) const noexcept;
  Vec3 reach_of(std::uint32_t shape, double margin) const noexcept;
  static Cell cell_of(const Vec3& place, double size) noexcept;
  std::size_t slot_of(const Cell&, std::size_t level) const noexcept;

  std::vector<Extent> extents_;
  std::vector<Pair> apart_;
  double margin_, reach_;
  std::vector<std::uint32_t> bounded_, unbounded_;
  std::vector<double> levels_;               ///< sizes of their cells, from the smallest shapes on, m
  std::vector<std::uint32_t> level_of_;      ///< per shape
  std::vector<Cell> cells_;                  ///< per shape
  std::vector<std::uint32_t> heads_, next_;  ///< of the chains of a hash table of cells
  std::vector<Vec3> searched_;               ///< the centres then
  std::vector<Pair> pairs_;
  std::size_t searches_ = 0;
};

}  // namespace polyform::contact
