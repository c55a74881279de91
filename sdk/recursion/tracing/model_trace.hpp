// The kernels of the lanes run on symbols: what they do for one system, operation by operation.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "polyform/solvers/lane_evaluation.hpp"
#include "source_writer.hpp"
#include "symbol.hpp"

namespace polyform::lanes {
template <class T>
class Arrays;
}  // namespace polyform::lanes

namespace polyform::tracing {

/// What of a world its kernels depend on apart from its numbers: bodies, joints, loops, and what acts where.
std::uint64_t structure_of(const LaneWorld&);

/// The numbers of a world in the order of Arrays::numbers(); NaN where the variants have others, or where the worlds
/// find them in each evaluation by themselves. Variants have the structure of the world.
std::vector<double> numbers_of(const LaneWorld&, std::span<const LaneWorld> variants);

/// Why runs on a device cannot carry the world, which LaneEvaluation carries or not; empty where they can.
std::string device_obstacle(const LaneWorld&);

/// What acts on the world, by the laws of its forces, which are told. After move(): writes loads and efforts of the
/// room, and puts the rates of states and the power.
void trace_forces(const LaneWorld&, lanes::Arrays<Symbol>&, Trace&);

/// What the source of the world tells runs on a device.
void tell_runs(const LaneWorld&, SourceHead&);

/// Rows that the world leaves out, a bit each, per loop.
std::vector<unsigned> rows_left_out_of(const LaneWorld&);

/// Of a world with loops that runs on a device: what a state misses of them; then, at rest, the step in positions and
/// velocities that gives the rows what is asked of them. numbers: as of trace().
void trace_closing(const LaneWorld&, std::span<const double> numbers, Trace&);

/// Runs both kernels of an evaluation. numbers: as numbers_of(); those that are NaN become inputs.
void trace(const LaneWorld&, std::span<const double> numbers, Trace&);

}  // namespace polyform::tracing
