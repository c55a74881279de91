#include "polyform/solvers/postponed_hinges.hpp"

#include <algorithm>
#include <numeric>

#include "polyform/solvers/loop_layout.hpp"

namespace polyform {

PostponedHinges::PostponedHinges(const SystemView& view, const LoopLayout& layout, double length) : length_(length) {
  if (!layout.postpones()) return;
  const std::size_t n = view.bodies.size();
  std::vector<std::size_t> root(n);
  mass_.resize(n);
  double whole = 0;
  for (std::size_t b = 0; b < n; ++b) {
    const BodyIndex inboard = view.joints[b].inboard();
    root[b] = is_ground(inboard) ? b : root[at(inboard)];
    mass_[root[b]] += view.bodies[b].mass;
    whole += view.bodies[b].mass;
  }
  // A tree without mass moves with others, or with variables of modules alone.
  if (!(whole > 0)) whole = 1;
  for (std::size_t b = n; b-- > 0;) mass_[b] = mass_[root[b]] > 0 ? mass_[root[b]] : whole;
  first_.resize(n);
  for (std::size_t b = 0; b < n; ++b) {
    first_[b] = kept_.size();
    if (layout.postponed_at(b) != LoopLayout::none) kept_.resize(kept_.size() + view.joints[b].nv);
  }
}

double PostponedHinges::inertia(std::size_t body, const Spatial& H) const noexcept {
  const double size = length_ * length_ * dot(H.angular, H.angular) + dot(H.linear, H.linear);
  return size > 0 ? mass_[body] * size : mass_[body];
}

}  // namespace polyform
