// The integrals over a flexible body on which its equations of motion depend: constants of the undeformed body.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "inertial_points.hpp"
#include "modal_matrix.hpp"
#include "polyform/contract/spatial.hpp"

namespace polyform::flexible {

/// u are the points of the undeformed body, Φ_k the displacement per modal coordinate k; body axes. The nine elements
/// (i, j) of a 3 × 3 tensor stand at 3 i + j.
/// Each member is one integral of the equations of motion of a flexible body, or one matrix of its modes.
struct ModalInvariants {
  double mass = 0;                            ///< ∫dm, kg
  Vec3 first_moment;                          ///< ∫u dm, kg m
  Sym3 second_moment;                         ///< ∫u uᵀ dm, kg m²
  std::vector<Vec3> displacement;             ///< ∫Φ_k dm, one per mode
  std::array<std::vector<double>, 9> moment;  ///< ∫u Φ_kᵀ dm, one per mode
  std::array<ModalMatrix, 9> product;         ///< (k, l): ∫Φ_k Φ_lᵀ dm
  std::array<ModalMatrix, 3> cross;           ///< (k, l): ∫Φ_k × Φ_l dm
  /// The body with its displacements of second order ½ Γ[η, η]: its inertia is that of these points. Empty if such
  /// displacements do not count. All above is without them.
  InertialPoints points;
  /// If only integrals of these displacements are known, for (k, l): ∫Γ_kl dm along each axis; ∫u_i Γ_kl,j dm at 3 i +
  /// j. The inertia is then of second order in η.
  std::array<ModalMatrix, 3> second_order;
  std::array<ModalMatrix, 9> second_moments;
  bool is_second_order = false;                 ///< whether these two count
  ModalMatrix mass_matrix, stiffness, damping;  ///< (k, l): ∫Φ_k · Φ_l dm; K; D

  /// Turns (rad) or strains of the modes at stations of the body, stations × m. They tell how far linear modes are
  /// valid.
  std::vector<double> deformations;
  double lowest_frequency = 0;  ///< rad/s; zero: not known
  Vec3 axis;                    ///< a spin about it causes no tension; zero if there is no such axis

  std::size_t modes() const { return displacement.size(); }
  bool stiffens() const { return is_second_order || !points.empty(); }
};

/// Sets what follows from `product`.
inline void derive_from_products(ModalInvariants& c) {
  const std::array<ModalMatrix, 9>& b = c.product;
  c.mass_matrix =
      ModalMatrix::of(c.modes(), [&](std::size_t k, std::size_t l) { return b[0](k, l) + b[4](k, l) + b[8](k, l); });
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, h = (i + 2) % 3;
    c.cross[i] = ModalMatrix::of(c.modes(),
                                 [&](std::size_t k, std::size_t l) { return b[3 * j + h](k, l) - b[3 * h + j](k, l); });
  }
}

}  // namespace polyform::flexible
