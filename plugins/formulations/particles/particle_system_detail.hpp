// Shared by the parts of ParticleSystem.
#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "particle_system.hpp"

namespace polyform::particles {
namespace detail {

inline Vec3 load(const double* x) { return {x[0], x[1], x[2]}; }
inline void add(const Vec3& v, double* x) {
  x[0] += v.x;
  x[1] += v.y;
  x[2] += v.z;
}

}  // namespace detail

template <class... T>
bool ParticleSystem::fail(const char* format, const T&... values) noexcept {
  failure_size_ =
      std::min(fmt::format_to_n(failure_, sizeof failure_, fmt::runtime(format), values...).size, sizeof failure_);
  return false;
}

}  // namespace polyform::particles
