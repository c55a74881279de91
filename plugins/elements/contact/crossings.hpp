// Places where edges, axes and rims of two bodies are nearest to each other: edge across edge.
#pragma once

#include <array>
#include <optional>

#include "placed_shape.hpp"

namespace polyform::contact {

// Part of the size of a body: a point that lies outside a face by less is over it. Boxes of equal edges lie upon each
// other so.
inline constexpr double beside = 1e-9;
// Times that: a corner that a law wants carried, and that lies on a face, does so until it is so far beyond its edge.
// The edges that meet in the corner cross that of the face before, and take over.
inline constexpr double over_face = 2;
// Likewise of a crossing, from where it begins on: at other edges that meet in a corner they begin so far beyond it.
inline constexpr double over_end = 5;
// Sine of an angle by which two edges may point into each other's faces: what lies flat is tilted by less.
inline constexpr double into_face = 0.05;

/// A straight edge between two faces. The axis of a capsule or cylinder is one without faces.
struct Edge {
  Vec3 center, direction;  ///< direction: unit
  double half_length = 0;
  std::array<Vec3, 2> faces{};  ///< outward, of the two that meet there; of an axis zero
};

/// The circle around an end of a cylinder.
struct Rim {
  Vec3 center, axis;  ///< axis: unit, out of the cylinder
  double radius = 0;
};

/// Where two lines are nearest to each other, or farthest in each other.
struct Crossing {
  double apart = 0;  ///< of the two lines along the normal, m
  Vec3 normal;       ///< unit, from the second to the first one's body
  Vec3 on_first, on_second;
  bool leaves = false;  ///< whether the first line leaves the second body there, seen along itself; else it enters it
  double place = 0;     ///< how far the lines reach on beyond it, m; below zero one of them has ended before
  double hold = 0;      ///< how far beyond what touches before goes on to touch, m
  double turn = 1;      ///< the sine of the angle between two straight lines (ContactPoint::turn)
  double aside = 0;     ///< how far apart the nearest places of the lines, up to their ends, are across the normal, m
};

/// Two edges; nothing where they are parallel, end before they meet, or the normal across them lies outside the angle
/// between the faces of one of them. around: how far before its end an edge ends, m. beyond: how far it goes on after
/// that.
std::optional<Crossing> edge_at_edge(const Edge& first, const Edge& second, double around, double beyond = 0) noexcept;
/// An edge or axis and a rim; the edge is the first. It may cross the rim twice: where it enters, and where it leaves.
std::array<std::optional<Crossing>, 2> edge_at_rim(const Edge& first, const Rim& second, double around,
                                                   double beyond = 0) noexcept;
/// Two rims, whose circles cross twice at most.
std::array<std::optional<Crossing>, 2> rim_at_rim(const Rim& first, const Rim& second) noexcept;

/// Keeps the crossing, of lines with radii of this sum, in a point if it is nearer to contact than what is there. One
/// that is beyond the end of a line is kept where there is no other, or none that is less beyond. feature: of the
/// second body. Whether it is kept.
bool keep_nearer(const Crossing&, double radii, double second_radius, ContactPoint& point,
                 std::uint32_t feature = 0) noexcept;

}  // namespace polyform::contact
