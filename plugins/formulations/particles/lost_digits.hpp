// Digits that the recursion has lost between light and heavy bodies: noticed by what is left of the conditions of the
// joints, and won back by solving for that.
//
// What is left is the moment or work that a joint ought not to bear (Eq 2.18, Steps 3 and 4),
//
//   rest = −Hᵀ F,   F = Σ outboard (momentum rates − loads)        and of cut joints what their constraints miss
//
// It is summed with twice the digits from the rates of the joints, and the same recursion solved for it, without
// velocity terms, loads and weight, gives what is missing.
#pragma once

#include <span>
#include <vector>

#include "moving_bodies.hpp"
#include "polyform/mechanics/transfer.hpp"
#include "polyform/solvers/mending.hpp"

namespace polyform {
struct DoubleDouble;
}

namespace polyform::particles {

class Recursion;

/// A friend of the recursion, whose sweeps and terms it uses.
class LostDigits {
 public:
  /// The recursion outlives the object.
  explicit LostDigits(Recursion&);
  ~LostDigits();
  LostDigits(const LostDigits&) = delete;
  LostDigits& operator=(const LostDigits&) = delete;

  /// The next accelerations are looked at, as after a state that has nothing to do with the ones before.
  void look() { mending_.look(); }
  /// Whether this evaluation is to be checked. Asked once per evaluation.
  bool is_due() noexcept { return mending_.is_due(); }
  /// Looks at the accelerations that the recursion has just found; true where it has changed them.
  bool mend(const PlacedBodies&, std::span<const Spatial> loads) noexcept;
  /// What is missing of the condition that belongs to a rate (Link::rate).
  double rest(std::size_t rate) const { return rest_[rate]; }

 private:
  bool looks_wrong(const PlacedBodies&, std::span<const Spatial> loads) noexcept;
  void set_terms(const PlacedBodies&, std::span<const Spatial> loads) noexcept;
  void accelerate_finely() noexcept;
  template <class T>
  void find_rest(const PlacedBodies&, const SpatialVector<T>* z, SpatialVector<T>* force) noexcept;
  bool solve_for_rest(const PlacedBodies&) noexcept;
  void follow_rest(std::size_t i) noexcept;
  ActingAccelerations find_acting(const PlacedBodies&, std::span<const Spatial> loads) const noexcept;

  Recursion& sweep_;
  std::vector<SpatialVector<DoubleDouble>> fine_z_, fine_force_;  ///< per body
  std::vector<DoubleDouble> fine_rates_;                          ///< see Link::rate
  std::vector<Spatial> force_, step_;                             ///< per body; step: of z
  std::vector<double> rest_, rates_;  ///< see Link::rate: missing, and the step that adds it
  /// Long loops of like bodies lose 1e-10, which their positions do not hold either; with light bodies between heavy
  /// ones the error of the accelerations can be some times what is left: from here on it stays below 1e-9.
  Mending mending_{3e-10};
};

}  // namespace polyform::particles
