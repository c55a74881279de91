// The state of a tree as y: read into the joints, written from them, and its rates.
#pragma once

#include <span>
#include <vector>

#include "euler_angles.hpp"
#include "placed_tree.hpp"
#include "polyform/helpers/failure.hpp"
#include "polyform/solvers/rows_left_out.hpp"
#include "second_reduction.hpp"

namespace polyform::thompson {

/// y is that of StateVector, the coordinates of the joints. Which closing rows depend on others is a discrete state.
/// Functions that can fail say so.
class Encoding {
 public:
  /// The view and the discrete values outlive the object. It adds discrete values: the side of gimbal lock per
  /// sequence, and the rows that are left out per group of the constraints.
  Encoding(const SystemView&, const std::vector<EulerSequence>&, const ClosingConstraints&, DiscreteValues&);

  std::size_t size() const { return vector_.size(); }
  std::span<const StateKind> kinds() const { return vector_.kinds(); }
  const JointState& joints() const { return vector_.joints(); }

  void read(std::span<const double> y, MovingTree&, SecondReduction&) const noexcept;
  bool write(double t, const SecondReduction&, MovingTree&, std::span<double> y, Failure&) noexcept;
  /// Sets the side of gimbal lock, after the first write().
  void start(const MovingTree& tree, std::span<double> y) const noexcept { vector_.start(tree.joints(), y); }
  /// ẏ from the rates of the joints, as in JointState.
  bool rates(double t, std::span<const double> y, std::span<const double> of_joints, std::span<double> ydot,
             Failure&) const noexcept;
  /// Writes the rates of positions only; the others are left alone.
  bool position_rates(double t, std::span<const double> y, std::span<const double> of_joints, std::span<double> ydot,
                      Failure&) noexcept;

 private:
  bool fail_angles(double t, std::size_t sequence, std::string_view what, Failure&) const noexcept;

  const SystemView& view_;
  StateVector vector_;
  RowsLeftOut left_out_;
  std::vector<double> all_rates_;  ///< from which the rates of positions are taken
};

}  // namespace polyform::thompson
