// Euler angles of a body: three single-axis rotations, each about an axis of the frame that the earlier ones lead to.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "polyform/contract/spatial.hpp"

namespace polyform {

/// R = Rot(a1, β1) Rot(a2, β2) Rot(a3, β3) with axes x, y or z: from the axes after the rotations to those before.
/// zyx is yaw, pitch and roll of an aircraft. In the paper of Thompson (section II), whose R is the other way round,
/// it reads R_x(φ) R_y(θ) R_z(ψ).
class BodyAngles {
 public:
  static constexpr std::string_view usual = "zyx";
  /// Three letters x, y, z, neighbours different; nothing for any other text.
  static std::optional<BodyAngles> read(std::string_view text) {
    BodyAngles angles;
    if (text.size() != 3) return {};
    for (std::size_t k = 0; k < 3; ++k) {
      if (text[k] < 'x' || text[k] > 'z' || (k > 0 && text[k] == text[k - 1])) return {};
      angles.axes_[k] = static_cast<std::size_t>(text[k] - 'x');
    }
    return angles;
  }

  std::size_t axis(std::size_t k) const { return axes_[k]; }
  /// The unit vector of rotation k in the frame that the earlier ones lead to.
  Vec3 unit(std::size_t k) const {
    Vec3 a{};
    a[axes_[k]] = 1;
    return a;
  }
  Mat3 rotation(const Vec3& beta) const {
    Mat3 R = Mat3::identity();
    for (std::size_t k = 0; k < 3; ++k) R = R * axis_rotation(unit(k), std::cos(beta[k]), std::sin(beta[k]));
    return R;
  }
  /// Columns of B in the axes before the rotations: ω = Σ column k × β̇_k.
  std::array<Vec3, 3> columns(const Vec3& beta) const {
    const Mat3 R1 = axis_rotation(unit(0), std::cos(beta.x), std::sin(beta.x));
    const Mat3 R2 = R1 * axis_rotation(unit(1), std::cos(beta.y), std::sin(beta.y));
    return {unit(0), R1 * unit(1), R2 * unit(2)};
  }
  /// |det B|: 1 in the best position, 0 at gimbal lock, where the first and the third angle cannot be told apart.
  double clearance(const Vec3& beta) const {
    const auto B = columns(beta);
    return std::abs(dot(cross(B[0], B[1]), B[2]));
  }
  /// The angles of an orientation: the second in [−π/2, π/2], or in [0, π] if the first and the third axis are the
  /// same. At gimbal lock the third angle is zero.
  Vec3 of(const Mat3& R) const {
    const std::size_t i = axes_[0], j = axes_[1],
                      k = 3 - i - j;                    // k: the axis that is neither the first nor the second
    const double sign = (j + 3 - i) % 3 == 1 ? 1 : -1;  // of i × j along k
    Vec3 beta{};
    if (axes_[2] != i) {
      const double c = std::hypot(R(i, i), R(i, j));
      beta.y = std::atan2(sign * R(i, k), c);
      if (c > lock) {
        beta.x = std::atan2(-sign * R(j, k), R(k, k));
        beta.z = std::atan2(-sign * R(i, j), R(i, i));
      } else {
        beta.x = std::atan2(sign * R(k, j), R(j, j));
      }
    } else {
      const double s = std::hypot(R(i, j), R(i, k));
      beta.y = std::atan2(s, R(i, i));
      if (s > lock) {
        beta.x = std::atan2(R(j, i), -sign * R(k, i));
        beta.z = std::atan2(R(i, j), sign * R(i, k));
      } else {
        beta.x = std::atan2(sign * R(k, j), R(j, j));
      }
    }
    return beta;
  }

 private:
  /// The cosine (or sine) of the second angle at gimbal lock is this much rounding.
  static constexpr double lock = 1e-14;
  std::array<std::size_t, 3> axes_{2, 1, 0};
};

}  // namespace polyform
