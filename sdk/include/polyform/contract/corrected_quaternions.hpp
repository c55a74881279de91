// Corrections of nothing but lengths of quaternions: an interface that a solver offers to the host, and the host to an
// integrator, by name (FirstOrderSystem::query).
//
// The rate of a quaternion is linear in it, and no other rate depends on its length. So the rates after such a
// correction follow from those before it: a method that knows the rate at the end of a step before its correction needs
// no evaluation for the rate at the start of the next step.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace polyform {

class CorrectedQuaternions {
 public:
  static constexpr std::string_view interface_name = "polyform.corrected_quaternions.1";

  /// Where in y the quaternions begin, of four numbers each; always the same. FirstOrderSystem::correct multiplies the
  /// four numbers of each by one factor, unless all are zero, and changes no other number. The derivative there is the
  /// one before, with the rates of each quaternion multiplied by its factor.
  virtual std::span<const std::uint32_t> places() const noexcept = 0;

 protected:
  ~CorrectedQuaternions() = default;
};

}  // namespace polyform
