// A joint at random states: what its checks share.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "framework/conformance/joint_checks.hpp"
#include "framework/conformance/larger.hpp"

namespace polyform::host {

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
  for (const std::size_t beside : {0, 2}) std::memcpy(static_cast<void*>(&all[beside]), pattern.data(), pattern.size());
  joint_motion(joint, q.data(), v.data(), all[1]);
  for (const std::size_t beside : {0, 2})
    if (std::memcmp(&all[beside], pattern.data(), pattern.size()) != 0)
      throw Failure(Exit::simulation_failed, "evaluate() writes beside the JointMotion of its instance");
  return all[1];
}
inline Numbers flowed(const JointData& joint, Numbers q, const Numbers& v, double time) {
  flow(joint, q, v, Numbers(joint.nv), time);
  return q;
}
inline std::string at(const Numbers& q, const Numbers& v) {
  return fmt::format("at q = [{:.6g}], v = [{:.6g}]", fmt::join(q, ", "), fmt::join(v, ", "));
}

/// Coordinates carried by several turns, or as many metres, along one velocity coordinate, to either side.
inline Numbers carried_far(const JointData& joint, const Numbers& q, Random& random) {
  Numbers along(joint.nv);
  if (joint.nv == 0) return q;
  const double far = random.uniform(6, 20);
  along[static_cast<std::size_t>(random.integer(0, static_cast<int>(joint.nv) - 1))] = random.coin() ? far : -far;
  Numbers there = flowed(joint, q, along, 1);
  joint_normalize(joint, there.data());
  return there;
}

/// Calls body(joint, q, v, random) for several instances at several states, some of them after several turns.
template <class Body>
void at_states(const std::vector<Sample>& samples, Measure& m, Body body) {
  Random random(3);
  for (const Sample& sample : samples) {
    m.in_model(sample.text);
    const JointData& joint = tested_joint(sample.view());
    for (int i = 0; i < 5; ++i) {
      const Numbers near = random_coordinates(joint, random);
      const Numbers q = i < 3 ? near : carried_far(joint, near, random);
      body(joint, q, random.numbers(joint.nv, 2), random);
    }
  }
}

}  // namespace polyform::host
