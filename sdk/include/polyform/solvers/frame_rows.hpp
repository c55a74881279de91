// Rows of constraint elements and modules in the velocities of frames.
//
// With V the twists of the frames' origins (angular velocity, velocity; ground axes) a row of ConstraintOutput is
//
//   Σ share · V = velocity_right,      Σ share · V̇ = acceleration
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "polyform/contract/spatial.hpp"
#include "polyform/solvers/element_groups.hpp"

namespace polyform {

/// The values of all rows of all groups at one state.
class FrameRows {
 public:
  using Group = ElementGroups::Group;
  /// What a row asks of one frame, read as a wrench about the origin of the frame; and the sizes of its terms, which
  /// may cancel.
  struct Share {
    Spatial row;
    double angular = 0, linear = 0;

    void add(const Spatial& about_origin, double of_angular, double of_linear) {
      row += about_origin;
      angular += of_angular;
      linear += of_linear;
    }
  };
  struct Row {
    double residual = 0;      ///< by how much the positions miss it
    double rate = 0;          ///< by how much the velocities miss it
    double acceleration = 0;  ///< what it asks of Σ share · V̇
  };

  explicit FrameRows(const ElementGroups& groups) : shares_(groups.shares()), rows_(groups.rows()) {}

  const Share& share(const Group& g, std::size_t row, std::size_t frame) const { return shares(g, row)[frame]; }
  /// The shares of a row, one per frame of the group.
  const Share* shares(const Group& g, std::size_t row) const { return shares_.data() + g.share + row * g.frame_count; }
  Share* shares(const Group& g, std::size_t row) { return shares_.data() + g.share + row * g.frame_count; }
  const Row& row(const Group& g, std::size_t row) const { return rows_[g.row + row]; }
  Row& row(const Group& g, std::size_t row) { return rows_[g.row + row]; }
  void clear_shares() noexcept { std::fill(shares_.begin(), shares_.end(), Share{}); }

  /// The largest of a group; of residuals one that is no number counts as such.
  double largest_residual(const Group& g) const {
    double largest = 0;
    for (std::size_t r = 0; r < g.rows; ++r)
      if (!(std::abs(row(g, r).residual) <= largest)) largest = std::abs(row(g, r).residual);
    return largest;
  }
  double largest_rate(const Group& g) const {
    double largest = 0;
    for (std::size_t r = 0; r < g.rows; ++r) largest = std::max(largest, std::abs(row(g, r).rate));
    return largest;
  }

 private:
  std::vector<Share> shares_;
  std::vector<Row> rows_;
};

}  // namespace polyform
