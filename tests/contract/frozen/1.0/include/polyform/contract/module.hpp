// Modules: subsystems of any nature that hand over their own equations, to be solved together with those of the bodies.
#pragma once

#include <cstdint>

#include "polyform/contract/force.hpp"

namespace polyform {

/// State of a batch of modules, instance after instance: u, velocity-like variables (a current, a speed) whose rates α
/// are unknowns like the accelerations of bodies, and further first-order states x.
struct ModuleInput {
  Size<ModuleInput> size{};
  const ForceInput* attachments = nullptr;  ///< time, markers and joints of the instances
  std::span<const double> u{};              ///< count × variables
  std::span<const double> x{};              ///< count × states
};

/// The model of each module, M α = f + Aᵀλ with u̇ = α, and rows that tie its variables to the attached markers (twists
/// V) and joints (velocities v), like the rows of constraint elements:
///
///   velocity      A u + C V + B v = velocity_right
///   acceleration  A α + C V̇ + B v̇ = acceleration_right
///   position      residual = 0, in rows that are holonomic; its rate is A u + C V + B v − velocity_right
///
/// Assembly and correction keep holonomic rows: they move bodies, joints and those states that are integrals of a
/// variable (Variable::integral_of).
/// The multipliers put Cᵀλ on the markers and Bᵀλ on the joints; wrenches and efforts are added to these. Energies and
/// power are those of the whole batch: d/dt (kinetic + potential) is power less the power that goes into markers and
/// joints.
struct ModuleOutput {
  Size<ModuleOutput> size{};
  std::span<double> M{};                   ///< count × variables², symmetric, positive semidefinite
  std::span<double> f{};                   ///< count × variables
  std::span<double> A{};                   ///< count × rows × variables
  std::span<Spatial> C{};                  ///< count × rows × markers
  std::span<double> B{};                   ///< count × rows × joint velocities of the instance
  std::span<double> velocity_right{};      ///< count × rows
  std::span<double> acceleration_right{};  ///< count × rows
  std::span<Spatial> wrenches{};           ///< on the markers, as in ForceOutput
  std::span<double> efforts{};             ///< on the joints
  std::span<double> xdot{};                ///< count × states
  std::span<double> residual{};            ///< count × rows; of rows that are not holonomic it is not read
  double kinetic_energy = 0;               ///< of the motion u: ½ uᵀM u where M is an inertia (or inductance), J
  double potential_energy = 0;             ///< J
  double power = 0;                        ///< fed in from outside, less what is dissipated, W
};

/// All instances of one module type in one solver. One object per solver, so it may keep scratch memory; evaluate never
/// allocates or throws and depends only on its input. All of the output is zero on entry.
class ModuleBatch {
 public:
  virtual void evaluate(const ModuleInput&, ModuleOutput&) noexcept = 0;
  /// All u and x at the start. If u does not fit the rows at the initial motion, the host changes it as little as
  /// possible.
  virtual void initial_state(std::span<double> u, std::span<double> x) const noexcept = 0;
  virtual void destroy() noexcept = 0;  ///< frees the object where it was made
  /// A further ability by name, or nullptr: a new ability is a new interface, never a new virtual function here.
  virtual void* query(std::string_view interface_name) noexcept {
    (void)interface_name;
    return nullptr;
  }

 protected:
  ~ModuleBatch() = default;
};

class ModuleType : public ElementType {
 public:
  /// Checks one instance before anything runs; may move its markers. Reports to sink with the instance's number.
  virtual bool define(ElementInstance&, std::size_t instance, FieldSink&) const noexcept = 0;
  virtual ModuleBatch* create(Strided<const ElementInstance>) const noexcept = 0;

  Strided<const Variable> variables() const noexcept { return descriptor().variables; }  ///< u
  Strided<const Variable> states() const noexcept { return descriptor().states; }        ///< x
  Strided<const Variable> rows() const noexcept { return descriptor().rows; }            ///< the multipliers

 protected:
  ~ModuleType() = default;
};

}  // namespace polyform
