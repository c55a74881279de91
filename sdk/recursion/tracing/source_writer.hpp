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
};

/// Writes the source of a plugin (compiled_model.hpp). Kernels are cut into parts, functions that a compiler allocates
/// registers for in time proportional to their length; values go from part to part in CompiledRoom::work.
void write_source(const SourceHead&, const Trace&, TextSink&);

}  // namespace polyform::tracing
