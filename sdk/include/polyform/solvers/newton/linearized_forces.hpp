// The forces of a linearized tree: the derivatives of each force by its own inputs, as derivatives by displacements of
// bodies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "polyform/mechanics/constraint.hpp"
#include "polyform/mechanics/force_derivatives.hpp"
#include "polyform/solvers/newton/linearized_states.hpp"
#include "polyform/solvers/newton/tree_blocks.hpp"

namespace polyform {

/// The forces of a system. Nothing allocates after construction.
class LinearizedForces {
 public:
  using Pattern = TreeBlocks::Pattern;
  static constexpr std::uint32_t none = TreeBlocks::none;
  /// A load between bodies that are no neighbours, or between joints: loads = (K + G d/dt) · displacements of its
  /// patterns. first: of the patterns; matrix: of count², rows first; most: independent combinations of displacements
  /// that it may depend on; states: its element among states(), or none.
  struct Far {
    std::size_t first = 0, count = 0, matrix = 0, most = 0;
    std::size_t states = none;
  };

  /// Both arguments outlive the object. Adds to the blocks the couplings that forces between neighbours need.
  LinearizedForces(const SystemView&, const Vec3& origin, TreeBlocks&);

  bool good() const { return derivatives_.good(); }
  void follow(std::span<const std::int32_t> discrete) noexcept { derivatives_.follow(discrete); }
  /// Finds the derivatives at a motion, and adds the loads within hinges and between neighbours to the blocks; the rest
  /// is kept as far().
  void add(const TreeMoment&, std::span<const BodyMotion> frames) noexcept;

  const ForceDerivatives& derivatives() const { return derivatives_; }
  const LinearizedStates& states() const { return states_; }
  std::span<const Far> far() const { return far_; }
  const Pattern& pattern(std::size_t i) const { return patterns_[i]; }
  const double* far_K(const Far& f) const { return far_K_.data() + f.matrix; }
  const double* far_G(const Far& f) const { return far_G_.data() + f.matrix; }

 private:
  using Body = TreeBlocks::Body;
  /// The displacements on which an instance depends: six numbers for each frame, then the joints' coordinates.
  struct Plan {
    std::vector<std::uint32_t> frames, joints;                    ///< each once
    std::vector<std::size_t> places;                              ///< of the instance's velocities
    std::size_t count = 0, first = 0, far = none, states = none;  ///< first: of its patterns
  };
  void plan();
  bool is_carried(std::uint32_t frame, std::uint32_t by) const noexcept;
  bool is_local(const Plan&) const noexcept;
  void add_patterns(const Plan&);
  void couple(const Plan&);
  void add_blocks(const Plan&, bool local);
  void add_loads(const ForceDerivatives::Instance&) noexcept;
  static std::size_t place_of(const Plan&, std::size_t frame) noexcept;
  template <class Add>
  void each_derivative(const ForceDerivatives::Instance&, const Plan&, std::span<const BodyMotion> frames,
                       std::size_t output, const Add&) const noexcept;
  template <class Put>
  void each_load(const ForceDerivatives::Instance&, const Plan&, const Put&) const noexcept;
  void find_matrices(const ForceDerivatives::Instance&, const Plan&, std::span<const BodyMotion> frames) noexcept;
  void find_states(const ForceDerivatives::Instance&, const Plan&, std::span<const BodyMotion> frames) noexcept;
  void add_turns(const Plan&, double* by_place, const double* by_rate, std::size_t rows) const noexcept;
  void add_local(const Plan&) noexcept;
  void take_alone(const Plan&) noexcept;
  void take_block(const Plan&, std::size_t unit, std::size_t first, std::size_t size) noexcept;
  void keep_far(const Plan&) noexcept;
  void move_patterns(const Plan&, std::span<const BodyMotion> frames, const ClosingConstraints*) noexcept;

  const SystemView& view_;
  TreeBlocks& blocks_;
  ForceDerivatives derivatives_;
  LinearizedStates states_;
  std::vector<Plan> plans_;    ///< of the instances
  std::vector<double> K_, G_;  ///< of one instance
  std::vector<Far> far_;
  std::vector<Pattern> patterns_;
  std::vector<double> far_K_, far_G_;
  std::vector<std::size_t> labels_;  ///< room: per frame and joint of an instance
};

}  // namespace polyform
