// The forces of a linearized tree: the derivatives of each force by its own inputs, as derivatives by displacements of
// bodies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "polyform/mechanics/constraint.hpp"
#include "polyform/mechanics/force_derivatives.hpp"
#include "polyform/solvers/newton/tree_blocks.hpp"

namespace polyform {

/// The forces of a system. Nothing allocates after construction.
class LinearizedForces {
 public:
  using Pattern = TreeBlocks::Pattern;
  /// A load between bodies that are no neighbours, or between joints: loads = (K + G d/dt) · displacements of its
  /// patterns. first: of the patterns; matrix: of count², rows first.
  struct Far {
    std::size_t first = 0, count = 0, matrix = 0;
  };

  /// Both arguments outlive the object. Adds to the blocks the couplings that forces between neighbours need.
  LinearizedForces(const SystemView&, const Vec3& origin, TreeBlocks&);

  bool good() const { return derivatives_.good(); }
  void follow(std::span<const std::int32_t> discrete) noexcept { derivatives_.follow(discrete); }
  /// Finds the derivatives at a motion, and adds the loads within hinges and between neighbours to the blocks; the rest
  /// is kept as far().
  void add(const TreeMoment&, std::span<const BodyMotion> frames) noexcept;

  const ForceDerivatives& derivatives() const { return derivatives_; }
  std::span<const Far> far() const { return far_; }
  const Pattern& pattern(std::size_t i) const { return patterns_[i]; }
  const double* far_K(const Far& f) const { return far_K_.data() + f.matrix; }
  const double* far_G(const Far& f) const { return far_G_.data() + f.matrix; }

 private:
  using Body = TreeBlocks::Body;
  static constexpr std::uint32_t none = TreeBlocks::none;
  /// The displacements on which an instance depends: six numbers for each frame, then the joints' coordinates.
  struct Plan {
    std::vector<std::uint32_t> frames, joints;
    std::size_t count = 0, far = none;
  };
  void plan();
  bool is_carried(std::uint32_t frame, std::uint32_t by) const noexcept;
  bool is_local(const Plan&) const noexcept;
  void add_patterns(const Plan&);
  void add_loads(const ForceDerivatives::Instance&) noexcept;
  void find_matrices(const ForceDerivatives::Instance&, const Plan&, std::span<const BodyMotion> frames) noexcept;
  void add_local(const Plan&) noexcept;
  void keep_far(const Plan&, std::span<const BodyMotion> frames, const ClosingConstraints*) noexcept;

  const SystemView& view_;
  TreeBlocks& blocks_;
  ForceDerivatives derivatives_;
  std::vector<Plan> plans_;    ///< of the instances
  std::vector<double> K_, G_;  ///< of one instance
  std::vector<Far> far_;
  std::vector<Pattern> patterns_;
  std::vector<double> far_K_, far_G_;
};

}  // namespace polyform
