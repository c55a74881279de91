#include "framework/host/assembly/drawn_rounding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "framework/host/assembly/parts.hpp"
#include "polyform/mechanics/scale.hpp"

namespace polyform::host::inline assembly {

namespace {

/// Share of the size of a body from which on the rounding of a position is reported. Accelerations lose about as much,
/// and their imbalance is reported from 1e-6 on.
constexpr double least_rounding = 1e-7;
/// A number that ends in so many binary zeros counts as exact (whole metres, halves, sixteenths). One in a thousand
/// rounded numbers ends so.
constexpr int digits_of_exact = 10;

/// The largest error of a number as it is written, m.
double rounding_of(double x) {
  int exponent = 0;
  const double fraction = std::frexp(std::abs(x), &exponent);
  const auto digits = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  if (digits == 0 || std::countr_zero(digits) >= digits_of_exact) return 0;
  return std::ldexp(0.5, exponent - 53);
}

double rounding_of(const Vec3& p) { return std::max({rounding_of(p.x), rounding_of(p.y), rounding_of(p.z)}); }

}  // namespace

void warn_of_drawn_rounding(const System::Parts& parts, Diagnostics& diagnostics) {
  const SystemScales scales(parts.view);
  double worst = least_rounding, off = 0, distance = 0;
  std::size_t joint_at_fault = System::Parts::none, body_at_fault = 0, others = 0;
  for (std::size_t j = 0; j < parts.joints.size(); ++j) {
    const JointData& joint = parts.joints[j];
    const Pose base = parts.drawn(joint.base), moving = parts.drawn(joint.moving);
    // The arm of a joint at a node of a flexible body is counted from the node.
    const bool on_node = joint.base_frame != frame_of(joint.base);
    const Vec3 place = on_node ? moving.position : base.position + rotation_matrix(base.orientation) * joint.p_base;
    const double rounding = std::max({rounding_of(place), rounding_of(base.position), rounding_of(moving.position)});
    if (!(rounding > 0) || parts.user_joint[j] == System::Parts::none) continue;
    bool told = false;
    for (const BodyIndex b : {joint.base, joint.moving}) {
      if (is_ground(b)) continue;
      const double reach = scales.reach(at(b)) > 0 ? scales.reach(at(b)) : scales.largest_reach();
      const double part = rounding / reach;
      if (!(part > least_rounding)) continue;
      told = true;
      if (!(part > worst)) continue;
      worst = part;
      off = rounding;
      distance = norm(place);
      joint_at_fault = j;
      body_at_fault = at(b);
    }
    others += told ? 1 : 0;
  }
  if (joint_at_fault == System::Parts::none) return;
  const JointItem& item = parts.description.joints[parts.user_joint[joint_at_fault]];
  parts.report(
      diagnostics, Severity::warning, item, {}, {},
      fmt::format("joint `{}` is drawn {:.1e} m from the ground origin{}, where a number holds a place to {:.1e} m: "
                  "that is {:.1e} of the size of body `{}`, and results have no more digits",
                  item.name, distance, others > 1 ? fmt::format(", and {} more as far", others - 1) : "", off, worst,
                  parts.bodies[body_at_fault].name),
      "draw the model nearer to the ground origin");
}

}  // namespace polyform::host::assembly
