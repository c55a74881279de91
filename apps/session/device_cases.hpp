// The cases of a study on a device.
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "apps/session/compiled_cases.hpp"
#include "framework/host/assembly/system.hpp"
#include "framework/host/results/channel.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "framework/workbench/compilation/device_code.hpp"
#include "framework/workbench/devices/device_runs.hpp"

namespace polyform::apps {

/// A device, the code for it, that of the model or a general one, and what of a case has to be as in the code. What
/// stands in the way is an obstacle(), not a failure: the cases are then done as without a device.
class DeviceCases {
 public:
  /// Looks for the device: its short name, its name, or host::any_device. Failure (bad_input) where there is none of
  /// that name.
  DeviceCases(const host::Catalog&, const std::string& wanted);
  /// Makes the code; the first variant is the one that is compiled, numbers in which the others differ stay open.
  void compile(const std::string& model, std::span<const CompiledCases::Variant>, const host::RunSettings&);
  void set_obstacle(std::string why) { obstacle_ = std::move(why); }
  /// Where the cases do not run in lanes either: the obstacle is what the solver has against devices, or else that.
  void refuse_without_lanes(Solver&, const std::string& why_no_lanes);
  /// Refuses columns that rows of a device do not have, where they would be more than zeros.
  void refuse_columns(const SystemView&, std::span<const host::Channel>);
  /// Takes down which events the system's elements have; the solver is one of its own.
  void note_events(const SystemView&, Solver&);

  /// Why no device is used; "" where one is.
  const std::string& obstacle() const { return obstacle_; }
  /// Whether somebody has to hear of the obstacle: not of one that leaves nothing to choose.
  bool is_worth_a_word() const { return device_ != nullptr || !any_; }
  const host::FoundDevice& device() const { return *device_; }
  /// Of the model; without a file where the general code is used.
  const host::DeviceCode& code() const { return code_; }
  /// Why the general code is used, which is part of the formulation; "" where the model has code of its own.
  const std::string& why_general() const { return why_general_; }
  /// What becomes of cases with events of elements, a sentence without a full stop; "" where there are none.
  const std::string& events() const { return events_; }

  /// A case ready to run, of which all outlives the call.
  struct Case {
    const host::System* system;
    Solver* solver;
    const SolverChoice* choice;
    const host::RunSettings* settings;
    std::span<host::RowSink* const> sinks;
  };
  /// Whether the code carries the case.
  bool carries(const Case&) const;
  /// Runs cases that it carries, with as many processes beside this one as there are sharers. done: called with those
  /// that came to their end. Returns why the device could not go on, or "".
  std::string run(std::span<const Case>, std::size_t sharers, const volatile std::sig_atomic_t* interrupted,
                  const std::function<void(std::size_t, const host::RunRecord&)>& done);

 private:
  void run_alike(std::span<const Case>, std::span<const std::size_t> which, std::size_t sharers,
                 const volatile std::sig_atomic_t* interrupted,
                 const std::function<void(std::size_t, const host::RunRecord&)>& done);

  /// Takes the general code of the solver's formulation; false where it has none that fits.
  bool take_general(Solver&, const std::string& integrator, std::string why);
  bool is_general() const { return !why_general_.empty(); }
  bool has_function(const Case&) const;
  /// How the general code runs cases by an integrator; they are of one structure.
  struct GeneralRun {
    std::string function;  ///< "" where there is none
    std::size_t room = 0;
  };
  const GeneralRun& general_run(Solver&, std::string_view integrator) const;

  bool any_;
  std::vector<host::DeviceFinding> found_;
  std::string obstacle_;
  const host::FoundDevice* device_ = nullptr;  ///< found with the obstacle, which stands before it
  host::DeviceCode code_;
  std::string why_general_, events_;
  std::vector<std::byte> tables_;                                        ///< of the general code
  mutable std::map<std::string, GeneralRun, std::less<>> general_runs_;  ///< that were asked for
  const Formulation* from_ = nullptr;
  std::vector<FieldValue> options_;
  std::uint64_t structure_ = 0;
  std::vector<double> numbers_;             ///< of the code; NaN: open
  std::unique_ptr<host::DeviceRuns> runs_;  ///< opened by the process that runs cases, when it does
  std::string lost_;                        ///< why that process does not use the device any more
};

}  // namespace polyform::apps
