#include "polyform/solvers/newton/linearized_modes.hpp"

#include <algorithm>

namespace polyform {

namespace {

void add_block(double* m, std::size_t n, std::size_t row, std::size_t column, const Mat3& b) {
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c) m[(row + r) * n + column + c] += b(r, c);
}

}  // namespace

LinearizedModes::LinearizedModes(const SystemView& view)
    : view_(view), bodies_(view), links_(view), levers_(bodies_.numbers()) {
  for (std::size_t i = 0; i < view.flexible.size(); ++i) {
    const FlexibleLinks::Element& from = links_.element(i);
    first_.push_back(stations_.size());
    for (std::size_t a = from.first; a < from.end; ++a) {
      const std::size_t node = links_.attachment(a).node;
      const std::size_t frame = node == FlexibleLinks::none ? from.body : view.bodies.size() + node;
      stations_.push_back({static_cast<std::uint32_t>(frame), a});
    }
  }
  first_.push_back(stations_.size());
}

void LinearizedModes::begin(const TreeMoment& now, std::span<const BodyMotion> frames,
                            std::span<const Spatial> accelerations, TreeBlocks& blocks) noexcept {
  links_.evaluate_nodes(now.eta.data(), now.etadot.data());
  bodies_.evaluate(frames, accelerations, now.eta, now.etadot, now.etaddot);
  for (std::size_t i = 0; i < elements().size(); ++i) {
    const Element& e = elements()[i];
    const std::size_t carried = at(view_.joints[e.body].outboard_frame());
    links_.place(i, frames[carried].R, frames[carried].V.angular);
    blocks.wrenches[e.body] = bodies_.wrench(e, frames[e.body]);
  }
}

void LinearizedModes::gather(const Element& e, TreeBlocks& blocks) noexcept {
  const std::size_t n = e.n();
  double* const K = levers_.data() + e.matrix;
  std::fill_n(K, n * n, 0.0);
  Spatial sum;
  for (const Station& s : stations(e)) {
    const Spatial& w = blocks.wrenches[s.frame];
    const Vec3& arm = r(s);
    sum += Spatial{w.angular + cross(arm, w.linear), w.linear};
    add_block(K, n, 0, 0, skew(w.linear) * skew(arm));
    const std::span<const Spatial> columns = B(s);
    for (std::size_t k = 0; k < e.modes; ++k) {
      const Vec3 by_mode = cross(columns[k].linear, w.linear);
      const Vec3 by_turn = cross(columns[k].angular, w.angular) + by_mode;
      for (std::size_t c = 0; c < 3; ++c) {
        K[c * n + 6 + k] += by_mode[c];
        K[(6 + k) * n + c] += by_turn[c];
      }
    }
  }
  blocks.wrenches[e.body] = sum;
}

}  // namespace polyform
