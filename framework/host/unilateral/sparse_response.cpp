#include "framework/host/unilateral/sparse_response.hpp"

#include <algorithm>
#include <array>

#include "framework/host/unilateral/contact_sizes.hpp"

namespace polyform::host::inline unilateral {

SparseResponse::SparseResponse(const SystemView& view, UnilateralSet& set, Solver& solver)
    : view_(view), set_(set), solver_(solver) {
  if (set.empty()) return;  // nothing is ever asked
  islands_.emplace(view);
  free_.emplace(view, set);
  colouring_.resize(islands_->count());
  if (const auto* const second = ask<SecondOrderSystem>(solver))
    kinds_.assign(second->kinds().begin(), second->kinds().end());
  kinds_.resize(solver.state_size(), StateKind::other);
  for (auto* part : {&y_, &base_, &with_}) part->resize(solver.state_size());
}

std::size_t SparseResponse::island_of(std::size_t point, std::size_t part) const {
  if (part < 2) return islands_->of(set_.frame_of(point, part));
  const std::size_t v = set_.velocity_of(point);
  return v == UnilateralPoint::none ? none : islands_->of_velocity(v);
}

bool SparseResponse::has_row(std::size_t point, std::size_t row) const {
  return row == 0 ? set_.point(point).has_normal : row <= set_.point(point).tangents;
}

/// A force that gives the lighter body about the acceleration of gravity, so that rounding stays small beside it.
double SparseResponse::probe_of(std::size_t point, double free) const {
  double least = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    const FrameIndex frame = set_.frame_of(point, side);
    const double mass = is_ground(frame) ? 0 : view_.bodies[at(frame)].mass;
    if (mass > 0 && (least == 0 || mass < least)) least = mass;
  }
  constexpr double probe_acceleration = 10;  // m/s²
  return least > 0 ? probe_acceleration * least : free > 0 ? probe_acceleration / free : 1;
}

/// Whether a part of a point is about a body that nothing holds.
bool SparseResponse::answers_alone(std::size_t point, std::size_t part) const {
  return part < 2 && free_->is_free(set_.frame_of(point, part));
}

/// Of the islands that need evaluations.
void SparseResponse::colour(std::span<const std::size_t> points) {
  colouring_.clear();
  colours_.assign(points.size(), none);
  for (std::size_t p = 0; p < points.size(); ++p) {
    std::array<std::size_t, 3> coupled{};
    for (std::size_t part = 0; part < 3; ++part)
      coupled[part] = answers_alone(points[p], part) ? none : islands_of_points_.of(p)[part];
    if (coupled != std::array<std::size_t, 3>{none, none, none}) colours_[p] = colouring_.take(coupled);
  }
  if (places_.size() < colouring_.count()) places_.resize(colouring_.count());
  for (auto& places : places_) places.clear();
}

/// Which blocks there are, and which part of which rates fills each.
void SparseResponse::find_places(std::span<const std::size_t> points) {
  starts_.assign(1, 0);
  columns_.clear();
  for (std::size_t p = 0; p < points.size(); ++p) {
    const std::span<const std::size_t> own = islands_of_points_.of(p), near = islands_of_points_.near(p);
    columns_.insert(columns_.end(), near.begin(), near.end());
    starts_.push_back(columns_.size());
    for (std::size_t e = starts_[p]; e < starts_[p + 1]; ++e)
      for (std::size_t part = 0; part < 3; ++part) {
        const std::span<const std::size_t> other = islands_of_points_.of(columns_[e]);
        if (own[part] != none && !answers_alone(points[p], part) && std::ranges::find(other, own[part]) != other.end())
          places_[colours_[columns_[e]]].push_back({p, part, columns_[e], e});
      }
  }
  blocks_.assign(three * three * columns_.size(), 0.0);
}

/// The blocks of points that touch the same free body.
void SparseResponse::add_free(std::span<const std::size_t> points) {
  sides_.resize(2 * points.size());
  for (std::size_t p = 0; p < points.size(); ++p)
    for (std::size_t side = 0; side < 2; ++side)
      if (answers_alone(points[p], side)) free_->find(set_, points[p], side, sides_[2 * p + side]);
  for (std::size_t p = 0; p < points.size(); ++p)
    for (std::size_t side = 0; side < 2; ++side) {
      if (!answers_alone(points[p], side)) continue;
      for (std::size_t e = starts_[p]; e < starts_[p + 1]; ++e)
        for (std::size_t other = 0; other < 2; ++other) {
          const std::size_t q = columns_[e];
          if (islands_of_points_.of(q)[other] != islands_of_points_.of(p)[side]) continue;
          for (std::size_t r = 0; r < three; ++r)
            for (std::size_t c = 0; c < three && has_row(points[p], r); ++c)
              if (has_row(points[q], c))
                blocks_[three * three * e + three * r + c] +=
                    FreeBodies::response(sides_[2 * p + side], r, sides_[2 * q + other], c);
        }
    }
}

/// y_ at the positions of y, with the changes of the velocities alone.
void SparseResponse::put_velocities(std::span<const double> y) {
  for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = kinds_[i] != StateKind::velocity ? y[i] : with_[i] - base_[i];
}

/// Row `row` of all points of a colour.
bool SparseResponse::find_column(double t, std::span<const double> y, std::span<const std::size_t> points,
                                 std::size_t colour, std::size_t row) {
  std::ranges::fill(forces_, 0.0);
  bool any = false;
  for (std::size_t p = 0; p < points.size(); ++p)
    if (colours_[p] == colour && has_row(points[p], row)) {
      forces_[three * points[p] + row] = probes_[p];
      any = true;
    }
  if (!any) return true;
  std::ranges::copy(y.first(y_.size()), y_.begin());
  set_.put_forces(forces_, y_);
  ++evaluations_;
  if (solver_.derivative(t, y_, with_) != Status::ok) return false;
  put_velocities(y);
  set_.rate_parts_at(t, y_, points, parts_);
  for (const Place& place : places_[colour]) {
    if (!has_row(points[place.column], row)) continue;
    for (std::size_t r = 0; r < three; ++r) {
      if (!has_row(points[place.point], r)) continue;
      const std::size_t part = 3 * (three * place.point + r) + place.part;
      blocks_[three * three * place.block + three * r + row] += (parts_[part] - rest_[part]) / probes_[place.column];
    }
  }
  return true;
}

/// Rows that no force moves: neither they nor their columns have a response.
void SparseResponse::leave_out_held(std::span<const std::size_t> points, std::span<const double> free) {
  held_.assign(three * points.size(), 0);
  bool any = false;
  for (std::size_t p = 0; p < points.size(); ++p)
    for (std::size_t row = 0; row < three; ++row) {
      const auto columns = std::span(columns_).subspan(starts_[p], starts_[p + 1] - starts_[p]);
      const auto e = starts_[p] + static_cast<std::size_t>(std::ranges::lower_bound(columns, p) - columns.begin());
      const bool has_own = e < starts_[p + 1] && columns_[e] == p;
      const double own = has_own ? blocks_[three * three * e + (three + 1) * row] : 0;
      if (!has_row(points[p], row) || own > held_share * free[p]) continue;
      held_[three * p + row] = 1;
      any = true;
    }
  for (std::size_t p = 0; any && p < points.size(); ++p)
    for (std::size_t e = starts_[p]; e < starts_[p + 1]; ++e)
      for (std::size_t i = 0; i < three; ++i)
        for (std::size_t j = 0; j < three; ++j)
          if (held_[three * p + i] != 0 || held_[three * columns_[e] + j] != 0)
            blocks_[three * three * e + three * i + j] = 0;
}

bool SparseResponse::find_columns(double t, std::span<const double> y, std::span<const std::size_t> points) {
  forces_.assign(three * set_.points(), 0.0);
  for (auto* part : {&parts_, &rest_}) part->resize(3 * three * points.size());
  std::ranges::copy(y.first(y_.size()), y_.begin());
  set_.put_forces(forces_, y_);
  ++evaluations_;
  if (solver_.derivative(t, y_, base_) != Status::ok) return false;
  with_ = base_;
  put_velocities(y);
  set_.rate_parts_at(t, y_, points, rest_);
  for (std::size_t c = 0; c < colouring_.count(); ++c)
    for (std::size_t row = 0; row < three; ++row)
      if (!find_column(t, y, points, c, row)) return false;
  return true;
}

bool SparseResponse::find(double t, std::span<const double> y, std::span<const std::size_t> points,
                          std::span<const double> free) {
  islands_of_points_.list(points.size(), islands_->count(),
                          [&](std::size_t p, std::size_t part) { return island_of(points[p], part); });
  colour(points);
  find_places(points);
  // The set is at the evaluated state until columns are found.
  add_free(points);
  probes_.clear();
  for (std::size_t p = 0; p < points.size(); ++p) probes_.push_back(probe_of(points[p], free[p]));
  if (colouring_.count() > 0 && !find_columns(t, y, points)) return false;
  leave_out_held(points, free);
  return true;
}

}  // namespace polyform::host::inline unilateral
