// Integrals and variables of modules that fit the positions and rates of what the modules are attached to.
#pragma once

#include "framework/host/assembly/start.hpp"
#include "polyform/mechanics/module_set.hpp"

namespace polyform::host::inline assembly {

class ModuleStart {
 public:
  explicit ModuleStart(Start& start) : start_(start) {}
  /// If holonomic rows do not fit the positions, changes those states that are integrals of the modules' variables, by
  /// the least change (in the scale of M) that makes the rows fit. False, with an error reported, if there is none.
  bool fit_positions();
  /// If rows do not fit the motion, changes the variables by the least (in the scale of M) that makes the rows fit.
  void fit_variables();

 private:
  double size_of_row(const ModuleSet::Module&, std::size_t row) const;
  bool fit_integrals(const ModuleSet::Module&, double& before);
  double fastest_given() const;

  Start& start_;
};

/// Whether some module has rows on positions.
bool has_holonomic_modules(const SystemView&);

}  // namespace polyform::host::inline assembly
