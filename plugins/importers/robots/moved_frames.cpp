#include "moved_frames.hpp"

#include <algorithm>
#include <cmath>

namespace polyform::importers {

namespace {

/// Programs write such frames with six digits.
constexpr double of_digits = 1e-6;

/// How far a rotation turns, rad, and about which axis.
std::pair<double, Vec3> turn_of(const Mat3& rotation) {
  const Quat q = quaternion_of(rotation);
  const Vec3 v{q.x, q.y, q.z};
  const double sine = norm(v);
  if (!(sine > 0)) return {0, {0, 0, 1}};
  return {2 * std::atan2(sine, q.w), (1 / sine) * v};
}

}  // namespace

bool MovedFrames::are_same(const Frame& drawn, const Frame& held) {
  double off = norm(held.origin - drawn.origin);
  for (std::size_t i = 0; i < 9; ++i) off = std::max(off, std::abs(held.axes.m[i] - drawn.axes.m[i]));
  return off <= of_digits;
}

std::string MovedFrames::add(const std::string& name, const std::string& type, const std::string& carrier,
                             const Frame& drawn, const Vec3& axis, double by, Place place) {
  const std::string body = bodies_.give(name), joint = joints_.give(name), motion = elements_.give(name);
  m_.bodies.push_back({.name = body, .frame = drawn, .mass = {}, .shapes = {}, .place = place, .is_aid = true});
  m_.joints.push_back({.name = joint,
                       .type = type,
                       .base = carrier,
                       .moving = body,
                       .position = drawn.origin,
                       .axis = axis,
                       .initial_position = {by}});
  m_.elements.push_back(
      {Section::constraints, motion, "prescribed-motion", {{"joint", written_name(joint)}, {"motion", written(by)}}});
  return body;
}

std::string MovedFrames::put(const std::string& name, const std::string& carrier, const Frame& drawn, const Frame& held,
                             Place place) {
  if (are_same(drawn, held)) return carrier;
  std::string last = carrier;
  const Vec3 way = held.origin - drawn.origin;
  if (const double length = norm(way); length > 0)
    last = add(name + "_shift", "prismatic", last, drawn, (1 / length) * way, length, place);
  if (const auto [angle, axis] = turn_of(held.axes * transpose(drawn.axes)); angle > 0)
    last = add(name + "_turn", "revolute", last, drawn, axis, angle, place);
  return last;
}

}  // namespace polyform::importers
