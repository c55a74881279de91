// Flexible bodies: a floating frame (the body frame) and modal coordinates η.
//
// Displacement of a point: ρ = u + Φu(u) η; rotation of a section: the rotation vector Φθ(u) η; both in body axes
// (Zhang et al. 2023, Eq. for group II variables; formulations.md of the method: component mode synthesis).
#pragma once

#include "polyform/force.hpp"

namespace polyform {

/// One instance as read. The rigid part (mass, centre of mass, inertia) is the host's; it may be zero.
struct FlexibleInstance {
  std::span<const FieldValue> fields;
};

/// Modal mass, stiffness and the couplings of one instance at one state, all in body axes about the frame origin.
/// Generalized velocities w = [ω; v; η̇] (6 + modes), ω and v of the body frame. Equations of the flexible part:
/// mass · ẇ = force + (loads), where force holds the quadratic velocity terms, stiffness and modal damping.
/// Gravity is not included: it acts as an acceleration of the frame.
struct FlexibleOutput {
  std::span<double> mass;    ///< (6 + m)², rows first, symmetric
  std::span<double> force;   ///< 6 + m
  double strain_energy = 0;  ///< J
};

/// Motion of one instance. Body axes.
struct FlexibleInput {
  Vec3 angular_velocity, velocity;
  std::span<const double> eta, etadot;  ///< m each
};

/// Shape functions at one point of the undeformed body.
struct ModeShapes {
  std::span<double> displacement;  ///< Φu, 3 × m, rows first
  std::span<double> rotation;      ///< Φθ, 3 × m, rows first
};

/// All instances of one flexible type in one solver.
class FlexibleBatch {
 public:
  virtual void evaluate(std::span<const FlexibleInput>, std::span<FlexibleOutput>) noexcept = 0;
  virtual void destroy() noexcept = 0;

 protected:
  ~FlexibleBatch() = default;
};

class FlexibleBodyType {
 public:
  virtual std::string_view name() const noexcept = 0;
  virtual std::string_view meaning() const noexcept = 0;
  virtual std::span<const FieldSpec> fields() const noexcept = 0;
  virtual std::size_t modes(const FlexibleInstance&) const noexcept = 0;
  virtual bool define(const FlexibleInstance&, std::size_t instance, FieldSink&) const noexcept = 0;
  /// Shape functions at a point of the undeformed body (body axes, m). False when nothing can be attached there.
  virtual bool shapes_at(const FlexibleInstance&, const Vec3& point, ModeShapes&) const noexcept = 0;
  /// Initial η and η̇.
  virtual void initial_state(const FlexibleInstance&, std::span<double> eta, std::span<double> etadot) const noexcept = 0;
  /// Total mass and first moment of the undeformed flexible part, for the gravity potential: mass and ∫ρ dm.
  virtual void mass_moment(const FlexibleInstance&, std::span<const double> eta, double& mass, Vec3& moment) const noexcept = 0;
  virtual FlexibleBatch* create(std::span<const FlexibleInstance>) const noexcept = 0;

 protected:
  ~FlexibleBodyType() = default;
};

}  // namespace polyform
