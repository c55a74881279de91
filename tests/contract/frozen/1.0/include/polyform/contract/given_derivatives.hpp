// Derivatives of a force's outputs by its inputs: an interface that a ForceBatch offers by name (query).
//
// Newton's matrices of implicit integrators are made of them. If a batch offers none, the host takes differences in the
// few inputs of each instance, which costs an evaluation of the batch for each input.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "polyform/contract/force.hpp"

namespace polyform {

/// The matrix of an instance has a row for each output and a column for each input, rows first.
///
/// Inputs: marker after marker twelve, ground axes: a small rotation of its frame (R → (1 + φ̃) R), a displacement of
/// its position, a change of its angular velocity, one of its velocity. Then a step in each velocity coordinate of the
/// joints (q → q + N step, as q̇ = N v); then the velocities of the joints; then the states of the instance.
/// Outputs: marker after marker moment and force; the efforts; the rates of the states.
/// Each derivative holds all other inputs fixed: a velocity does not change with a rotation.
struct DerivativeShape {
  static constexpr std::size_t of_marker = 12, wrench = 6;
  std::size_t markers = 0, velocities = 0, states = 0;

  constexpr std::size_t inputs() const { return of_marker * markers + 2 * velocities + states; }
  constexpr std::size_t outputs() const { return wrench * markers + velocities + states; }
  /// The first column of a kind.
  constexpr std::size_t rotation(std::size_t marker) const { return of_marker * marker; }
  constexpr std::size_t displacement(std::size_t marker) const { return of_marker * marker + 3; }
  constexpr std::size_t angular_velocity(std::size_t marker) const { return of_marker * marker + 6; }
  constexpr std::size_t velocity(std::size_t marker) const { return of_marker * marker + 9; }
  constexpr std::size_t coordinate(std::size_t k) const { return of_marker * markers + k; }
  constexpr std::size_t rate(std::size_t k) const { return of_marker * markers + velocities + k; }
  constexpr std::size_t state(std::size_t k) const { return of_marker * markers + 2 * velocities + k; }
  /// The first row of a kind.
  constexpr std::size_t moment(std::size_t marker) const { return wrench * marker; }
  constexpr std::size_t force(std::size_t marker) const { return wrench * marker + 3; }
  constexpr std::size_t effort(std::size_t k) const { return wrench * markers + k; }
  constexpr std::size_t state_rate(std::size_t k) const { return wrench * markers + velocities + k; }
};

class GivenDerivatives {
 public:
  static constexpr std::string_view interface_name = "polyform.given_derivatives.1";

  /// The matrices of all instances, one after the other; zero on entry. false: they are not known at this state, and
  /// the host takes differences. Like evaluate() it never allocates and depends only on its input.
  virtual bool differentiate(const ForceInput& in, std::span<double> matrices) noexcept = 0;

 protected:
  ~GivenDerivatives() = default;
};

}  // namespace polyform
