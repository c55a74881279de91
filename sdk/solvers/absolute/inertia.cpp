#include "polyform/solvers/absolute/inertia.hpp"

#include "six.hpp"

namespace polyform::absolute {

Inertia::Inertia(const SystemView& view, const Blocks& blocks, const Motions& motions)
    : view_(view),
      blocks_(blocks),
      motions_(motions),
      flexible_(view),
      centers_(view.bodies.size()),
      inertias_(view.bodies.size()) {
  for (std::size_t f = 0; f < view.flexible.size(); ++f) mass_.emplace_back(flexible_.mass(f).size());
}

void Inertia::evaluate() noexcept {
  for (std::size_t i = 0; i < view_.bodies.size(); ++i) {
    centers_[i] = motions_.frames[i].R * view_.bodies[i].center_of_mass;
    inertias_[i] = rotate(motions_.frames[i].R, view_.bodies[i].inertia);
  }
  if (flexible_.empty()) return;
  flexible_.evaluate(motions_.frames, motions_.eta.data(), motions_.etadot.data());
  for (std::size_t f = 0; f < mass_.size(); ++f) {
    const std::size_t b = at(view_.flexible[f].body), n = flexible_.size(f);
    const Mat3& R = motions_.frames[b].R;
    centers_[b] = {};
    double* M = mass_[f].data();
    std::copy(flexible_.mass(f).begin(), flexible_.mass(f).end(), M);
    // From body to ground axes: the first six rows, then the first six columns.
    for (const std::size_t first : {std::size_t{0}, 3 * n})
      for (std::size_t c = 0; c < n; ++c) {
        double* x = M + first + c;
        const Vec3 turned = R * Vec3{x[0], x[n], x[2 * n]};
        for (std::size_t k = 0; k < 3; ++k) x[k * n] = turned[k];
      }
    for (std::size_t r = 0; r < n; ++r)
      for (double* x : {M + r * n, M + r * n + 3}) {
        const Vec3 turned = R * Vec3{x[0], x[1], x[2]};
        for (std::size_t k = 0; k < 3; ++k) x[k] = turned[k];
      }
  }
}

void Inertia::multiply(std::size_t i, const double* x, double* out) const noexcept {
  if (!is_rigid(i)) {
    const std::span<const double> M = matrix(i);
    const std::size_t size = blocks_.size(i);
    for (std::size_t r = 0; r < size; ++r) {
      out[r] = 0;
      for (std::size_t c = 0; c < size; ++c) out[r] += M[r * size + c] * x[c];
    }
    return;
  }
  const Spatial s = load(x);
  store({inertias_[i] * s.angular, view_.bodies[i].mass * s.linear}, out);
}

}  // namespace polyform::absolute
