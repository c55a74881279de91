// How a flexible body by itself responds to small displacements: ξ = [φ; u] of its frame, rotation and displacement of
// the origin in ground axes, and δη of its modes.
//
// In body axes its wrench and modal forces are W = M z − f(Ω, η, η̇), with z the accelerations of frame and modes, less
// gravity. ω and α change by φ̇ + φ×ω and φ̈ + φ̇×ω + φ×α, and the rest turns with the body, so that in ground axes W
// changes by M [ξ̈; δη̈] + G [ξ̇; δη̇] + K [ξ; δη] with
//
//   G = R ∂W/∂(Ω, η̇) Rᵀ − M ω̃ (in the columns of φ̇),     K = R ∂W/∂η, and in the columns of φ  M ã − W̃
//
// where a is the acceleration of the frame less gravity.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "polyform/mechanics/flexible_set.hpp"

namespace polyform {

/// All flexible bodies of a system, in the order of SystemView::flexible. The derivatives of f are differences. Nothing
/// allocates after construction.
class FlexibleDerivatives {
 public:
  /// n = 6 + modes numbers make a row of a body's matrices.
  struct Element {
    std::size_t body = 0, modes = 0;
    std::size_t mode = 0;    ///< the first of its modes among all of the system
    std::size_t matrix = 0;  ///< the first of n² numbers
    std::size_t row = 0;     ///< the first of n numbers
    std::size_t n() const { return 6 + modes; }
  };

  /// The view outlives the object.
  explicit FlexibleDerivatives(const SystemView&);
  bool good() const { return set_.good(); }
  std::span<const Element> elements() const { return elements_; }
  std::size_t numbers() const { return M_.size(); }  ///< of all matrices of one kind

  /// frames: motions of all bodies at least; accelerations: of the origins of their frames; the rest of all modes.
  void evaluate(std::span<const BodyMotion> frames, std::span<const Spatial> accelerations, std::span<const double> eta,
                std::span<const double> etadot, std::span<const double> etaddot) noexcept;

  // As of the last evaluation: n² numbers, rows first. The wrench is about the origin of the frame, ground axes.
  const double* M(const Element& e) const { return M_.data() + e.matrix; }
  const double* G(const Element& e) const { return G_.data() + e.matrix; }
  const double* K(const Element& e) const { return K_.data() + e.matrix; }
  Spatial wrench(const Element&, const BodyMotion& body) const noexcept;

 private:
  void evaluate_set() noexcept { set_.evaluate(motions_, eta_.data(), etadot_.data()); }
  void find_wrench(const Element&, double* out) const noexcept;
  template <class Move>
  void difference(std::vector<double>& matrix, std::size_t column, const Move& move) noexcept;
  void difference_all() noexcept;
  void turn_to_ground(const Element&, const BodyMotion&, const Vec3& acceleration) noexcept;

  const SystemView& view_;
  FlexibleSet set_;
  std::vector<Element> elements_;
  std::vector<BodyMotion> motions_;  ///< of the bodies, moved for differences
  std::vector<double> eta_, etadot_;
  std::vector<double> z_, wrench_, moved_;  ///< per element n, from Element::row on
  std::vector<double> M_, G_, K_;
};

}  // namespace polyform
