#include "framework/host/unilateral/driven_rows.hpp"

#include <cmath>

namespace polyform::host::inline unilateral {

const ContactSizes& DrivenRows::sizes_of(std::size_t k) const {
  const std::size_t v = set_.velocity_of(k);
  return v == UnilateralPoint::none ? of_system_ : of_velocities_[v];
}

void DrivenRows::measure(const ConstStateView& start, const std::vector<ContactSizes>& of_points) {
  of_system_ = sizes_of_system(view_, start);
  of_velocities_.resize(view_.nv);
  for (std::size_t k = 0; k < of_points.size(); ++k)
    if (const std::size_t v = set_.velocity_of(k); v != UnilateralPoint::none) of_velocities_[v] = of_points[k];
}

void DrivenRows::begin(std::span<const std::size_t> points, double step) {
  points_ = points;
  step_ = step;
  held_.assign(three * points.size(), 0);
  resting_.resize(three * points.size());
  for (auto* part : {&gaps_, &speeds_, &responses_}) part->resize(points.size());
  for (std::size_t p = 0; p < points.size(); ++p) {
    const std::size_t k = points[p];
    const ContactSizes& sizes = sizes_of(k);
    gaps_[p] = set_.gap(k);
    speeds_[p] = set_.rate(three * k);
    const bool is_along_joint = set_.velocity_of(k) != UnilateralPoint::none;
    responses_[p] = is_along_joint ? sizes.response : free_response(view_, set_.frame_of(k, 0), set_.frame_of(k, 1));
    for (std::size_t i = 0; i < three; ++i) resting_[three * p + i] = resting_speed(set_.terms(three * k + i), sizes);
  }
}

void DrivenRows::take_held(std::span<const char> held, double t) {
  constexpr double least_overlap = 1e-10;  // of the length of contact_sizes.hpp: surfaces that are nearer touch
  held_.assign(held.begin(), held.end());
  for (std::size_t p = 0; p < points_.size(); ++p) {
    const std::size_t k = points_[p];
    if (held_[three * p] == 0 || !(speeds_[p] < -resting_[three * p])) continue;
    if (!set_.point(k).has_gap) refuse_driven(set_, k, t);
    if (gaps_[p] + 0.5 * step_ * speeds_[p] < -least_overlap * sizes_of(k).length)
      refuse_driven(set_, k, t - gaps_[p] / speeds_[p]);
  }
}

void DrivenRows::leave_out_resting(std::span<double> rates) const {
  for (std::size_t row = 0; row < held_.size(); ++row)
    if (held_[row] != 0 && std::abs(rates[row]) < resting_[row]) rates[row] = 0;
}

}  // namespace polyform::host::inline unilateral
