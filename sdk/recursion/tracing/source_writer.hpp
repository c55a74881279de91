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
struct SourceHead {
  std::string_view name, model;
  std::uint64_t structure;
  std::span<const double> numbers;
  std::span<const unsigned> rows_left_out;
  /// Of runs on a device: numbers of a state, where angles and quaternions stand in it, where the arrays of numbers begin
  /// (constants, frames, axes, ground), and whether nothing but gravity acts on a tree of joints without code.
  std::size_t states;
  std::vector<std::size_t> angles, quaternions, arrays;
  bool stands_alone;
};

/// Writes the source of a plugin (compiled_model.hpp). Kernels are cut into parts, functions that a compiler allocates
/// registers for in time proportional to their length; values go from part to part in CompiledRoom::work.
void write_source(const SourceHead&, const Trace&, TextSink&);

}  // namespace polyform::tracing
