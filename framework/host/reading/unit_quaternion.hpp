// Quaternions that people and programs write into files.
#pragma once

namespace polyform::host::inline reading {

/// By how much the length of a unit quaternion may differ from 1: seven digits of a file. The length is made 1.
inline constexpr double unit_quaternion = 1e-6;

}  // namespace polyform::host::inline reading
