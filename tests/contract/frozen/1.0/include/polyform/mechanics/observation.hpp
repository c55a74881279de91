// Observables that are the same in every formulation once the bodies' motions are known.
#pragma once

#include <span>

#include "polyform/mechanics/flexible_set.hpp"
#include "polyform/contract/formulation.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform {

/// Kinetic energy of a system without flexible bodies, J.
double kinetic_energy(const SystemView&, std::span<const BodyMotion>) noexcept;
/// Kinetic energy of a system, J. flexible: evaluated at these motions; etadot: of all modes.
double kinetic_energy(const SystemView&, std::span<const BodyMotion>, const FlexibleSet& flexible,
                      const double* etadot) noexcept;
/// −Σ m g·r of all mass centres, J. eta: of all modes; not read where no body is flexible.
double gravity_potential(const SystemView&, std::span<const BodyMotion>, const double* eta = nullptr) noexcept;

/// The motion of a body as observed, and the acceleration of its frame.
inline BodyMotion motion_of(const Observation::Body& b) {
  return {rotation_matrix(b.pose.orientation), b.pose.position, {b.angular_velocity, b.velocity}};
}
inline Spatial acceleration_of(const Observation::Body& b) { return {b.angular_acceleration, b.acceleration}; }
/// Fills the motions of all bodies from an observation. motions: room for one per body at least.
void observed_motions(const Observation&, std::span<BodyMotion> motions) noexcept;
/// Fills the motions of all frames, bodies and then nodes. nodes: those of the system, which are evaluated here.
void observed_motions(const Observation&, NodeMotions& nodes, std::span<BodyMotion> frames) noexcept;
/// Accelerations of all frames, with the nodes and motions that observed_motions() left.
void observed_accelerations(const Observation&, const NodeMotions& nodes, std::span<const BodyMotion> frames,
                            std::span<Spatial> accelerations) noexcept;

/// Reports every feature of the system that the declared abilities do not cover, by the name of the first body, joint
/// or element that needs it. True when all are covered.
bool check_abilities(const SystemView&, std::string_view formulation, std::uint32_t abilities,
                     DiagnosticSink&) noexcept;

}  // namespace polyform
