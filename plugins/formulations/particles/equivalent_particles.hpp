// A rigid body as ten particles: four primary ones, and secondary ones half-way between each pair (Eqs 2.1).
#pragma once

#include "polyform/contract/spatial.hpp"

namespace polyform::particles {

/// Which particles carry the mass of a body: 1 and 2 when it lies on their line, 1, 2 and 4 when it lies in their
/// plane, all four otherwise. What the others would add vanishes, and is not computed.
enum class Representation : unsigned char { two, three, four };

/// The ten masses as they act on the primary particles when the secondary ones are eliminated (Eqs 2.5, 2.6): the
/// kinetic energy is ½ Σ weight_ij ṙ_i · ṙ_j. weight_ii is the paper's m̿_i, weight_ij = m_ij / 4 with the mass m_ij of
/// the secondary particle between i and j, so that m_i = weight_ii − Σ weight_ij is that of a primary one; the sum of a
/// row is m̄_i. Positive semidefinite for every real body, whatever the signs of the masses. Primary particles are
/// counted 0 … 3 for the paper's 1 … 4.
struct EquivalentParticles {
  double weight[4][4]{};
  double total[4]{};  ///< m̄_i
  Representation representation = Representation::four;
};

/// Volume that the four places span relative to that of their edges from the first, 0 (coplanar) to 1.
double spread(const Vec3 (&place)[4]);
/// Places that span less than this are refused: the masses would grow like the inverse of the square.
inline constexpr double least_spread = 1e-6;

/// Solves the ten equations 2.1 for the masses. inertia: about the mass centre. False when the places are coplanar.
bool find_masses(double mass, const Vec3& center, const Sym3& inertia, const Vec3 (&place)[4],
                 EquivalentParticles& out);

}  // namespace polyform::particles
