// Modules: subsystems of any nature that hand over their own equations, M α = f, A α + (coupling) = b.
#pragma once

#include "polyform/force.hpp"

namespace polyform {

/// State of a batch of modules, instance after instance. A module has `variables` accelerations-like unknowns α,
/// as many velocity-like variables u (u̇ = α; a current, a speed), and `states` further first-order states x.
struct ModuleInput {
  double time = 0;
  std::span<const double> u;               ///< count × variables
  std::span<const double> x;               ///< count × states
  ForceInput attachments;                  ///< markers and joints of the instances
};
/// M α = f + Aᵀλ of the module's own variables, and `rows` constraints that tie them to the attached markers and
/// joints: A α + C V̇ + B v̇ = b (V̇ and v̇ as in ConstraintOutput).
struct ModuleOutput {
  std::span<double> M;                     ///< count × variables², rows first, positive semidefinite
  std::span<double> f;                     ///< count × variables
  std::span<double> A;                     ///< count × rows × variables
  std::span<Spatial> C;                    ///< count × rows × markers
  std::span<double> B;                     ///< count × rows × joint velocities of the instance
  std::span<double> b;                     ///< count × rows
  std::span<Spatial> wrenches;             ///< applied to the markers, as in ForceOutput; zero on entry
  std::span<double> efforts;               ///< applied to the joints; zero on entry
  std::span<double> xdot;                  ///< count × states
  double potential_energy = 0, power = 0;
};

class ModuleBatch {
 public:
  virtual void evaluate(const ModuleInput&, ModuleOutput&) noexcept = 0;
  virtual void initial_state(std::span<double> u, std::span<double> x) const noexcept = 0;
  virtual void destroy() noexcept = 0;

 protected:
  ~ModuleBatch() = default;
};

class ModuleType {
 public:
  virtual std::string_view name() const noexcept = 0;
  virtual std::string_view meaning() const noexcept = 0;
  virtual std::span<const FieldSpec> fields() const noexcept = 0;
  virtual std::size_t variables() const noexcept = 0;
  virtual std::size_t states() const noexcept = 0;
  virtual std::size_t rows() const noexcept = 0;
  virtual bool define(ElementInstance&, std::size_t instance, FieldSink&) const noexcept = 0;
  virtual ModuleBatch* create(std::span<const ElementInstance>) const noexcept = 0;

 protected:
  ~ModuleType() = default;
};

}  // namespace polyform
