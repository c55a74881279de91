// The model of a study with its factors, from which cases are made.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "apps/session/case_settings.hpp"
#include "apps/session/loading.hpp"
#include "framework/diagnostics.hpp"
#include "framework/host/assembly/system.hpp"
#include "framework/host/results/channel.hpp"
#include "framework/workbench/studies/design.hpp"
#include "framework/workbench/studies/quantity.hpp"
#include "framework/workbench/studies/varied_model.hpp"

namespace polyform::apps {

struct PreparedCase;
struct CasesInPlace;
class CompiledCases;
struct SolverChoice;

/// What all cases of a study share.
struct SharedByCases {
  /// The solver of all cases that give it no options; none where it varies.
  std::shared_ptr<const SolverChoice> usual_choice{};
  const CompiledCases* compiled = nullptr;  ///< none where cases have their formulation's own solvers
  std::vector<host::Channel> trajectory_channels{};
};

/// Writes the values of a case into the model, and makes the case of it. Cases that have ended are kept, and others are
/// made of them in place, if the factors are numbers that allow it.
class CaseMaker {
 public:
  /// All arguments outlive the object. Failure (bad_input) if the model cannot be read. Messages are printed.
  CaseMaker(const Plugins&, const std::string& file, const host::Design&, const host::Quantities&, const CaseSettings&);
  ~CaseMaker();
  CaseMaker(const CaseMaker&) = delete;
  CaseMaker& operator=(const CaseMaker&) = delete;

  /// The text of the model.
  const std::string& text() const { return model_.text(); }
  /// The units of the factors that are numbers of the model; "" for other factors.
  const std::vector<std::string>& factor_units() const { return factor_units_; }
  /// The model as it is now; nullptr after messages.
  std::unique_ptr<host::System> assemble(host::Diagnostics&, bool& missing_plugin) const;
  /// Of the model as it is written: cases do not repeat them.
  void keep_warnings(const host::Diagnostics&);
  /// Finds the values of the factors, before the first case is made. integrator: of the model as it is written. Failure
  /// (bad_input) if a path leads to nothing.
  void add_factors(const std::string& integrator);

  /// The case of that number, ready to run. Failure where it cannot.
  std::unique_ptr<PreparedCase> prepare(std::size_t number, const SharedByCases&);
  /// Of a case that has ended, others can be made.
  void give_back(std::unique_ptr<PreparedCase>);

 private:
  void add_paths(const std::string& integrator);
  void check_first_values();
  void set_values_of(std::size_t number);
  std::unique_ptr<PreparedCase> prepare_in_place(std::size_t number, const SharedByCases&);
  /// The first warning that the model as it is written does not give, be it with other numbers; or "".
  std::string new_warning(const host::Diagnostics&) const;

  const Plugins& plugins_;
  const host::Design& design_;
  const host::Quantities& quantities_;
  const CaseSettings& settings_;
  host::VariedModel model_;
  std::vector<std::vector<std::size_t>> values_;  ///< of the model, by factor
  std::vector<std::string> factor_units_;
  std::set<std::string> warnings_of_model_;  ///< as it is written, which are printed; their words without numbers
  std::unique_ptr<CasesInPlace> in_place_;   ///< none where each case is read and assembled as a whole
};

}  // namespace polyform::apps
