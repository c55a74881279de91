// What the files of a joint's kinematics share.
#pragma once

#include <algorithm>
#include <cstring>

#include "polyform/helpers/guarded.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform {

inline Quat read_quaternion(const double* q) {
  const Quat r{q[0], q[1], q[2], q[3]};
  return dot(r, r) > 0 ? r : Quat{};
}
inline void write_quaternion(const Quat& r, double* q) {
  q[0] = r.w;
  q[1] = r.x;
  q[2] = r.y;
  q[3] = r.z;
}

/// Lets a kernel write numbers of one joint between two guards.
template <class Call>
void guard_numbers(const JointData& joint, double* numbers, Call call) {
  constexpr std::size_t most = 32;
  const unsigned control = floating_point_control();
  const std::size_t n = joint.nq;
  double room[most + 2];
  const bool fits = n <= most;
  if (fits) {
    std::memcpy(&room[0], &guard_word, sizeof guard_word);
    std::memcpy(&room[n + 1], &guard_word, sizeof guard_word);
    std::copy_n(numbers, n, room + 1);
  }
  call(std::span(fits ? room + 1 : numbers, n));
  const bool memory = fits && (std::memcmp(&room[0], &guard_word, sizeof guard_word) != 0 ||
                               std::memcmp(&room[n + 1], &guard_word, sizeof guard_word) != 0);
  if (memory || floating_point_control() != control) [[unlikely]]
    throw ElementBreach(joint.kernel, "joint", memory);
  if (fits) std::copy_n(room + 1, n, numbers);
}

}  // namespace polyform
