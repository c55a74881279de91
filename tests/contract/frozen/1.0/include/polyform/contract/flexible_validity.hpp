// What types of flexible bodies may tell the host in addition to their equations: whether they depend on spin, and how
// far their linear modes are valid.
#pragma once

#include "polyform/contract/flexible_body.hpp"

namespace polyform {

/// What query(interface_name) of a FlexibleBodyType gives if its stiffness may depend on the tension of a spinning
/// body.
class SpinStiffening {
 public:
  static constexpr std::string_view interface_name = "polyform.spin_stiffening.1";
  /// The index of a boolean field without a default: whether tension stiffens the body. If the model does not give it,
  /// the host sets it to true for bodies that can spin, and to false for others.
  virtual std::size_t field() const noexcept = 0;

 protected:
  ~SpinStiffening() = default;
};

/// What query(interface_name) of a FlexibleBatch gives: how far the modes of each instance are valid.
class ModeValidity {
 public:
  static constexpr std::string_view interface_name = "polyform.mode_validity.1";
  /// The largest turn of a section (rad) or strain (m/m) in this deformation; modes are exact to first order in it.
  virtual double deformation(std::size_t instance, std::span<const double> eta) const noexcept = 0;
  /// The square of the spin that stretches the body, divided by the square of its lowest frequency: about the part by
  /// which its lowest stiffness is too small. Zero if the equations contain the tension. angular_velocity: body axes.
  virtual double neglected_stiffening(std::size_t instance, const Vec3& angular_velocity) const noexcept = 0;
  /// The axial part of a force that a joint puts on the body (body axes, N), divided by about the force that buckles
  /// it: the part by which its lowest stiffness is wrong. Zero if the equations contain the tension.
  virtual double neglected_load(std::size_t instance, const Vec3& force) const noexcept = 0;

 protected:
  ~ModeValidity() = default;
};

}  // namespace polyform
