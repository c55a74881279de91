// Observables that are the same in every formulation once the bodies' motions are known.
#pragma once

#include <span>

#include "polyform/formulation.hpp"
#include "polyform/kinematics.hpp"

namespace polyform {

/// Kinetic energy of the rigid bodies, J.
double kinetic_energy(const SystemView&, std::span<const BodyMotion>) noexcept;
/// −Σ m g·r of the rigid bodies' mass centres, J.
double gravity_potential(const SystemView&, std::span<const BodyMotion>) noexcept;

/// Reports every feature of the system that the declared abilities do not cover, by the name of the first body, joint
/// or element that needs it. True when all are covered.
bool check_abilities(const SystemView&, std::string_view formulation, std::uint32_t abilities, DiagnosticSink&) noexcept;

}  // namespace polyform
