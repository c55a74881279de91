// The recursion for corrections: the least changes that undo the errors of distances, dependent particles and joints
// (ShapeErrors), found by the sweeps of recursion.cpp with errors in the place of velocity terms.
#include "recursion.hpp"

namespace polyform::particles {

/// Momenta of the changes c_i: Eqs 2.5 with changes in the place of accelerations.
void Recursion::set_shape_terms(std::size_t i, const PlacedBodies& in, const ShapeErrors& errors) noexcept {
  const auto& [c2, c4] = errors.shape(i);
  const Link& link = links_[i];
  const Triangle& t = in.triangles[i];
  const Vec3 arm[3] = {t.r21, t.point(link.third), t.r41};
  const Vec3 change[3] = {c2, PointRows(t, link.third)({}, c2, c4), c4};
  Spatial& e = momenta_[i].e;
  e = {};
  for (std::size_t k = 0; k < 3; ++k) {
    Vec3 lever;
    for (std::size_t j = 0; j < 3; ++j) lever += link.weight[k][j] * arm[j];
    e += Spatial{cross(lever, change[k]), link.total[k] * change[k]};
  }
  biases_[i] = errors.of_joint(i);
}

bool Recursion::corrections(const PlacedBodies& in, const ShapeErrors& errors, std::span<Vec3> out) noexcept {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    set_inertia(i, in);
    set_directions(i, in);
    set_shape_terms(i, in, errors);
  }
  begin_loops(errors.of_velocities() ? LoopClosure::Level::velocity : LoopClosure::Level::position, in, {});
  if (!sum_momenta<false>()) return false;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const Link& link = links_[i];
    const ParticleBody& body = layout_.bodies[i];
    const Spatial z = follow_joint(i, {});
    for (std::size_t k = link.own; k < link.own + link.owns; ++k) {
      const std::size_t p = links_.own[k];
      const Vec3 change = p == body.particle[0]   ? Vec3{}
                          : p == body.particle[1] ? errors.shape(i).c2
                          : p == body.particle[2] ? errors.shape(i).c4
                                                  : errors.dependent(p);
      out[p] = z.linear + cross(z.angular, in.positions[p] - in.positions[link.particle[0]]) + change;
    }
  }
  return true;
}

}  // namespace polyform::particles
