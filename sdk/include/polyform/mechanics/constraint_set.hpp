// All constraint elements of a system, for every formulation: from motions to rows on markers and joint velocities.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "polyform/mechanics/attachments.hpp"

namespace polyform {

class ConstraintSet {
 public:
  /// One constraint element. The spans are those of the view and of this object, valid as long as both.
  struct Element {
    std::string_view name;
    Strided<const Marker> markers;
    std::span<const JointIndex> joints;
    std::size_t rows = 0;
    std::size_t velocities = 0;  ///< of the attached joints together
    bool holonomic = false;      ///< true: all its rows are holonomic, unless holonomic_rows says it row by row
    std::span<const char> holonomic_rows;  ///< of a module: one per row; of a constraint element: empty
    bool is_holonomic(std::size_t row) const { return holonomic_rows.empty() ? holonomic : holonomic_rows[row] != 0; }
    // Set by evaluate; meanings as in ConstraintOutput.
    std::span<const Spatial> A;                                                    ///< rows × markers
    std::span<const double> B;                                                     ///< rows × velocities
    std::span<const double> residual, velocity_right, acceleration_right, effort;  ///< rows each
    Strided<const MarkerMotion> motions;
    std::span<const Vec3> arms;  ///< from the origins of the markers' frames, ground axes
  };

  /// Makes the batches of all constraint types of the system. good() tells whether all could be made.
  /// origin: the point from which positions of the frames count.
  explicit ConstraintSet(const SystemView&, const Vec3& origin = {});
  ~ConstraintSet();
  ConstraintSet(const ConstraintSet&) = delete;
  ConstraintSet& operator=(const ConstraintSet&) = delete;

  bool good() const { return good_; }
  std::span<const Element> elements() const { return elements_; }
  /// From now on evaluations use the discrete states in `discrete`, of all elements of the system, as they stand there
  /// at that time. If it is empty, and before the first call, they use those of the start.
  void follow(std::span<const std::int32_t> discrete) noexcept {
    discrete_ = discrete.empty() ? std::span<const std::int32_t>(initial_) : discrete;
  }
  /// Evaluates all elements. frames: bodies, then nodes; q, v: coordinates of all joints (canonical order).
  void evaluate(double t, std::span<const BodyMotion> frames, std::span<const double> q,
                std::span<const double> v) noexcept;

 private:
  struct Batch {
    ConstraintBatch* batch;
    Attachments attached;
    std::vector<Spatial> A;
    std::vector<double> B, residual, velocity_right, acceleration_right, effort;
    std::size_t discrete_offset, discrete_count;
  };
  std::vector<Batch> batches_;
  std::vector<Element> elements_;
  std::vector<std::int32_t> initial_;       ///< discrete states of the constraint elements at the start
  std::span<const std::int32_t> discrete_;  ///< those of all elements, in use
  bool good_ = true;
};

/// A V + B v of a row, after evaluate. v: velocities of all joints.
double velocity_of_row(const SystemView&, const ConstraintSet::Element&, std::size_t row,
                       std::span<const double> v) noexcept;

}  // namespace polyform
