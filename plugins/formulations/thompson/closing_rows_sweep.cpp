// From rows on bodies to rows on q̇2, and from multipliers back to forces on bodies.
#include <algorithm>
#include <cmath>

#include "closing_rows.hpp"
#include "polyform/mechanics/judgement.hpp"

namespace polyform::thompson {

/// J = Φ_q H2, one row: from the bodies that it acts on towards the root, (1 − T)⁻ᵀ first. Its terms are measured by
/// lengths, not by components: what is at right angles by its geometry stays so only up to rounding. A lever that is
/// zero by its geometry is so only up to rounding too (a force through the axis of a shaft): no lever counts as less
/// than the rounding of rows leaves of the largest.
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
  if (group.first_direct != none) {
    const double* direct = direct_.data() + group.first_direct + row * group.columns;
    std::copy_n(direct, group.columns, J);
    for (std::size_t c = 0; c < group.columns; ++c) scale = std::max(scale, std::abs(direct[c]));
  }
  for (std::size_t s = group.stations.size(); s-- > 0;) {
    const Station& station = group.stations[s];
    const H2::Body& body = h2_.bodies()[station.body];
    Size& size = sizes_[s];
    size.linear = std::max(size.linear, carried_[s].head<3>().norm());
    size.angular = std::max(size.angular, carried_[s].tail<3>().norm());
    if (group.first_direct != none) scale = std::max(scale, sweep_modes(group, s, J));
    for (std::size_t k = 0; k < station.freedoms; ++k) {
      const auto N = body.basis.col(static_cast<int>(k));
      J[station.first_column + k] = carried_[s].dot(N);
      const double turn = N.tail<3>().norm(), unit = turn > 0 ? 1 : length_;
      reduction_.set_unit(reduction_.columns(g)[station.first_column + k], unit);
      const double moment = std::max(size.angular, rounding_of_rows * length_ * size.linear);
      scale = std::max(scale, unit * (size.linear * N.head<3>().norm() + moment * turn));
    }
    if (station.inboard == none) continue;
    carried_[station.inboard].noalias() += body.T.transpose() * carried_[s];
    Size& inboard = sizes_[station.inboard];
    inboard = {std::max(inboard.linear, size.linear), std::max(inboard.angular, size.angular)};
  }
  reduction_.set_scale(g, row, scale);
}

/// Enters the effect of a row at a station on the station's modes, and on those of its inboard body; returns the
/// largest size.
double ClosingRows::sweep_modes(const Group& group, std::size_t s, double* J) noexcept {
  const Station& station = group.stations[s];
  if (!h2_.has_modes()) return 0;
  double scale = 0;
  const auto add = [&](std::span<const Vector6> columns, double* into) {
    for (const Vector6& column : columns) {
      *into++ += carried_[s].dot(column);
      scale = std::max(scale, sizes_[s].linear * column.head<3>().norm() + sizes_[s].angular * column.tail<3>().norm());
    }
  };
  if (station.inboard != none) {
    const Station& inboard = group.stations[station.inboard];
    add(h2_.inboard_columns(station.body), J + inboard.first_column + inboard.freedoms);
  }
  if (station.whole) add(h2_.own_columns(station.body), J + station.first_column + station.freedoms);
  return scale;
}

ClosingRows::Contradiction ClosingRows::contradiction(const double* udot, double acting) const noexcept {
  double largest = acting / length_;
  for (std::size_t k = 0; k < h2_.size(); ++k) largest = std::max(largest, std::abs(udot[k]) / reduction_.unit(k));
  for (std::size_t r = 0; r < right_.size(); ++r)
    if (const double scale = reduction_.scale(r); scale > 0) largest = std::max(largest, std::abs(right_[r]) / scale);
  Contradiction worst;
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (std::size_t r = 0; r < groups_[g].rows; ++r) {
      if ((reduction_.left_out(g) >> r & 1) == 0) continue;
      double off = -right_[groups_[g].first_row + r];
      const double* J = reduction_.row(g, r);
      for (const std::size_t c : reduction_.columns(g)) off += *J++ * udot[c];
      if (const double scale = reduction_.scale(groups_[g].first_row + r); scale > 0) off /= scale;
      if (std::abs(off) > worst.size) worst = {std::abs(off), g};
    }
  if (worst.size > 0) worst.size /= largest;
  return worst;
}

void ClosingRows::add_forces(const double* multipliers, Forces& forces) const noexcept {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    for (std::size_t r = 0; r < group.rows; ++r) {
      const double multiplier = multipliers[group.first_row + r];
      for (std::size_t e = 0; e < group.ends.size(); ++e)
        forces.bodies[group.ends[e].body] += multiplier * ends_[group.first_end + r * group.ends.size() + e];
      if (group.first_direct == none) continue;
      const double* direct = direct_.data() + group.first_direct + r * group.columns;
      for (const std::size_t c : reduction_.columns(g)) forces.further[c] += multiplier * *direct++;
    }
  }
}

}  // namespace polyform::thompson
