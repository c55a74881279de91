#include "framework/host/unilateral/free_columns.hpp"

#include <cmath>

namespace polyform::host::inline unilateral {

bool FreeColumns::begin(std::span<const std::size_t> points) {
  changes_.clear();
  points_.assign(points.begin(), points.end());
  sides_.assign(2 * points.size(), Side{});
  for (const std::size_t k : points) {
    if (set_.velocity_of(k) != UnilateralPoint::none) return false;
    for (std::size_t side = 0; side < 2; ++side)
      if (const FrameIndex frame = set_.frame_of(k, side); !is_ground(frame) && !free_.is_free(frame)) return false;
  }
  for (std::size_t s = 0; s < sides_.size(); ++s) {
    const std::size_t k = points[s / 2];
    const FrameIndex frame = set_.frame_of(k, s % 2);
    if (is_ground(frame)) continue;
    const BodyData& body = view_.bodies[at(frame)];
    sides_[s].body = at(frame);
    sides_[s].centre = set_.orientation_of(k, s % 2) * body.center_of_mass;
    sides_[s].gyration = std::sqrt((body.inertia.xx + body.inertia.yy + body.inertia.zz) / (3 * body.mass));
    free_.find(set_, k, s % 2, sides_[s].response);
  }
  return true;
}

void FreeColumns::add(std::size_t place, const std::array<double, three>& forces) {
  std::array<Change, 2>& own = changes_.emplace_back();
  for (std::size_t side = 0; side < 2; ++side) {
    const Side& from = sides_[2 * place + side];
    own[side].body = from.body;
    if (from.body == none) continue;
    for (std::size_t row = 0; row < three; ++row) {
      own[side].linear += (forces[row] * from.response.inverse_mass) * from.response.linear[row];
      own[side].angular += forces[row] * from.response.turned[row];
    }
  }
}

double FreeColumns::rate(std::size_t column, std::size_t place, std::size_t row) const {
  double sum = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    const Side& to = sides_[2 * place + side];
    for (const Change& change : changes_[column])
      if (to.body != none && change.body == to.body)
        sum += dot(to.response.linear[row], change.linear) + dot(to.response.angular[row], change.angular);
  }
  return sum;
}

}  // namespace polyform::host::inline unilateral
