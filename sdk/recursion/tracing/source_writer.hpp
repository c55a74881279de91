// A trace as C++.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "polyform/contract/model_source.hpp"
#include "symbol.hpp"

namespace polyform::tracing {

/// What the source tells of the model beside its kernels.
/// Each member becomes one constant or one table of the source.
struct SourceHead {
  std::string_view name, model;
  std::uint64_t structure;
  std::span<const double> numbers;
  std::span<const unsigned> rows_left_out;
  /// Of runs on a device: numbers of a state, where angles and quaternions stand in it, where the arrays of numbers
  /// begin (in the order of Arrays::numbers()), and whether a device can run the model.
  std::size_t states = 0;
  std::vector<std::size_t> angles{}, quaternions{}, arrays{};
  bool stands_alone = false;
  bool carries_forces = false;  ///< forces act, and their laws are in the kernels
  std::size_t events = 0;       ///< event functions of these forces
  /// Of the loops: their rows, where the coordinates of cut joints stand in a state, and those of them that are angles;
  /// coordinates of the tree, which stand first; and LoopCorrection::tolerance.
  std::size_t rows = 0;
  std::vector<std::size_t> cuts{}, turns{};
  std::size_t positions = 0, velocities = 0;
  double closing_tolerance = 0;
};

/// Writes the source of a plugin (compiled_model.hpp). Kernels are cut into parts, functions that a compiler allocates
/// registers for in time proportional to their length; values go from part to part in CompiledRoom::work.
/// closing: of trace_closing(), or nullptr.
void write_source(const SourceHead&, const Trace&, const Trace* closing, TextSink&);

}  // namespace polyform::tracing
