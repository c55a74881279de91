// Corrections of quaternions' lengths (corrected_quaternions.hpp) that a method makes itself, of many worlds at once:
// an interface that the host offers to an integrator by name (FirstOrderSystem::query), beside CorrectedQuaternions.
#pragma once

#include <string_view>

namespace polyform {

class NotedCorrections {
 public:
  static constexpr std::string_view interface_name = "polyform.noted_corrections.1";

  /// In place of FirstOrderSystem::correct at the end of a step that is accepted: the caller has brought all
  /// quaternions to the length 1, and none of them was zero. residual: the largest | length − 1 | before.
  virtual void note(double residual) noexcept = 0;

 protected:
  ~NotedCorrections() = default;
};

}  // namespace polyform
