#include "framework/host/unilateral/sparse_response.hpp"

#include <algorithm>

#include "framework/host/unilateral/contact_sizes.hpp"

namespace polyform::host::inline unilateral {

SparseResponse::SparseResponse(const SystemView& view, UnilateralSet& set, Solver& solver)
    : view_(view), set_(set), solver_(solver) {
  if (set.empty()) return;  // nothing is ever asked
  islands_.emplace(view);
  used_.resize(islands_->count());
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

/// Each point gets the first colour that no other point of its islands has.
void SparseResponse::colour(std::span<const std::size_t> points) {
  for (auto& used : used_) used.clear();
  colours_.assign(points.size(), 0);
  std::size_t count = 0;
  for (std::size_t p = 0; p < points.size(); ++p) {
    std::size_t own = 0;
    const auto is_taken = [&](std::size_t part) {
      const std::size_t island = island_of(points[p], part);
      return island != none && own < used_[island].size() && used_[island][own] != 0;
    };
    while (is_taken(0) || is_taken(1) || is_taken(2)) ++own;
    for (std::size_t part = 0; part < 3; ++part) {
      const std::size_t island = island_of(points[p], part);
      if (island == none) continue;
      if (used_[island].size() <= own) used_[island].resize(own + 1, 0);
      used_[island][own] = 1;
    }
    colours_[p] = own;
    count = std::max(count, own + 1);
  }
  if (places_.size() < count) places_.resize(count);
  for (auto& places : places_) places.clear();
  count_ = count;
}

/// Which blocks there are, and which part of which rates fills each.
void SparseResponse::find_places(std::span<const std::size_t> points) {
  struct Entry {
    std::size_t point, column, part, colour;
  };
  std::vector<Entry> entries;
  for (std::size_t c = 0; c < count_; ++c) {
    owner_.assign(islands_->count(), none);
    for (std::size_t p = 0; p < points.size(); ++p)
      for (std::size_t part = 0; part < 3 && colours_[p] == c; ++part)
        if (const std::size_t island = island_of(points[p], part); island != none) owner_[island] = p;
    for (std::size_t p = 0; p < points.size(); ++p)
      for (std::size_t part = 0; part < 3; ++part)
        if (const std::size_t island = island_of(points[p], part); island != none && owner_[island] != none)
          entries.push_back({p, owner_[island], part, c});
  }
  std::ranges::stable_sort(entries, [](const Entry& a, const Entry& b) {
    return a.point != b.point ? a.point < b.point : a.column < b.column;
  });
  starts_.assign(points.size() + 1, 0);
  columns_.clear();
  for (std::size_t e = 0; e < entries.size(); ++e) {
    const Entry& entry = entries[e];
    const bool is_new = e == 0 || entries[e - 1].point != entry.point || entries[e - 1].column != entry.column;
    if (is_new) {
      columns_.push_back(entry.column);
      ++starts_[entry.point + 1];
    }
    places_[entry.colour].push_back({entry.point, entry.part, entry.column, columns_.size() - 1});
  }
  for (std::size_t p = 0; p < points.size(); ++p) starts_[p + 1] += starts_[p];
  blocks_.assign(three * three * columns_.size(), 0.0);
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
      double own = 0;
      for (std::size_t e = starts_[p]; e < starts_[p + 1]; ++e)
        if (columns_[e] == p) own = blocks_[three * three * e + (three + 1) * row];
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

bool SparseResponse::find(double t, std::span<const double> y, std::span<const std::size_t> points,
                          std::span<const double> free) {
  colour(points);
  find_places(points);
  probes_.clear();
  for (std::size_t p = 0; p < points.size(); ++p) probes_.push_back(probe_of(points[p], free[p]));
  forces_.assign(three * set_.points(), 0.0);
  for (auto* part : {&parts_, &rest_}) part->resize(3 * three * points.size());
  std::ranges::copy(y.first(y_.size()), y_.begin());
  set_.put_forces(forces_, y_);
  ++evaluations_;
  if (solver_.derivative(t, y_, base_) != Status::ok) return false;
  with_ = base_;
  put_velocities(y);
  set_.rate_parts_at(t, y_, points, rest_);
  for (std::size_t c = 0; c < count_; ++c)
    for (std::size_t row = 0; row < three; ++row)
      if (!find_column(t, y, points, c, row)) return false;
  leave_out_held(points, free);
  return true;
}

}  // namespace polyform::host::inline unilateral
