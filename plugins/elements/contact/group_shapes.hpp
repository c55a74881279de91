// The shapes of many bodies, and where they are near each other or touch.
#pragma once

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "near_pairs.hpp"
#include "polyform/contract/force.hpp"
#include "shape_pair.hpp"

namespace polyform::contact {

/// Shapes are placed once for an evaluation; pairs come from a list of what is near. Two lists, since the guard of a
/// step looks farther ahead than forces do.
class GroupShapes {
 public:
  /// A point of two shapes, or where they are nearest.
  struct Touch {
    std::size_t first, second;  ///< markers
    ContactPoint point;
    double inverse_mass;  ///< of the reduced mass, 1/kg
    double size;          ///< of the smaller shape, m
    double half_width;    ///< the lesser one of the two, m
  };

  /// An instance whose fields are those of the group, and which passed check_group. has_sheets: of meshes (Polyhedron).
  GroupShapes(const ElementInstance&, bool has_sheets);

  std::size_t markers() const noexcept { return inverse_masses_.size(); }
  /// Calls `act` for each point where shapes overlap, in an order that never depends on the past. False if memory ran
  /// out.
  template <class Act>
  bool each_closed(Strided<const MarkerMotion> motions, Act act) noexcept {
    place(motions);
    if (!touching_.update(centres_)) return false;
    for (const auto& [a, b] : touching_.pairs()) visit<true>(a, b, act);
    return true;
  }
  /// Calls it for each point of what may touch within the way that a step may go.
  template <class Act>
  void each_near(Strided<const MarkerMotion> motions, Act act) noexcept {
    place(motions);
    ahead_.update(centres_);
    // The list has more, which depends on the past.
    for (const auto& [a, b] : ahead_.pairs())
      if (ahead_.is_near(a, b, centres_, margin)) visit<false>(a, b, act);
  }
  /// A point among those of two shapes.
  struct Place {
    std::uint32_t first, second;
    std::size_t index;
  };
  std::size_t marker_of(std::size_t shape) const noexcept { return shapes_[shape].marker; }
  /// Calls `act` for each place of what may touch within the way that a step may go, in the order of the shapes. False
  /// if memory ran out.
  template <class Act>
  bool each_near_place(Strided<const MarkerMotion> motions, Act act) {
    place(motions);
    if (!ahead_.update(centres_)) return false;
    for (const auto& [a, b] : ahead_.pairs()) {
      if (!ahead_.is_near(a, b, centres_, margin)) continue;
      const std::span<const ContactPoint> points = points_between(a, b);
      for (std::size_t i = 0; i < points.size(); ++i) act(Place{a, b, i}, points[i]);
    }
    return true;
  }
  /// Puts the shapes where points_between() finds them.
  void put(Strided<const MarkerMotion> motions) noexcept { place(motions); }
  /// Valid until the next call.
  std::span<const ContactPoint> points_between(std::size_t a, std::size_t b) noexcept;
  /// The speed of the fastest point of all shapes, m/s.
  double fastest(Strided<const MarkerMotion> motions) const noexcept;
  /// The time in which a shape may move by its reach, s.
  double time_to_move(Strided<const MarkerMotion> motions) const noexcept;
  /// The time in which surfaces that are near each other may move by the lesser half width of the two, s. Where shapes
  /// turn, the places that are nearest now need not be those that meet, so that their speeds tell nothing. Shapes
  /// that do not turn, and balls, are not asked.
  double time_to_pass(Strided<const MarkerMotion> motions) noexcept;

 private:
  // In radii of a shape: how near is near, and how far it moves before a list is found anew. A step moves nothing
  // farther than `reach`, so that what is not near, or not in the list for the guard, does not touch within the step.
  static constexpr double margin = 0.15, reach = margin, margin_ahead = margin + reach;

  struct Shape {
    PlacedShape in_body;
    std::size_t marker;
    double size, half_width;
    bool is_ball;
  };
  struct Parts {
    ShapeStore store;
    std::vector<Shape> shapes;
    std::vector<Extent> extents;
    std::vector<NearPairs::Pair> apart;
  };
  static Parts parts_of(const ElementInstance&, bool has_sheets);
  GroupShapes(const ElementInstance&, Parts);
  /// The velocity of the centre of a shape, and the largest speed that its turning gives its surface beside that.
  std::pair<Vec3, double> speeds_of(std::size_t shape, const MarkerMotion& body) const noexcept;
  std::size_t most_points() const;
  void place(Strided<const MarkerMotion> motions) noexcept;
  /// Where two balls, or a ball and a half space, are nearest: the usual case, without a call.
  static ContactPoint between_balls(const Vec3& a, double radius_a, const Vec3& b, double radius_b) noexcept {
    const Vec3 line = a - b;
    const double distance = norm(line), gap = distance - radius_a - radius_b;
    const Vec3 normal = distance > 0 ? (1 / distance) * line : Vec3{0, 0, 1};
    return {gap, normal, b + (radius_b + 0.5 * gap) * normal};
  }
  template <bool closed, class Act>
  void visit(std::size_t a, std::size_t b, Act& act) noexcept {
    const Shape &first = shapes_[a], &second = shapes_[b];
    Touch touch{first.marker,
                second.marker,
                {},
                inverse_masses_[first.marker] + inverse_masses_[second.marker],
                first.size < second.size ? first.size : second.size,
                first.half_width < second.half_width ? first.half_width : second.half_width};
    if (first.is_ball && second.is_ball) {
      const Vec3 line = centres_[a] - centres_[b];
      const double radii = first.in_body.radius + second.in_body.radius;
      if (closed && !(dot(line, line) < radii * radii)) return;
      touch.point = between_balls(centres_[a], first.in_body.radius, centres_[b], second.in_body.radius);
      if (!closed || touch.point.gap < 0) act(touch);
      return;
    }
    if (closed && is_apart(a, b)) return;
    const std::span<ContactPoint> points = std::span(found_).first(ShapePair::points_of(placed_[a], placed_[b]));
    ShapePair::locate(placed_[a], placed_[b], points);
    for (const ContactPoint& point : points) {
      if (closed && !(point.gap < 0)) continue;
      touch.point = point;
      act(touch);
    }
  }
  /// Whether two shapes are farther apart than the balls about them, or a ball about one and a half space.
  bool is_apart(std::size_t a, std::size_t b) const noexcept;

  ShapeStore store_;  ///< of meshes and grids of the shapes
  std::vector<Shape> shapes_;
  std::vector<double> inverse_masses_;  ///< per marker; zero for ground
  std::vector<PlacedShape> placed_;     ///< in ground
  std::vector<Vec3> centres_;
  NearPairs touching_, ahead_;
  std::vector<ContactPoint> found_;
};

}  // namespace polyform::contact
