// Initial states of modules that fit the positions and the velocities of the bodies and joints they are attached to.
#pragma once

#include "framework/host/assembly/start.hpp"
#include "polyform/mechanics/module_set.hpp"

namespace polyform::host::inline assembly {

class ModuleStart {
 public:
  explicit ModuleStart(Start& start) : start_(start) {}
  /// If holonomic rows do not fit the positions, changes the states that are integrals of variables until the rows fit.
  /// The change is the least one, measured by M. False, with an error reported, if no change makes them fit.
  bool fit_positions();
  /// If rows do not fit the motion, changes the variables until they fit, by the least change, measured by M.
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
