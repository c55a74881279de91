// Eigenvalues of a model over the values of something in it, such as the speed of a vehicle.
#pragma once

#include <csignal>
#include <string>
#include <vector>

#include "apps/session/linear_model.hpp"
#include "apps/session/loading.hpp"
#include "apps/session/stability_crossing.hpp"
#include "framework/workbench/studies/factor.hpp"
#include "framework/workbench/studies/varied_model.hpp"

namespace polyform::apps {

struct LinearStudyArguments {
  ModelArguments model;
  std::string solver;  ///< "": the model's, else the preferred one
  std::vector<std::string> options;
  LinearizeArguments linear;
};

struct LinearStudy {
  std::string system, solver, path;
  std::vector<LinearStudyPoint> points;  ///< by increasing value
  std::vector<StabilityChange> changes;  ///< between neighbours whose modes are those of the motion
};

/// A model whose values are replaced one after the other, and linearized.
class LinearStudyWork {
 public:
  /// factor: numbers in any order; all of its paths take the same. Failure (bad_input) if it has no numbers, a path
  /// leads to nothing, or the arguments ask for what only one state has.
  LinearStudyWork(const Plugins&, const LinearStudyArguments&, const host::Factor&);

  /// Linearizes at all values, then finds one change between neighbours that differ (StabilityCrossing). Failure as
  /// linear_model, with the value, and (interrupted) when the flag becomes non-zero.
  LinearStudy run(const volatile std::sig_atomic_t& interrupted);

 private:
  LinearStudyPoint linearize_at(double value);
  void check(const volatile std::sig_atomic_t& interrupted) const;

  Plugins plugins_;
  LinearStudyArguments arguments_;
  std::string path_;
  std::vector<double> numbers_;
  host::VariedModel model_;
  std::vector<std::size_t> values_;  ///< of the model, one per path
  std::string system_, solver_;
};

}  // namespace polyform::apps
