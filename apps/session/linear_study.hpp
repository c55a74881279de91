// Eigenvalues of a model over the values of something in it, such as the speed of a vehicle.
#pragma once

#include <csignal>
#include <optional>
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
  std::vector<LinearStudyPoint> points;  ///< in the order of the values given
  std::vector<StabilityChange> changes;  ///< between neighbours whose modes are those of the motion
};

/// A model whose values are replaced one after the other, and linearized.
class LinearStudyWork {
 public:
  /// factor: numbers, in the order in which equilibria are followed; all of its paths take the same. Failure
  /// (bad_input) if it has no numbers, a path leads to nothing, or the arguments ask for what only one state has.
  LinearStudyWork(const Plugins&, const LinearStudyArguments&, const host::Factor&);

  /// Linearizes at all values, then finds one change between neighbours that differ (StabilityCrossing). Equilibria are
  /// followed from value to value: each search starts from the equilibrium of the last value before that has one. Where
  /// none is found, the study goes on without it. Failure as linear_model, with the value, if that happens at all
  /// values, and (interrupted) when the flag becomes non-zero.
  LinearStudy run(const volatile std::sig_atomic_t& interrupted);

 private:
  /// near: the point from whose equilibrium the search starts; or null.
  LinearStudyPoint linearize_at(double value, const LinearStudyPoint* near);
  LinearStudyPoint linearize_from(double value, const LinearStudyPoint* near);
  std::optional<StabilityChange> change_between(const LinearStudy&, std::size_t after);

  Plugins plugins_;
  LinearStudyArguments arguments_;
  std::string path_;
  std::vector<double> numbers_;
  host::VariedModel model_;
  std::vector<std::size_t> values_;  ///< of the model, one per path
  std::string system_, solver_;
  std::optional<host::Failure> failed_;  ///< why there is no equilibrium at the first value without one
  const volatile std::sig_atomic_t* interrupted_ = nullptr;
};

}  // namespace polyform::apps
