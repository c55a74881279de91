#include "corner_slots.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace polyform::contact {

CornerSlots::CornerSlots(const Polyhedron& mesh, double reach) : reach_(reach) {
  using Cell = std::array<std::int64_t, 3>;
  std::map<Cell, std::uint32_t> filled;
  std::vector<Cell> cells;
  std::vector<std::uint32_t> numbers;
  std::array<std::size_t, 3> kinds{1, 1, 1};  // of cells along each axis: odd and even, or one alone
  for (std::size_t c = 0; c < mesh.corners().size(); ++c) {
    const Vec3& corner = mesh.corners()[c];
    Cell& cell = cells.emplace_back();
    for (std::size_t k = 0; k < 3; ++k) {
      cell[k] = static_cast<std::int64_t>(std::floor((corner[k] - mesh.low()[k]) / (2 * reach)));
      if (cell[k] > 0) kinds[k] = 2;
    }
    numbers.push_back(mesh.spokes().is_pointed(c) ? filled[cell]++ : 0);
  }
  std::uint32_t most = 0;
  for (const auto& [cell, count] : filled) most = std::max(most, count);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto odd = [&](std::size_t k) { return static_cast<std::size_t>(cells[i][k] & 1); };
    const std::size_t kind = (odd(0) * kinds[1] + odd(1)) * kinds[2] + odd(2);
    slots_.push_back(static_cast<std::uint32_t>(kind * most + numbers[i]));
  }
  count_ = kinds[0] * kinds[1] * kinds[2] * most;
}

}  // namespace polyform::contact
