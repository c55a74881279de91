// A joint at random states: what its checks share.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "framework/workbench/conformance/canaries.hpp"
#include "framework/workbench/conformance/joint_checks.hpp"
#include "framework/workbench/conformance/larger.hpp"
#include "framework/workbench/conformance/model_state.hpp"
#include "polyform/mechanics/rheonomic_joints.hpp"

namespace polyform::host::inline conformance {

using Numbers = std::vector<double>;

inline double norm6(const Spatial& s) { return norm(s.angular) + norm(s.linear); }
inline double distance(const Mat3& a, const Mat3& b) {
  double worst = 0;
  for (std::size_t i = 0; i < 9; ++i) worst = larger(worst, std::abs(a.m[i] - b.m[i]));
  return worst;
}

inline JointMotion motion(const JointData& joint, const Numbers& q, const Numbers& v) {
  // Between two others that the call must leave alone.
  std::array<JointMotion, 3> all;
  std::array<char, sizeof(JointMotion)> pattern{};
  pattern.fill(0x5A);
  for (const std::size_t beside : {0u, 2u})
    std::memcpy(static_cast<void*>(&all[beside]), pattern.data(), pattern.size());
  if (joint.kernel != nullptr)  // the guards of runs would end this program
    joint.kernel->evaluate({.count = 1, .parameters = {&joint.parameters, 1}, .q = q, .v = v}, {&all[1], 1});
  else
    joint_motion(joint, q.data(), v.data(), all[1]);
  for (const std::size_t beside : {0u, 2u})
    if (std::memcmp(&all[beside], pattern.data(), pattern.size()) != 0)
      throw Failure(Exit::simulation_failed, "evaluate() writes beside the JointMotion of its instance",
                    keep_to_what_is_given);
  return all[1];
}
/// The other functions of the joint, none of which may write beyond the coordinates that it is given.
inline Numbers position_rates(const JointData& joint, const Numbers& q, const Numbers& v) {
  Canaries given;
  const std::span<double> rates = given.numbers("qdot", joint.nq);
  if (joint.kernel != nullptr)
    joint.kernel->position_rates({.count = 1, .parameters = {&joint.parameters, 1}, .q = q, .v = v}, rates);
  else
    joint_position_rates(joint, q.data(), v.data(), rates.data());
  given.check("position_rates()");
  return {rates.begin(), rates.end()};
}
inline Numbers coordinates(const JointData& joint, const Mat3& R_FM, const Vec3& p_FM, const Numbers& hint) {
  Canaries given;
  const std::span<double> q = given.numbers("q", hint);
  if (joint.kernel != nullptr)
    joint.kernel->coordinates(joint.parameters, R_FM, p_FM, q);
  else
    joint_coordinates(joint, R_FM, p_FM, q.data());
  given.check("coordinates()");
  return {q.begin(), q.end()};
}
inline Numbers neutral(const JointData& joint) {
  Canaries given;
  const std::span<double> q = given.numbers("q", joint.nq);
  if (joint.kernel != nullptr)
    joint.kernel->neutral(q);
  else
    joint_neutral(joint, q.data());
  given.check("neutral()");
  return {q.begin(), q.end()};
}
/// Along q̇ = N(q) v for so long; where the joint depends on time, that passes too.
inline Numbers flowed(const JointData& joint, Numbers q, const Numbers& v, double time) {
  flow(joint, q, v, Numbers(joint.nv), time);
  return q;
}
/// Other coordinates at the same time.
inline Numbers displaced(const JointData& joint, const Numbers& q, const Numbers& by) {
  Numbers there = flowed(joint, q, by, 1);
  if (own_positions(joint) < joint.nq) there.back() = q.back();
  return there;
}
inline std::string at(const Numbers& q, const Numbers& v) {
  return fmt::format("at q = [{:.6g}], v = [{:.6g}]", fmt::join(q, ", "), fmt::join(v, ", "));
}

/// Coordinates carried by several turns, or as many metres, along one velocity coordinate, to either side; those given
/// where the type tells bounds.
inline Numbers carried_far(const JointData& joint, const JointSizes& sizes, const Numbers& q, Random& random) {
  Numbers along(joint.nv);
  if (joint.nv == 0) return q;
  const double far = random.uniform(6, 20);
  const auto k = static_cast<std::size_t>(random.integer(0, static_cast<int>(joint.nv) - 1));
  along[k] = random.coin() ? far : -far;
  if (sizes.bounded()) return q;
  if (own_positions(joint) == joint.nv && sizes.q[k].typical > 0) along[k] *= sizes.q[k].typical;
  Numbers there = flowed(joint, q, along, 1);
  joint_normalize(joint, there.data());
  return there;
}

/// Calls body(joint, q, v, random) for several instances at several states, some of them after several turns; or
/// body(joint, q, v, random, sizes).
template <class Body>
void at_states(const std::vector<Sample>& samples, Measure& m, Body body) {
  Random random(3);
  for (const Sample& sample : samples) {
    const JointData& joint = tested_joint(sample.view());
    const JointSizes sizes = sizes_of(*sample.system, joint);
    m.in_model(sample.text);
    for (int i = 0; i < 5; ++i) {
      const Numbers near = random_coordinates(joint, sizes, random);
      const Numbers q = i < 3 ? near : carried_far(joint, sizes, near, random);
      const Numbers v = random_velocities(joint, sizes, 2, random);
      m.in_model(with_state(sample.text, joint, q, v));
      if constexpr (std::is_invocable_v<Body, decltype(joint), decltype(q), decltype(v), Random&, decltype(sizes)>)
        body(joint, q, v, random, sizes);
      else
        body(joint, q, v, random);
    }
  }
}

}  // namespace polyform::host::conformance
