// From rows on bodies to rows on q̇2, and from multipliers back to forces on bodies.
#include <algorithm>
#include <cmath>

#include "closing_rows.hpp"

namespace polyform::thompson {

/// J = Φ_q H2, one row: from the bodies that it acts on towards the root, (1 − T)⁻ᵀ first. Its terms are measured by
/// lengths, not by components: what is at right angles by its geometry stays so only up to rounding.
void ClosingRows::sweep(std::size_t g, std::size_t row) noexcept {
  const Group& group = groups_[g];
  for (std::size_t s = 0; s < group.stations.size(); ++s) {
    carried_[s].setZero();
    sizes_[s] = {};
  }
  for (std::size_t e = 0; e < group.ends.size(); ++e)
    if (group.ends[e].station != none)
      carried_[group.ends[e].station] = ends_[group.first_end + row * group.ends.size() + e];
  double* J = reduction_.row(g, row);
  double scale = 0;
  for (std::size_t s = group.stations.size(); s-- > 0;) {
    const Station& station = group.stations[s];
    const H2::Body& body = h2_.bodies()[station.body];
    Size& size = sizes_[s];
    size.linear = std::max(size.linear, carried_[s].head<3>().norm());
    size.angular = std::max(size.angular, carried_[s].tail<3>().norm());
    for (std::size_t k = 0; k < body.freedoms; ++k) {
      const auto N = body.basis.col(static_cast<int>(k));
      J[station.first_column + k] = carried_[s].dot(N);
      scale = std::max(scale, size.linear * N.head<3>().norm() + size.angular * N.tail<3>().norm());
    }
    if (station.inboard == none) continue;
    carried_[station.inboard].noalias() += body.T.transpose() * carried_[s];
    Size& inboard = sizes_[station.inboard];
    inboard = {std::max(inboard.linear, size.linear), std::max(inboard.angular, size.angular)};
  }
  reduction_.set_scale(g, row, scale);
}

ClosingRows::Contradiction ClosingRows::contradiction(const double* udot, double acting) const noexcept {
  double largest = acting;
  for (std::size_t k = 0; k < h2_.size(); ++k) largest = std::max(largest, std::abs(udot[k]));
  for (const double right : right_) largest = std::max(largest, std::abs(right));
  Contradiction worst;
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (std::size_t r = 0; r < groups_[g].rows; ++r) {
      if ((reduction_.left_out(g) >> r & 1) == 0) continue;
      double off = -right_[groups_[g].first_row + r];
      const double* J = reduction_.row(g, r);
      for (const Station& station : groups_[g].stations) {
        const H2::Body& body = h2_.bodies()[station.body];
        for (std::size_t k = 0; k < body.freedoms; ++k) off += J[station.first_column + k] * udot[body.first + k];
      }
      if (std::abs(off) > worst.size) worst = {std::abs(off), g};
    }
  if (worst.size > 0) worst.size /= largest;
  return worst;
}

void ClosingRows::add_forces(const double* multipliers, std::span<Vector6> forces) const noexcept {
  for (const Group& group : groups_)
    for (std::size_t r = 0; r < group.rows; ++r)
      for (std::size_t e = 0; e < group.ends.size(); ++e)
        forces[group.ends[e].body] +=
            multipliers[group.first_row + r] * ends_[group.first_end + r * group.ends.size() + e];
}

}  // namespace polyform::thompson
