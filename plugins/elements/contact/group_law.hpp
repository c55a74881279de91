// The force at a point of contact as a function of the present motion.
#pragma once

#include <algorithm>
#include <cmath>

#include "contact_law.hpp"
#include "group_shapes.hpp"
#include "overlap_limit.hpp"
#include "polyform/contract/events.hpp"
#include "polyform/contract/force.hpp"

namespace polyform::contact {

struct GroupPush {
  double normal = 0;  ///< N
  Vec3 force;         ///< on the first body, N
  Vec3 moment;        ///< on the first body about the point, N m
  double energy = 0;  ///< of the spring, J
  double power = 0;   ///< of damping and friction, W; not positive
};

/// Hunt and Crossley with the v₀ that follows from the present, Brown and McPhee along the surface.
struct GroupLaw {
  double stiffness = 0, exponent = 0, damping_number = 0, rolling = 0;
  Friction friction;

  /// k δⁿ, N.
  double spring(double depth) const noexcept {
    constexpr double hertz = 1.5;
    if (exponent == hertz) return stiffness * depth * std::sqrt(depth);
    return exponent == 1 ? stiffness * depth : stiffness * std::pow(depth, exponent);
  }
  GroupPush push(const GroupShapes::Touch& touch, const MarkerMotion& first,
                 const MarkerMotion& second) const noexcept {
    const ContactPoint& at = touch.point;
    const Vec3 velocity = velocity_at(first, at.position) - velocity_at(second, at.position);
    const double depth = -at.gap, elastic = at.share * spring(depth);
    // Of next to all points the velocity here tells the rate.
    const double rate = at.others == 0 ? -dot(at.normal, velocity) : -gap_rate(at, first, second);
    GroupPush push;
    push.energy = elastic * depth / (exponent + 1);
    const double speed = std::sqrt(rate * rate + 2 * push.energy * touch.inverse_mass);
    const double whole = std::max(0.0, elastic * (1 + (speed > 0 ? damping_number * rate / speed : 0)));
    const double pressed = at.pressing() * whole;
    push.normal = (at.own + at.others) * whole;
    push.force = push.normal * at.normal;
    if (at.others != 0) push.moment = at.wrench(whole, {}, at.position).angular;
    push.power = (elastic - whole) * rate;
    if (friction.acts()) {
      const Vec3 sliding = velocity - dot(velocity, at.normal) * at.normal;
      const double per_speed = pressed * friction.per_speed(norm(sliding));
      push.force -= per_speed * sliding;
      push.power -= per_speed * dot(sliding, sliding);
    }
    if (rolling > 0) {
      const Vec3 turning = first.angular_velocity - second.angular_velocity;
      const Vec3 moment = against_rolling(friction, rolling, touch.size, pressed, at.normal, turning);
      push.moment += moment;
      push.power += dot(moment, turning);
    }
    return push;
  }
  /// The time until what approaches has met and gone in by the depth over the speed of a free impact; of what is in
  /// contact, the latter while it moves. An impact takes three times as long or more.
  double longest_step(const GroupShapes::Touch& touch, const MarkerMotion& first,
                      const MarkerMotion& second) const noexcept {
    const ContactPoint& at = touch.point;
    const double rate = -gap_rate(at, first, second);
    const double depth = std::max(0.0, -at.gap);
    const double twice = 2 * spring(depth) * depth / (exponent + 1) * touch.inverse_mass;
    const double speed = std::sqrt(rate * rate + twice);
    if (at.gap < 0 ? !(std::abs(rate) > moving * speed) : !(rate > 0)) return never;
    const double sink =
        std::pow(speed * speed * (exponent + 1) / (2 * stiffness * touch.inverse_mass), 1 / (exponent + 1));
    return (std::max(0.0, at.gap) + OverlapLimit::longest_way(touch.half_width, sink)) / speed;
  }
  static double gap_rate(const ContactPoint& at, const MarkerMotion& first, const MarkerMotion& second) noexcept {
    return at.rate([&](const Vec3& place) { return velocity_at(first, place) - velocity_at(second, place); });
  }
  static Vec3 velocity_at(const MarkerMotion& body, const Vec3& point) noexcept {
    return body.velocity + cross(body.angular_velocity, point - body.position);
  }
};

}  // namespace polyform::contact
