// The equations of motion as one sparse symmetric system.
#pragma once

#include <span>

#include "equations.hpp"
#include "mass_scales.hpp"
#include "sparse_factors.hpp"
#include "sparse_pattern.hpp"
#include "sparse_rows.hpp"
#include "sparse_solver.hpp"

namespace polyform::particles {

/// By one sparse system of all particles. Most of its functions are those of Equations.
class SparseEquations final : public Equations {
 public:
  /// loaded: the bodies whose wrenches count. origin: what positions count from, for the elements. All but it outlive
  /// the object.
  SparseEquations(const SystemView&, const Layout&, std::span<const BodyIndex> loaded, const Vec3& origin);
  bool good() const override { return elements_.good(); }
  void follow(std::span<const std::int32_t> discrete) noexcept override { elements_.follow(discrete); }

  const PlacedBodies& evaluate(double t, const ParticleMotion&, const JointValues&, bool all_joints,
                               bool corrected) noexcept override;
  Violations violations() const noexcept override { return rows_.violations(); }
  bool find_accelerations(const PlacedBodies&, const Applied&, std::span<Vec3> out) noexcept override;
  bool check_regular(const PlacedBodies&) noexcept override;
  void find_violations(double t, const ParticleMotion&, const JointValues&, Correction&) noexcept override;
  bool joint_accelerations(const PlacedBodies&, std::span<const Spatial> of_bodies,
                           std::span<double> vdot) noexcept override;
  void take_elements(std::span<Spatial> needed, std::span<double> efforts) const noexcept override;
  void element_multipliers(std::span<double> out) const noexcept override;
  void cut_reactions(const PlacedBodies&, std::span<const double> efforts,
                     std::span<Spatial> out) const noexcept override;
  const ModuleSet* modules() const noexcept override { return &elements_.modules(); }
  void module_rates(std::span<double> xdot) const noexcept override;
  void module_multipliers(std::span<double> out) const noexcept override;
  double driving_power() const noexcept override;
  bool is_recursive() const noexcept override { return false; }
  bool needs_closed_states() const noexcept override { return !view_.cut_joints().empty(); }

 private:
  bool correct_positions(double t, ParticleMotion&, const JointValues&, double tolerance, double target,
                         Correction&) noexcept override;
  bool correct_velocities(double t, ParticleMotion&, const JointValues&, Correction&) noexcept override;

  const PlacedBodies& set_rows(double t, Level, const ParticleMotion&, const JointValues&, bool all_joints) noexcept;
  void set_own_forces(const PlacedBodies&) noexcept;
  void add_element_efforts() noexcept;
  /// λ + effort of one row of a group of an element.
  double multiplier(const RowGroup& g, std::size_t row) const noexcept {
    return elements_.all()[g.index].rows->effort[row] - solver_.solution()[g.chunk.first + row];
  }
  void clear_forces() noexcept;
  void set_module_forces() noexcept;
  void set_module_momenta(std::span<const double> x) noexcept;
  void move_states(std::span<double> x) noexcept;
  void set_momenta(const ParticleMotion&) noexcept;
  bool fail_positions(const Correction&, double residual) noexcept;
  std::size_t free_particle() const noexcept;
  /// Calls use(variable among the first-order states, its unknown) for the variables of modules.
  template <class Use>
  void each_variable(const Use& use) const noexcept {
    for (const VariableParticles& of : pattern_.variables())
      for (std::size_t k = 0; k < of.module->variables; ++k)
        use(of.module->u + k, pattern_.particles()[of.first].first + k);
  }
  /// Calls use(particle, first of its unknowns) for the moving particles of bodies.
  template <class Use>
  void each_particle(const Use& use) const noexcept {
    for (std::size_t p = 0; p < pattern_.of_bodies(); ++p)
      if (pattern_.particles()[p].block != none) use(p, pattern_.particles()[p].first);
  }

  ElementConstraints elements_;
  MassScales scales_;
  BlockLdlt matrix_;
  SparsePattern pattern_;
  SparseValues values_;
  SparseRows rows_;
  SparseFactors factors_;
  SparseSolver solver_;
};

}  // namespace polyform::particles
