// One model through several formulations, one after the other, each with a fresh solver.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/assembly/system.hpp"
#include "framework/comparison/consensus.hpp"
#include "framework/simulation/simulate.hpp"
#include "polyform/formulation.hpp"

namespace polyform::host {

struct Contender {
  const Formulation* formulation = nullptr;
  std::vector<FieldValue> options;
};

/// What became of one contender. One that cannot run the model has no run; one that failed, or that stands alone, has
/// no deviation.
struct Standing {
  std::string solver;
  std::optional<RunRecord> run;
  std::string reason;                  ///< why it was skipped or failed; empty when it finished
  std::optional<Deviation> deviation;  ///< from the consensus of all that finished
};

/// Makes the sink that writes a contender's results; may return nullptr.
using SinkMaker = std::function<std::unique_ptr<RowSink>(std::string_view solver)>;

/// Runs all contenders; a failing one loses only its own row. Ends after an interruption, with the contenders so far.
std::vector<Standing> compare(const System&, std::span<const Contender>, const RunSettings&, const RunControl&,
                              const SinkMaker&);

}  // namespace polyform::host
