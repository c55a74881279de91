// What integrals have to do with: an interface that the host offers to an integrator by name (FirstOrderSystem::query).
//
// An integral that is zero at the start says nothing of how exactly it has to be known. The work of what acts enters an
// energy balance beside the kinetic energy, and has to be known as exactly as the balance can be.
#pragma once

#include <span>
#include <string_view>

namespace polyform {

class IntegralSizes {
 public:
  static constexpr std::string_view interface_name = "polyform.integral_sizes.1";

  /// Fills in how large each integral counts at least, in its unit, in all steps after a start at y, at the time t, s;
  /// one number per FirstOrderSystem::integrals(), none below 0. An integrator asks in Integrator::start, and takes the
  /// larger one of this and the largest value of the integral so far.
  virtual void least_sizes(double t, std::span<const double> y, std::span<double> sizes) noexcept = 0;

 protected:
  ~IntegralSizes() = default;
};

}  // namespace polyform
