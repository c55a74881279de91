// The points of a set: which there are, and what they are between.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "framework/diagnostics.hpp"
#include "framework/host/unilateral/unilateral_set.hpp"

namespace polyform::host::inline unilateral {

/// Numbers the points of all batches as they are now.
void UnilateralSet::list_points() {
  for (auto* part : {&batch_of_, &elements_}) part->clear();
  points_.clear();
  markers_.clear();
  velocities_.clear();
  std::size_t further = 0;
  for (std::size_t n = 0; n < batches_.size(); ++n) {
    Batch& b = batches_[n];
    b.first = points_.size();
    b.count = b.rows->point_count();
    for (std::size_t k = 0; k < b.count; ++k) {
      UnilateralPoint point;
      b.rows->describe_point(k, point);
      const std::size_t marker = b.first_marker[point.instance];
      batch_of_.push_back(n);
      elements_.push_back(b.first_element + point.instance);
      markers_.push_back(b.near == nullptr
                             ? std::array{marker, marker + 1}
                             : std::array{marker + b.near->marker_of(k, 0), marker + b.near->marker_of(k, 1)});
      const std::size_t first = point.velocity == UnilateralPoint::none
                                    ? UnilateralPoint::none
                                    : b.velocities[b.first_velocity[point.instance] + point.velocity];
      const std::size_t count = first == UnilateralPoint::none ? 0
                                : b.velocity_parts == nullptr  ? 1
                                                               : b.velocity_parts->velocity_count(k);
      velocities_.push_back({first, count, further});
      if (count > 1) further += rows_per_point * (count - 1);
      points_.push_back(point);
    }
  }
  const std::size_t n = points_.size();
  place_.assign(n, std::numeric_limits<double>::infinity());
  begin_ = end_ = place_;
  feature_.assign(n, 0);
  for (auto* part : {&gap_, &holding_, &sliding_, &before_}) part->resize(n);
  for (auto* part : {&B_, &bias_, &rates_, &terms_}) part->resize(rows_per_point * n);
  A_.resize(2 * rows_per_point * n);
  further_.resize(further);
  all_.resize(n);
  std::iota(all_.begin(), all_.end(), std::size_t{0});
  evaluated_ = all_;
  own_.reserve(n);
}

void UnilateralSet::find_near(double t, std::span<const double> y, double step) {
  bool any = false;
  for (Batch& b : batches_) {
    if (b.near == nullptr) continue;
    if (!any) decode(t, y);
    any = true;
    const ForceInput attachments = attachments_of(b);
    EventInput in;
    in.attachments = &attachments;
    if (b.near->find_near(in, step) != Status::ok)
      throw Failure(Exit::simulation_failed, fmt::format("memory ran out for the contacts of `{}` at t = {:.6g} s",
                                                         element_names_[b.first_element], t));
  }
  if (any) list_points();
}

std::string_view UnilateralSet::near_element() const {
  for (const Batch& b : batches_)
    if (b.near != nullptr && b.count > 0) return element_names_[b.first_element];
  return {};
}

FrameIndex UnilateralSet::frame_of(std::size_t k, std::size_t side) const {
  const Batch& b = batches_[batch_of_[k]];
  return b.frames.empty() ? FrameIndex::ground : b.frames[markers_[k][side]];
}

/// What a row has of one of the velocities that its point is about.
double UnilateralSet::part_of(std::size_t row, std::size_t velocity) const {
  if (velocity == 0) return B_[row];
  const Velocities& all = velocities_[row / rows_per_point];
  return further_[all.further + row % rows_per_point * (all.count - 1) + velocity - 1];
}

std::array<std::uint64_t, 3> UnilateralSet::key_of(std::size_t k) const {
  const Batch& b = batches_[batch_of_[k]];
  const std::size_t own = k - b.first;
  if (b.near == nullptr) return {batch_of_[k], own, 0};
  return {batch_of_[k], b.near->pair_of(own), b.near->place_of(own)};
}

bool UnilateralSet::has_resultant(std::size_t element, std::span<const double> forces) const {
  constexpr double balanced = 1e-6;  // of the sum of the sizes
  constexpr std::size_t most = 6;    // velocities of a joint
  Spatial whole{};
  double force = 0, moment = 0;
  std::array<double, most> effort{}, efforts{};
  for (std::size_t k = 0; k < points_.size(); ++k) {
    if (elements_[k] != element) continue;
    for (std::size_t r = rows_per_point * k; r < rows_per_point * (k + 1); ++r) {
      whole += forces[r] * A_[2 * r];
      force += std::abs(forces[r]) * norm(A_[2 * r].linear);
      moment += std::abs(forces[r]) * norm(A_[2 * r].angular);
      for (std::size_t j = 0; j < velocities_[k].count; ++j) {
        effort[j] += part_of(r, j) * forces[r];
        efforts[j] += std::abs(part_of(r, j) * forces[r]);
      }
    }
  }
  const auto size = [](const std::array<double, most>& all) {
    return std::sqrt(std::inner_product(all.begin(), all.end(), all.begin(), 0.0));
  };
  return norm(whole.linear) > balanced * force || norm(whole.angular) > balanced * moment ||
         size(effort) > balanced * size(efforts);
}

Spatial UnilateralSet::wrench_of(std::size_t row, std::size_t side) const {
  const std::size_t k = row / rows_per_point;
  return wrench_about(A_[2 * row + side], arms_of(batches_[batch_of_[k]])[markers_[k][side]]);
}

void UnilateralSet::leave_out_states(std::span<double> y) const {
  for (const Batch& b : batches_)
    for (const std::size_t slot : b.slots) y[slot] = 0;
}

void UnilateralSet::put_elements(std::span<std::size_t> y) const {
  for (const Batch& b : batches_)
    for (std::size_t s = 0; s < b.state_count; ++s)
      y[b.slots[s]] = b.first_element + s * b.first_marker.size() / b.state_count;
}

std::string UnilateralSet::name_of(std::size_t k) const {
  return fmt::format("`{}` ({})", element_names_[elements_[k]], points_[k].name);
}

bool has_unilateral_rows(const SystemView& view) {
  return std::ranges::any_of(view.forces, [](const ForceInstances& group) {
    return UnilateralRows::are_of(*group.type) || NearRows::are_of(*group.type);
  });
}

void refuse_unilateral_rows(const SystemView& view, std::string_view what) {
  for (const ForceInstances& group : view.forces) {
    if (!UnilateralRows::are_of(*group.type) && !NearRows::are_of(*group.type)) continue;
    throw Failure(Exit::bad_input,
                  fmt::format("{} cannot be done with `{}`: it touches, sticks or locks without giving way, so that "
                              "the equations change with the motion",
                              what, group.names.front()),
                  "'run', 'compare', 'evaluate' and 'study' can. Here use a compliant law, or leave the element out.");
  }
}

}  // namespace polyform::host::inline unilateral
