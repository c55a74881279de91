// The modes of flexible bodies in Newton's sweep: they are eliminated before the hinge that carries the body.
//
// With all that hangs on its frames T and the body by itself (linearized_modes.hpp),
//
//   [δF]   [S_pp  S_pm] [ξ_P]   [e_p]
//   [ 0] = [S_mp  S_mm] [δη ] + [e_m]
//
// and δη = Y ξ_P + y leaves δF in terms of ξ_P alone.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "polyform/solvers/newton/linearized_tree.hpp"

namespace polyform {

/// T: double, or std::complex<double>. Nothing allocates after construction. Spans over frames hold bodies, then nodes;
/// element: number among the flexible bodies; steps, rates: per direction of the tree.
template <class T>
class ModalElimination {
 public:
  using Vector = SpatialVector<T>;

  /// The tree outlives the object.
  explicit ModalElimination(const LinearizedTree&);

  /// S: of the frames, with all that hangs on them; S of the body becomes that at P, without the modes. False if the
  /// matrix of the modes is singular.
  bool factorize(std::size_t element, const T& by_gamma, const T& by_square, std::span<Six<T>> S) noexcept;

  /// Takes the right-hand sides. accelerations, speeds: on entry of the body at P, on return of all its frames; their
  /// loads go into e, without the frames' damping.
  void begin(std::size_t element, std::span<const T> steps, std::span<const T> rates, const T& by_gamma,
             const T& by_square, std::span<Vector> accelerations, std::span<Vector> speeds,
             std::span<Vector> e) noexcept;
  void begin_at_rest() noexcept;
  /// Goes inward: e of the body becomes the load at P; y goes into steps.
  void find_inward(std::size_t element, std::span<Vector> e, std::span<T> steps) noexcept;
  /// Goes outward: xi of the body is ξ_P on entry; on return xi is that of all its frames, and δη stands in steps.
  void find_outward(std::size_t element, std::span<Vector> xi, std::span<T> steps) const noexcept;
  /// The same for a δη that is known.
  void move(std::size_t element, std::span<Vector> xi, std::span<const T> steps) const noexcept {
    place_frames(element_of(element), xi, steps.data() + tree_.modes() + element_of(element).mode);
  }

 private:
  using Element = LinearizedModes::Element;
  using Station = LinearizedModes::Station;
  const Element& element_of(std::size_t i) const { return tree_.flexible().elements()[i]; }
  void gather_body(const Element&, const T& by_gamma, const T& by_square) noexcept;
  void gather_frames(const Element&, std::span<const Six<T>> S) noexcept;
  bool eliminate(const Element&, Six<T>& S) noexcept;
  void place_frames(const Element&, std::span<Vector> motions, const T* modal) const noexcept;

  const LinearizedTree& tree_;
  std::vector<T> inverses_;                               ///< S_mm⁻¹, at Element::matrix
  std::vector<T> responses_;                              ///< Y, six per mode
  std::vector<T> couplings_;                              ///< S_pm, six per mode
  std::vector<T> loads_;                                  ///< e_m, per mode
  std::vector<T> whole_, columns_, modal_, modal_speed_;  ///< room for one body
  std::vector<std::size_t> pivots_;
};

extern template class ModalElimination<double>;
extern template class ModalElimination<std::complex<double>>;

}  // namespace polyform
