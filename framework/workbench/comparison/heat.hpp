// Runs of several solvers, each in a process of its own.
#pragma once

#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "framework/host/process/process.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "polyform/contract/formulation.hpp"

namespace polyform::host::inline comparison {

struct Contender {
  const Formulation* formulation = nullptr;
  std::vector<FieldValue> options;
};

/// One run. Results of its process are lost when it ends, except the files of the sinks and the note.
struct Heat {
  const Contender* contender = nullptr;
  RunSettings settings;
  /// The part by which all initial speeds and gravity are larger: for twins that start a little off.
  double perturbation = 0;
  std::vector<RowSink*> sinks = {};
  /// Makes a further sink, in the process; may be empty or return nullptr.
  std::function<std::unique_ptr<RowSink>()> open = {};
  /// Called in the process after the run; what it returns comes back as HeatEnd::note. May be empty.
  std::function<std::string()> note = {};
};

/// The end of a run.
struct HeatEnd {
  enum class How {
    done,
    skipped,  ///< the solver does not take the model
    failed,
    interrupted
  };
  How how = How::interrupted;
  std::optional<RunRecord> run;  ///< none if the solver was skipped, or took its process with it
  std::string reason;            ///< why it was skipped or failed; empty when it is done
  std::string note;
};

/// How several runs are made, and who hears of their progress.
struct HeatControl {
  ProcessLimits limits;
  std::size_t at_once = 1;
  const volatile std::sig_atomic_t* interrupted = nullptr;
  /// Called with the times that a run has reached, s; may be empty.
  std::function<void(std::size_t heat, double time)> progress = {};
};
std::vector<HeatEnd> run_heats(const System&, std::span<const Heat>, const HeatControl&);

}  // namespace polyform::host::comparison
