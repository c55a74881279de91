// Where rows that hold at times end: at the edge of the surface that they lie on.
//
// A corner that lies on a face holds as long as it is over the face. Where it passes the edge its row lets go, without
// an impulse, and what touches there takes over: the edges that meet in the corner cross the edge of the face. The host
// finds the time by the sign of a length that goes on beyond the end, as do gap and rows: so a step that an integrator
// tries beyond the end is as smooth as one before it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace polyform {

/// ForceBatch::query gives it next to UnilateralRows, of points whose places may end. What is given is that of the
/// state that evaluate_points was given last. Without it all places go on for ever.
class UnilateralPlaces {
 public:
  static constexpr std::string_view interface_name = "polyform.unilateral_places.1";
  /// Per point: how far its place reaches on, m; infinite where it has no end, below zero beyond it. There the gap and
  /// the rows are those of a surface that goes on.
  virtual std::span<const double> places() const noexcept = 0;
  /// Per point: the same for one that begins to touch, m. Below zero it cannot, however small its gap. It may be a
  /// little more than the place: edges that lie along each other end together but for rounding. Then the gap that
  /// counts is larger by ten times what the point is beyond the end.
  virtual std::span<const double> begins() const noexcept = 0;
  /// Per point: the same for one that touches, m. Below zero it lets go. It is a little more than the place where what
  /// takes over begins there.
  virtual std::span<const double> ends() const noexcept = 0;
  /// Per point: a number of the part of the surface that it is at. A row that holds lets go where it changes.
  virtual std::span<const std::uint32_t> features() const noexcept = 0;

 protected:
  ~UnilateralPlaces() = default;
};

}  // namespace polyform
