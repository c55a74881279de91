// The model of an FMU, ready to run, and the variables that the FMU shows.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "apps/fmi/live_inputs.hpp"
#include "apps/fmi/settings.hpp"
#include "apps/session/solver_choice.hpp"
#include "framework/host/assembly/system.hpp"
#include "framework/host/columns/row_maker.hpp"
#include "framework/host/columns/start_columns.hpp"
#include "framework/host/registry/catalog.hpp"
#include "framework/host/simulation/run_record.hpp"

namespace polyform::fmi {

/// One variable of the FMU. Its value reference is its place in the list.
struct Variable {
  enum class Role { time, parameter, input, input_rate, input_acceleration, output, state, rate, event, start };
  Role role;
  std::size_t index;  ///< among those of its role
  std::string name, unit, meaning;
  double start = 0;  ///< of parameters, values at the start and inputs
};

/// The name of the variable for the value of a column of results at the start.
std::string name_of_start(const std::string& column);

/// What takes the place of numbers of the model.
struct GivenValues {
  std::map<std::string, double> parameters;  ///< by their names
  std::map<std::string, double> starts;      ///< by columns of results: all of those that are read together
};

/// The model read from the settings' file. The catalog outlives it.
class FmuModel {
 public:
  /// Failures of reading and assembly, whose reasons are printed (HeldMessages).
  FmuModel(const Settings&, const host::Catalog&, std::shared_ptr<const void> libraries, const GivenValues& = {});

  const host::System& system() const { return *system_; }
  const apps::SolverChoice& choice() const { return choice_; }
  const host::RunSettings& run() const { return run_; }
  /// Those that were asked for. If none were: those of a run, and what drives the prescribed motions.
  const host::Columns& columns() const { return columns_; }
  /// The state at the start, by columns of results.
  const std::vector<host::StartColumn>& starts() const { return starts_; }
  const std::vector<LiveInput>& inputs() const { return inputs_; }
  const std::vector<Variable>& variables() const { return variables_; }
  /// How many variables have this role.
  std::size_t count(Variable::Role) const;
  /// States of the FMU for model exchange: the solver's states, and the work if any may be done.
  std::size_t states() const { return count(Variable::Role::state); }

 private:
  void list_variables();
  void list_states();
  void choose_columns();

  Settings settings_;
  std::map<std::string, double, std::less<>> parameters_;
  std::vector<LiveInput> inputs_;
  std::unique_ptr<host::System> system_;
  host::Columns columns_;
  std::vector<host::StartColumn> starts_;
  apps::SolverChoice choice_;
  host::RunSettings run_;
  std::vector<Variable> variables_;
};

}  // namespace polyform::fmi
