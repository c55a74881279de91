// The particles by which a solver replaces the bodies, to look at. A solver that has such a model offers it by
// Solver::query.
#pragma once

#include <cstddef>
#include <string_view>

#include "polyform/contract/formulation.hpp"
#include "polyform/contract/spatial.hpp"

namespace polyform {

/// Bodies and the particles of each are counted from 0.
class ParticleModel {
 public:
  static constexpr std::string_view interface_name = "polyform.particle_model.1";

  virtual std::size_t bodies() const noexcept = 0;
  /// The name lives as long as the system.
  virtual std::string_view name(std::size_t body) const noexcept = 0;
  virtual std::size_t particles(std::size_t body) const noexcept = 0;
  /// The mass of a particle, kg; it may be negative.
  virtual double mass(std::size_t body, std::size_t particle) const noexcept = 0;
  /// The place of a particle from the frame origin, body axes, m.
  virtual Vec3 place(std::size_t body, std::size_t particle) const noexcept = 0;
  /// If the particle lies half-way between two others: the one of these that `which` (0 or 1) says; else the particle
  /// itself.
  virtual std::size_t end(std::size_t body, std::size_t particle, std::size_t which) const noexcept = 0;
  /// The particle's number among those of the system; bodies that share a particle give the same number. `none` if the
  /// particle follows others of its body.
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  virtual std::size_t shared(std::size_t body, std::size_t particle) const noexcept = 0;
  /// λ (1/m), μ and τ of the primary particle 3, which the others carry along: r_3 = r_1 + λ r̃21 r41 + μ r41 + τ r21.
  virtual Vec3 invariants(std::size_t body) const noexcept = 0;

 protected:
  ~ParticleModel() = default;
};

}  // namespace polyform
