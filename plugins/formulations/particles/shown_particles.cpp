#include "shown_particles.hpp"

namespace polyform::particles {
namespace {

constexpr std::size_t primary = 4, all = 10;
/// Between which primary particles 5 to 10 lie, from 0.
constexpr std::size_t pairs[all - primary][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
/// Where a primary particle stands among those of ParticleBody; 3 has no place of its own there.
constexpr std::size_t third = 2;
constexpr std::size_t of_layout[primary] = {0, 1, 0, 2};

Vec3 place_of(const ParticleBody& body, std::size_t i) {
  if (i != third) return body.place[of_layout[i]];
  return body.place[0] + Triangle(body.place[0], body.place[1], body.place[2]).point(body.third);
}

/// Secondary particles carry four times the weight that couples two primary ones, and primary ones what is left.
double mass_of(const EquivalentParticles& masses, std::size_t i) {
  double mass = masses.weight[i][i];
  for (std::size_t j = 0; j < primary; ++j)
    if (j != i) mass -= masses.weight[i][j];
  return mass;
}

}  // namespace

double ShownParticles::mass(std::size_t i, std::size_t k) const noexcept {
  const EquivalentParticles& masses = layout_.bodies[i].masses;
  if (k < primary) return mass_of(masses, k);
  const auto [a, b] = pairs[k - primary];
  return 4 * masses.weight[a][b];
}

Vec3 ShownParticles::place(std::size_t i, std::size_t k) const noexcept {
  const ParticleBody& body = layout_.bodies[i];
  if (k < primary) return place_of(body, k);
  const auto [a, b] = pairs[k - primary];
  return 0.5 * (place_of(body, a) + place_of(body, b));
}

std::size_t ShownParticles::end(std::size_t, std::size_t k, std::size_t which) const noexcept {
  return k < primary ? k : pairs[k - primary][which];
}

std::size_t ShownParticles::shared(std::size_t i, std::size_t k) const noexcept {
  return k < primary && k != third ? layout_.bodies[i].particle[of_layout[k]] : ParticleModel::none;
}

}  // namespace polyform::particles
