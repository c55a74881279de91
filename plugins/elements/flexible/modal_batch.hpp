// Equations of motion of flexible bodies from their invariants: the one implementation for all types of this plugin.
#pragma once

#include "modal_invariants.hpp"
#include "polyform/contract/flexible_validity.hpp"

namespace polyform::flexible {

class ModalBatch final : public FlexibleBatch, public ModeValidity {
 public:
  using Invariants = ModalInvariants (*)(const FlexibleInstance&);
  ModalBatch(Strided<const FlexibleInstance>, Invariants);

  void evaluate(Strided<const FlexibleInput>, Strided<FlexibleOutput>) noexcept override;
  void destroy() noexcept override { delete this; }
  void* query(std::string_view asked) noexcept override {
    return asked == ModeValidity::interface_name ? static_cast<ModeValidity*>(this) : nullptr;
  }
  double deformation(std::size_t instance, std::span<const double> eta) const noexcept override;
  double neglected_stiffening(std::size_t instance, const Vec3& angular_velocity) const noexcept override;
  double neglected_load(std::size_t instance, const Vec3& force) const noexcept override;

 private:
  /// The integrals at one η: of the whole deformed body, ρ = u + Σ Φ_l η_l, and (in scratch) of each mode.
  struct Deformed {
    Vec3 first_moment, first_moment_rate;  ///< ∫ρ dm, ∫ρ̇ dm
    Sym3 second_moment;                    ///< ∫ρ ρᵀ dm
    Mat3 rate_moment;                      ///< ∫ρ ρ̇ᵀ dm
  };
  Deformed deform(const ModalInvariants&, const FlexibleInput&) noexcept;
  void foreshorten(const ModalInvariants&, const FlexibleInput&, Deformed&) noexcept;
  void add_second_order_forces(const ModalInvariants&, const FlexibleInput&, FlexibleOutput&) noexcept;
  void write_inertia(const InertialPoints&, const FlexibleInput&, FlexibleOutput&) noexcept;
  void move_points(const InertialPoints&, std::size_t axis, const FlexibleInput&) noexcept;
  void accelerate_points(std::size_t points, const Vec3& angular_velocity) noexcept;
  void add_modes(const InertialPoints&, std::size_t axis, FlexibleOutput&) noexcept;
  void add_elastic(const ModalInvariants&, const FlexibleInput&, FlexibleOutput&) noexcept;
  void write_mass(const ModalInvariants&, const Deformed&, std::span<double> mass) const noexcept;
  void write_force(const ModalInvariants&, const Deformed&, const FlexibleInput&, FlexibleOutput&) noexcept;

  std::vector<ModalInvariants> bodies_;
  std::array<std::vector<double>, 9> moment_;  ///< ∫ρ Φ_kᵀ dm of the body at hand, one per mode
  std::array<std::vector<double>, 3> swirl_;   ///< ∫ρ̇ × Φ_k dm, one per mode
  std::array<std::vector<double>, 3> shift_;   ///< ∫Φ_k dm + ∫Γ_k·η dm of the body at hand, one per mode
  /// Of the inertial points of the body at hand, along each axis: Φ_k + Γ_k·η, m × points; places, rates, and the
  /// accelerations Ω̃Ω̃ρ + 2 Ω̃ρ̇ + Γ[η̇, η̇].
  std::array<std::vector<double>, 3> moves_, places_, rates_, accelerations_;
  std::vector<double> bend_rate_;          ///< Γ_k·η̇ at these points along one axis, of one mode
  std::vector<double> product_;            ///< a matrix times η or η̇
  std::vector<double> elastic_, damping_;  ///< K η, D η̇
};

}  // namespace polyform::flexible
