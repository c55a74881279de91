// What types of flexible bodies may tell the host besides their equations: whether they depend on spin, and how far
// their linear modes carry.
#pragma once

#include "polyform/contract/flexible_body.hpp"

namespace polyform {

/// Of a FlexibleBodyType whose stiffness may follow the tension of a spinning body: its query(interface_name).
class SpinStiffening {
 public:
  static constexpr std::string_view interface_name = "polyform.spin_stiffening.1";
  /// A field of the type, boolean, without a default: whether a body is stiffened by its tension. Where the model does
  /// not give it, the host sets it to whether the body can spin.
  virtual std::size_t field() const noexcept = 0;

 protected:
  ~SpinStiffening() = default;
};

/// Of a FlexibleBatch, by instance: FlexibleBatch::query(interface_name).
class ModeValidity {
 public:
  static constexpr std::string_view interface_name = "polyform.mode_validity.1";
  /// The largest turn of a section (rad) or strain (m/m) in this deformation: modes are right to first order in it.
  virtual double deformation(std::size_t instance, std::span<const double> eta) const noexcept = 0;
  /// The square of the spin that draws the body out, over that of its lowest frequency: about the part by which its
  /// lowest stiffness is too small; zero where the tension is in the equations. angular_velocity: body axes.
  virtual double neglected_stiffening(std::size_t instance, const Vec3& angular_velocity) const noexcept = 0;
  /// A force that a joint puts on the body (body axes, N), along its axis, over about the one that buckles it: the part
  /// by which its lowest stiffness is wrong. Zero where the tension is in the equations.
  virtual double neglected_load(std::size_t instance, const Vec3& force) const noexcept = 0;

 protected:
  ~ModeValidity() = default;
};

}  // namespace polyform
