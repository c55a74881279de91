// How far each of several runs of one model is from their consensus.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/workbench/comparison/trace.hpp"
#include "framework/workbench/comparison/votes.hpp"

namespace polyform::host::inline comparison {

/// A largest deviation, when and at which body or joint it occurs.
struct Departure {
  double value = 0, time = 0;
  std::string where;
  bool length = false;  ///< of a joint: in m, not in rad
};

/// The largest deviations of a run over all bodies or joints and rows, by quantity: m, rad, joint coordinates in m or
/// rad, modal coordinates, N, N m. Empty if the system has none or the run gives none.
struct Deviation {
  std::array<std::optional<Departure>, quantities.size()> of;
  const std::optional<Departure>& operator[](Quantity q) const { return of[static_cast<std::size_t>(q)]; }
  std::optional<Departure>& operator[](Quantity q) { return of[static_cast<std::size_t>(q)]; }
};

/// The scales of differences. For lengths: the diagonal of the box in which the origins of all bodies move, or the
/// reach of the largest body if that is more. For forces: the largest force of a joint, mass times acceleration of a
/// body, or what acts at the start (Scale). For moments: the largest likewise, or that force times that length. For
/// accelerations: the largest, or what acts. Each is at least what would move the system by its own length within the
/// run. Angles and modal coordinates have the scale 1; so has any other quantity that is zero throughout.
struct Scales {
  double length = 1, force = 1, moment = 1;
  double reach = 0;  ///< of the largest body; 0 if bodies have none
  double acceleration = 1, angular_acceleration = 1;
  double of(const TraceItem&) const;
};
/// One run that takes part.
struct Witness {
  TraceRows* trace = nullptr;
  bool reactions = true;                  ///< whether its reactions are to be read
  std::vector<std::string> kernels = {};  ///< that its solver shares with others
};
/// The votes of those that take part in a quantity.
Votes votes_of(std::span<const Witness>, bool reactions);

/// The scales of the median of several runs by votes, so that one wrong run does not set the scale. reach: see Scales.
/// acting: the scale at the start.
Scales scales_of(const TraceItems&, double reach, const Scale& acting, std::span<const Witness>);

/// The first row in which a run is further from the consensus than the tolerance, and the run, quantity and place with
/// the largest deviation there.
struct Parting {
  double time = 0, deviation = 0, relative = 0;
  Scales scales = {};  ///< at that time
  std::size_t witness = 0;
  Quantity quantity = Quantity::position;
  std::string where;
  bool length = false;  ///< of a joint: in m, not in rad
};

/// Runs that agree with each other where runs differ first: each is nearer to one of them than half the distance of the
/// differing run from the consensus.
struct Side {
  std::vector<std::size_t> runs;
  double votes = 0;  ///< of these runs together
};

struct Verdict {
  std::vector<Deviation> deviations;             ///< one per run
  std::vector<std::optional<Parting>> partings;  ///< of each run, whatever the others do
  std::optional<Parting> first;                  ///< the earliest parting; the largest one at that time
  std::vector<Side> sides;             ///< at the first parting; those with the fewest votes stand before the others
  double until = 0;                    ///< the last time that all runs have, s
  std::vector<double> at_events = {};  ///< times of rows of which the motion alone is compared, s
};

/// Judges over the rows that all runs have; runs that share kernels have one vote for each quantity. At least two runs.
/// Lengths are judged against the size that the system has had up to then, so that a body that flies far away later
/// does not hide what happens before. Forces are judged against the largest of the whole run, because they may begin
/// with nothing but rounding errors. So are lengths if no body has a reach, for the same reason.
///
/// Where rows touch, stick or lock, forces and accelerations jump. A row at that instant shows some runs before it and
/// others after it, as their errors have it: there modes differ, and agree in the rows before and after. Of such a row
/// the motion alone is compared.
Verdict judge(const TraceItems&, std::span<const Witness>, const Scales&, double tolerance);

/// The consensus of an item's numbers in several runs: the component-wise median by votes. Runs with the same number in
/// `votes` share a vote. So the consensus of two votes is their mean; one outlier of three votes does not move it, nor
/// does a kernel that many solvers share. Quaternions and angles first get the sign and the turn of the middle run, so
/// that the order of the runs does not matter; at the end, quaternions are normalized. numbers: one run after the
/// other, overwritten.
void consensus(TraceItem::Kind, std::span<double> numbers, std::span<const std::size_t> votes,
               std::span<double> result);

/// The numbers of an item in one run, and the vote in which the run has a share.
struct Ballot {
  const double* numbers;
  std::size_t vote;
};
/// Room to work in.
struct BallotBox {
  std::vector<double> numbers;
  std::vector<std::size_t> votes;
};
/// The consensus of those runs whose numbers are all finite. If there are none, returns false and leaves `result` as it
/// is.
bool consensus_of_finite(TraceItem::Kind, std::span<const Ballot> runs, BallotBox&, std::span<double> result);

/// The consensus of several runs, row by row, over the rows that all of them have.
std::unique_ptr<Trace> consensus(const TraceLayout&, std::span<Trace* const>, std::span<const std::size_t> votes);

/// How far apart an item is in two rows, in its own unit; infinite if a number is not finite.
double distance(const TraceItem&, const double* a, const double* b);

/// The largest relative distance of two runs, row by row, over the rows that both have; of the motion, or of the
/// reactions or accelerations alone.
struct DistanceRow {
  double time, distance;
};
std::vector<DistanceRow> distances(const TraceLayout&, Trace&, Trace&, const Scales&, Family);

}  // namespace polyform::host::comparison
