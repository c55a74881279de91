// Rheonomic joints: joints whose motion depends on time as well as on their coordinates, such as a hinge whose axis is
// turned by a clock, or a telescope with a given extension that swings.
//
//   pose         R_FM(q, t), p_FM(q, t)
//   twist        V_FM = H(q, t) v + s(q, t)    s, the drift: what the passing of time does to the pose while v = 0
//   its rate     A_FM = H v̇ + bias             bias: all that remains while v̇ = 0, with the rates of H and s in time
//   coordinates  q̇ = N(q) v
//
// There are two ways to write one.
//
// 1. Some coordinates of an ordinary joint follow functions of time. JointType::define() asks its JointDefinition for
//    GivenCoordinates and gives them: the host does the rest, by the chain rule.
//
// 2. A kernel that depends on time itself gives RheonomicKernel from JointKernel::query(). The last position coordinate
//    of such a joint is the time, s: the descriptor of the type names it, and has no velocity for it. In all functions
//    of JointKernel the last number of q is the time. JointMotion::twist and bias contain the drift and its rate,
//    position_rates() gives 1 for the time, and coordinates() leaves it as it is.
//
// The drive does work: the wrench w that the joint transmits has the power w · s. Solvers add it to Observation::power.
#pragma once

#include <limits>
#include <span>
#include <string_view>

#include "polyform/contract/joint.hpp"
#include "polyform/contract/time_function.hpp"

namespace polyform {

/// What JointKernel::query gives under this name: the kernel depends on time. The functions are asked once per joint,
/// before the run.
class RheonomicKernel {
 public:
  static constexpr std::string_view interface_name = "polyform.rheonomic_kernel.1";
  /// Functions of time in the motion of an instance, if any: the host looks up their knots and periods.
  virtual std::span<const TimeFunction> functions(std::span<const double> parameters) const noexcept {
    (void)parameters;
    return {};
  }
  /// The first time after t at which the motion, or its first or second derivative in time, jumps for another reason;
  /// infinity when there is none, s. Integrators stop and begin anew there.
  virtual double next_knot(std::span<const double> parameters, double t) const noexcept {
    (void)parameters, (void)t;
    return std::numeric_limits<double>::infinity();
  }
  /// The shortest time in which the motion does something by the clock, such as a period, s; infinity if there is none.
  /// The host knows that of functions().
  virtual double shortest_time(std::span<const double> parameters) const noexcept {
    (void)parameters;
    return std::numeric_limits<double>::infinity();
  }
  /// A further ability by name, or nullptr: a new ability is a new interface, never a new virtual function here.
  virtual const void* query(std::string_view asked) const noexcept {
    (void)asked;
    return nullptr;
  }

 protected:
  ~RheonomicKernel() = default;
};

/// What JointDefinition::query gives under this name: coordinates of a joint that are functions of time.
class GivenCoordinates {
 public:
  static constexpr std::string_view interface_name = "polyform.given_coordinates.1";
  /// The velocity coordinate of this index, and its position coordinate, follow the function: the position is its
  /// value, rad or m. Indices count all coordinates of the joint, those of its primitives or of its kernel. A ball's
  /// cannot be given; those of a kernel must come last and have velocities that are the rates of their positions.
  virtual void give(std::size_t velocity, const TimeFunction& position) noexcept = 0;
  /// A further ability by name, or nullptr: a new ability is a new interface, never a new virtual function here.
  virtual void* query(std::string_view asked) noexcept {
    (void)asked;
    return nullptr;
  }

 protected:
  ~GivenCoordinates() = default;
};

}  // namespace polyform
