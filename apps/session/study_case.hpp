// One case of a study: the model with its values, run to the end.
#pragma once

#include <csignal>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/session/case_maker.hpp"
#include "apps/session/case_settings.hpp"
#include "apps/session/loading.hpp"
#include "apps/session/used_plugins.hpp"
#include "framework/host/results/channel.hpp"
#include "framework/host/simulation/run_record.hpp"
#include "framework/workbench/studies/design.hpp"
#include "framework/workbench/studies/quantity.hpp"
#include "framework/workbench/studies/run_cases.hpp"

namespace polyform::apps {

struct LaneModel;
class DeviceCases;

/// The cases of a study, which are variants of one model. Its members are the ways in which they are run: one by
/// one, in lanes, compiled, on a device. What makes the cases stands apart (CaseMaker).
class StudyCases {
 public:
  /// All arguments outlive the object. Failure (bad_input) if a path of a factor leads to nothing; also any failure of
  /// a run of the model, as it is written, before its first step. Messages are printed.
  StudyCases(const Plugins&, const std::string& model, const host::Design&, const host::Quantities&, CaseSettings);
  ~StudyCases();

  /// Columns that the quantities use, of the model as it is written.
  const std::vector<host::Channel>& channels() const { return channels_; }
  /// Columns of the trajectories, time first; none if none are asked for.
  const std::vector<host::Channel>& trajectory_channels() const { return shared_.trajectory_channels; }
  /// The units of the factors that are numbers of the model; "" for other factors.
  const std::vector<std::string>& factor_units() const { return maker_.factor_units(); }
  /// The types that the cases use.
  const TypeNames& types() const { return types_; }
  /// The text of the model.
  const std::string& model_text() const { return maker_.text(); }
  /// Runs one case. Nothing is printed: an outcome that failed has its reason, one that is done the first warning
  /// of its values and the first of its run.
  /// The report is looked after while it goes on.
  host::CaseOutcome run(std::size_t number, const volatile std::sig_atomic_t* interrupted, const host::CaseReport&);
  /// Runs several, on the device or in lanes if the model as it is written allows it. A case with another structure, or
  /// one that fails, is run alone.
  void run(std::span<const std::size_t> numbers, const volatile std::sig_atomic_t* interrupted,
           const host::CaseReport&);
  /// The limits with how so many cases are shared out among the workers.
  host::CaseLimits share_out(host::CaseLimits, std::size_t cases);
  /// The solver that was compiled for the cases; none where that was not asked for, or could not be.
  const CompiledCases* compiled() const { return compiled_.get(); }
  /// Why it could not be compiled; "" where it could, or was not asked for.
  const std::string& why_not_compiled() const { return why_not_compiled_; }
  /// The device that was asked for, or why it is not used; none where none was asked for.
  const DeviceCases* device() const { return device_.get(); }
  /// A plugin of the cases that does not come with polyform; "": none. What it keeps between calls nobody knows, so
  /// each case has a process of its own unless told otherwise.
  std::string plugin_of_others() const;
  bool wants_isolation() const { return !is_on_device() && !plugin_of_others().empty(); }
  /// How the cases are evaluated: together, or why not.
  std::string evaluation() const;

 private:
  void check_model();
  void find_types(const host::Description&, const SolverChoice&);
  /// Compiles the solver of the cases, for the processor and for the device; where that cannot be, says why, and they
  /// are evaluated as without.
  void compile_model();
  void compile_variants();
  /// Some cases that are spread over the study, ready to run.
  std::vector<std::unique_ptr<PreparedCase>> some_cases();
  bool is_on_device() const;
  void run_on_device(std::span<const std::size_t> numbers, const volatile std::sig_atomic_t*, const host::CaseReport&);
  void run_in_lanes(std::span<const std::size_t> numbers, const volatile std::sig_atomic_t*, const host::CaseReport&);
  host::CaseOutcome outcome_of(PreparedCase&, const host::RunRecord&, const volatile std::sig_atomic_t*) const;
  /// Runs the case with the other solvers of its differences. Returns what went wrong, or "".
  std::string find_differences(PreparedCase&, const volatile std::sig_atomic_t*) const;

  Plugins plugins_;
  std::string file_;  ///< of the model
  const host::Design& design_;
  const host::Quantities& quantities_;
  CaseSettings settings_;
  std::vector<host::Channel> channels_;
  std::string integrator_;  ///< of the model as it is written
  TypeNames types_;
  /// None where cases have their formulation's own solvers. It outlives what it made.
  std::unique_ptr<CompiledCases> compiled_;
  SharedByCases shared_;
  CaseMaker maker_;
  std::unique_ptr<DeviceCases> device_;
  std::size_t processes_ = 1;              ///< that share the device
  std::size_t together_ = 1;               ///< cases that a process prepares for it at a time
  std::uint64_t bytes_of_case_ = 0;        ///< of the host's memory, about, while it is prepared
  std::unique_ptr<LaneModel> lane_model_;  ///< none where cases run one at a time
  std::string why_no_lanes_, why_not_compiled_;
};

/// Says why the solver could not be compiled, or the device is not used. What was left to polyform to choose goes on
/// without a word.
void warn_of_what_is_left_out(const StudyCases&);

}  // namespace polyform::apps
