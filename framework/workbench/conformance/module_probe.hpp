// Batches of modules by themselves: what they get as input along a motion, and all that they give.
#pragma once

#include "framework/workbench/conformance/batch_probe.hpp"
#include "framework/workbench/conformance/checklist.hpp"
#include "framework/workbench/conformance/element_systems.hpp"
#include "framework/workbench/conformance/model_state.hpp"

namespace polyform::host::inline conformance {

/// Owns what a ModuleInput points to.
struct ModuleState {
  BatchInput attachments;
  std::vector<double> u, x;
};

/// Owns what a ModuleOutput points to.
struct ModuleEquations {
  std::vector<double> M, f, A, B, velocity_right, acceleration_right, efforts, xdot, residual;
  std::vector<Spatial> C, wrenches;
  double kinetic_energy = 0, potential_energy = 0, power = 0;
  std::size_t allocations = 0;

  /// All that is in it as one list.
  std::vector<double> numbers() const;
  /// Appends the instances of another; energies and power are added.
  void append(const ModuleEquations&);
};

BatchPointer<ModuleBatch> make(const ModuleType&, Strided<const ElementInstance>);
ModuleEquations evaluate(ModuleBatch&, const ModuleType&, std::size_t instances, const ModuleState&);
/// Several states as that of one batch, in this order.
ModuleState joined(std::span<const ModuleState> parts);

/// One module of a case along a path of the bodies: u with constant rates from its value in the case, x with its own.
class ModuleMotion {
 public:
  /// The first group of modules of the case is meant. The path stays at the time that was last asked for.
  ModuleMotion(const Case&, std::size_t instance, Path&, Random&);

  ModuleState at(double t);
  ModuleEquations equations(double t) { return evaluate(*batch_, *group_.type, 1, at(t)); }
  /// Whether kinetic_energy at that time is another with another value of the variable.
  bool energy_depends_on(std::size_t variable, double t);
  /// Rates of u: random at first.
  std::vector<double> alpha;
  /// Accelerations of what it is attached to, at t = 0.
  std::vector<Spatial> Vdot;
  std::vector<double> vdot;

 private:
  ModuleState place(double t, const std::vector<double>& x);

  const ModuleInstances& group_;
  std::size_t instance_;
  Path& path_;
  std::vector<double> u_, x_;  ///< at t = 0
  BatchPointer<ModuleBatch> batch_;
};

/// The states of all modules of a case along the path.
std::vector<ModuleState> states_of(const Case&, Path&, Random&, double t);

template <class Body>
void on_module_paths(const std::vector<Case>& cases, Measure& m, Body body) {
  on_paths(cases, m, 47, body);
}

/// Calls body(motion) for every module of all cases.
template <class Body>
void on_modules(const std::vector<Case>& cases, Measure& m, Body body) {
  on_module_paths(cases, m, [&](const Case& one, Path& path, Random& random) {
    for (std::size_t i = 0; i < one.sample.view().modules[0].instances.size(); ++i) {
      ModuleMotion motion(one, i, path, random);
      body(motion);
    }
  });
}

}  // namespace polyform::host::conformance
