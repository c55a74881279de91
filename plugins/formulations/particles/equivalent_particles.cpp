#include "equivalent_particles.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::particles {
namespace {

/// Weights below this part of the body's mass are round-off of the solution.
constexpr double negligible = 1e-13;

}  // namespace

double spread(const Vec3 (&place)[4]) {
  const Vec3 a = place[1] - place[0], b = place[2] - place[0], c = place[3] - place[0];
  const double edges = norm(a) * norm(b) * norm(c);
  return edges > 0 ? std::abs(dot(a, cross(b, c))) / edges : 0;
}

// With b_i(x) the barycentric coordinates of a point x in the four places, x = Σ b_i x_i and Σ b_i = 1, every particle
// on a place or half-way between two has coordinates that are units or pairs of halves. The ten equations 2.1 then read
// weight_ij = ∫ b_i b_j dm: the 10 × 10 system is solved by one inverse of a 3 × 3 matrix.
bool find_masses(double mass, const Vec3& center, const Sym3& inertia, const Vec3 (&place)[4],
                 EquivalentParticles& out) {
  out = {};
  if (!(spread(place) >= least_spread)) return false;
  const Vec3 a = place[1] - place[0], b = place[2] - place[0], c = place[3] - place[0];
  const double per_volume = 1 / dot(a, cross(b, c));
  const Vec3 dual[3] = {per_volume * cross(b, c), per_volume * cross(c, a), per_volume * cross(a, b)};

  // ∫ r rᵀ dm about place 0 (inertia = tr 1 − ∫ r rᵀ) in barycentric coordinates, and the first moment. For a slender
  // body the moments across are far smaller than those of the inertia tensor: like ones are subtracted first.
  const Vec3 r = center - place[0];
  const Sym3& J = inertia;
  const Sym3 about_center{
      0.5 * (J.yy - J.xx + J.zz), 0.5 * (J.zz - J.yy + J.xx), 0.5 * (J.xx - J.zz + J.yy), -J.xy, -J.xz, -J.yz};
  double second[3][3], first[3];
  for (std::size_t i = 0; i < 3; ++i) {
    first[i] = mass * dot(dual[i], r);
    for (std::size_t j = 0; j <= i; ++j)
      second[i][j] = second[j][i] = dot(dual[i], about_center * dual[j]) + mass * dot(dual[i], r) * dot(dual[j], r);
  }
  out.weight[0][0] = mass;
  for (std::size_t i = 0; i < 3; ++i) {
    double rest = first[i];
    for (std::size_t j = 0; j < 3; ++j) {
      out.weight[i + 1][j + 1] = second[i][j];
      rest -= second[i][j];
    }
    out.weight[0][i + 1] = out.weight[i + 1][0] = rest;
    out.weight[0][0] -= first[i] + rest;
  }
  double largest = mass;
  for (const auto& row : out.weight)
    for (const double w : row) largest = std::max(largest, std::abs(w));
  bool carries[4]{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) {
      double& w = out.weight[i][j];
      if (std::abs(w) <= negligible * largest) w = 0;
      carries[i] = carries[i] || w != 0;
      out.total[i] += w;
    }
  out.representation = carries[2] ? Representation::four : carries[3] ? Representation::three : Representation::two;
  return true;
}

}  // namespace polyform::particles
