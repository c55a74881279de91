// Flexible bodies: a floating frame (the body frame) and modal coordinates η.
//
// A point that is at u in the undeformed body is at ρ = u + Φu(u) η; the section there is turned by the rotation vector
// Φθ(u) η, that is by exp(Φθ η); both in body axes
// (Zhang et al. 2023, Eqs. 22 and 23).
#pragma once

#include "polyform/contract/force.hpp"

namespace polyform {

/// One instance as read. The rigid part (mass, centre of mass, inertia) is the host's; it may be zero.
struct FlexibleInstance {
  Size<FlexibleInstance> size{};
  Strided<const FieldValue> fields{};
};

/// Motion of one instance: angular velocity of the body frame in body axes, modal coordinates and their rates. The
/// velocity of the frame origin does not enter.
struct FlexibleInput {
  Vec3 angular_velocity;
  std::span<const double> eta, etadot;  ///< m each
};

/// Equations of motion of the flexible part of one instance at one state, all in body axes about the frame origin:
///
///   mass [α; a; η̈] = force + (loads)
///
/// α, a: absolute angular acceleration of the body frame and absolute acceleration of its origin. With ρ(x, η) the
/// points of the body: mass = ∫ Bᵀ B dm, B = [−ρ̃  1  Φu]; force = −∫ Bᵀ (Ω̃Ω̃ρ + 2 Ω̃ Φu η̇) dm − [0; 0; K η + D η̇].
/// Gravity is not included: as an acceleration of the frame it adds mass [0; g; 0].
struct FlexibleOutput {
  std::span<double> mass;    ///< (6 + m)², rows first, symmetric
  std::span<double> force;   ///< 6 + m
  double strain_energy = 0;  ///< ½ ηᵀ K η, J
  double damping_power = 0;  ///< −η̇ᵀ D η̇, W
};

/// Shape functions at one point of the undeformed body.
struct ModeShapes {
  Size<ModeShapes> size{};
  std::span<double> displacement{};  ///< Φu, 3 × m, rows first
  std::span<double> rotation{};      ///< Φθ, 3 × m, rows first
  /// Γ: the displacement of second order along direction k is ½ Σ Γ[k][i][j] η_i η_j (the foreshortening of a beam that
  /// bends), 3 × m × m, symmetric in i and j; zero on entry.
  std::span<double> second_order{};
};

/// All instances of one flexible type in one solver. One object per solver, so it may keep scratch memory; evaluate
/// never allocates or throws and depends only on its input.
class FlexibleBatch {
 public:
  virtual void evaluate(Strided<const FlexibleInput>, Strided<FlexibleOutput>) noexcept = 0;
  virtual void destroy() noexcept = 0;
  /// A further ability by name, or nullptr: a new ability is a new interface, never a new virtual function here.
  virtual void* query(std::string_view interface_name) noexcept {
    (void)interface_name;
    return nullptr;
  }

 protected:
  ~FlexibleBatch() = default;
};

class FlexibleBodyType : public ElementType {
 public:
  virtual std::size_t modes(const FlexibleInstance&) const noexcept = 0;
  virtual bool define(const FlexibleInstance&, std::size_t instance, FieldSink&) const noexcept = 0;
  /// Shape functions at a point of the undeformed body (body axes, m). False when nothing can be attached there.
  virtual bool shapes_at(const FlexibleInstance&, const Vec3& point, ModeShapes&) const noexcept = 0;
  /// Initial η and η̇.
  virtual void initial_state(const FlexibleInstance&, std::span<double> eta,
                             std::span<double> etadot) const noexcept = 0;
  /// Mass and first moment ∫ρ dm of the flexible part at η, body axes about the frame origin: for the gravity
  /// potential.
  virtual void mass_moment(const FlexibleInstance&, std::span<const double> eta, double& mass,
                           Vec3& moment) const noexcept = 0;
  virtual FlexibleBatch* create(Strided<const FlexibleInstance>) const noexcept = 0;

 protected:
  ~FlexibleBodyType() = default;
};

}  // namespace polyform
