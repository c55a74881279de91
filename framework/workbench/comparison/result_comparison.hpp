// Compares runs by their result files, in the way in which `compare` compares the runs that it makes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/host/results/result_reader.hpp"
#include "framework/workbench/comparison/consensus.hpp"

namespace polyform::host::inline comparison {

/// A result that takes part; it has a column `time`.
struct ComparedResult {
  const Results* results = nullptr;
  bool reactions = true;                  ///< whether its reactions are to be read
  std::vector<std::string> kernels = {};  ///< that its solver runs; runs of one solver share one more, its own
};

struct ResultComparison {
  ResultComparison() = default;
  ResultComparison(ResultComparison&&) = default;  // a copy would point to names in the original
  ResultComparison& operator=(ResultComparison&&) = default;

  std::vector<Deviation> deviations;  ///< one per result; their names lie in the consensus, as does that of `first`
  Votes votes;                        ///< of the results
  std::optional<Parting> first;       ///< the earliest parting; witness: index of the result
  std::vector<Side> sides;            ///< there; runs: indices of results
  double until = 0;                   ///< the last time that all have, s
  bool unique_parts = false;          ///< whether of each reaction that is open in part the unique part is compared
  Results consensus;                  ///< the columns that all have at the times that all have; without a record
};

/// A joint whose reaction is open in part.
struct OpenJoint {
  std::string name;
  std::string axes;                          ///< the body in whose axes the directions are; empty: ground
  std::optional<OpenDirections> directions;  ///< along the motion, where the results tell
};
/// The joints of a system whose reactions are open in part, along the motion that results have.
std::vector<OpenJoint> open_joints(const System&, const Results&);

/// What is known of the system that the results are of.
struct ComparedSystem {
  double reach = 0;             ///< of the largest body, m, see Scales
  Scale acting = {};            ///< at the start
  std::vector<OpenJoint> open;  ///< of whose reactions only the unique part is judged, where it is known
};

/// Compares the columns and times that all results have; times that differ by a billionth of the shortest run are the
/// same. Only complete items are judged, such as a position of three columns. If the system is not known, its unique
/// reactions are not known either: no reaction takes part. Nothing if there are fewer than two results, or no such
/// times.
std::optional<ResultComparison> compare(std::span<const ComparedResult>, const std::optional<ComparedSystem>&,
                                        double tolerance);

}  // namespace polyform::host::comparison
