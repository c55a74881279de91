// One model through several formulations, each with a fresh solver in a process of its own.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/workbench/comparison/bounded_twin.hpp"
#include "framework/workbench/comparison/consensus.hpp"
#include "framework/workbench/comparison/divergence.hpp"
#include "framework/workbench/comparison/heat.hpp"

namespace polyform::host::inline comparison {

/// The outcome of one contender. One that did not finish, or that ran alone, has no deviation.
struct Standing : HeatEnd {
  std::string solver;
  bool reactions = true;               ///< whether it gives any
  std::optional<Deviation> deviation;  ///< from the consensus of all that finished
  std::optional<Parting> parting;      ///< where it leaves the consensus for the first time; witness: its index
};

struct Comparison {
  std::vector<Standing> standings;
  Votes votes;                           ///< of the standings that are compared
  std::optional<Parting> first;          ///< the earliest parting; witness: index of the standing
  std::vector<Side> sides;               ///< there; runs: indices of standings
  std::optional<Divergence> divergence;  ///< known where solvers part
  /// If none differ, and steps were long: whether the fastest gives the same with bounded steps.
  std::optional<BoundedTwin> bounded;
  std::vector<double> at_events;  ///< times of rows of which the motion alone is compared (consensus.hpp), s
  bool interrupted = false;       ///< before it was known, or before all had run
  double until = 0;               ///< the last time that all who finished have, s
};

/// A ten-thousandth of the system's size, or of a radian: smaller differences count as the same motion. Over some ten
/// periods integration errors at the default tolerances stay below a hundredth of it; wrong equations go far beyond it.
inline constexpr double default_agreement = 1e-4;

/// Makes the sink that writes a contender's results, in the contender's process; may return nullptr.
using SinkMaker = std::function<std::unique_ptr<RowSink>(std::string_view solver)>;

/// Runs all contenders. If they differ by more than the tolerance (relative, see Scales), two twins follow: of the
/// first that differs and of one of its peer. If they agree, a twin of the fastest with bounded steps follows. A
/// contender that fails loses only its own row. After an interruption, the contenders so far are compared.
Comparison compare(const System&, std::span<const Contender>, const RunSettings&, double tolerance, const HeatControl&,
                   const SinkMaker&);

}  // namespace polyform::host::comparison
