// The formulation that is made of the kernels of a compiled model (model_source.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "polyform/contract/plugin.hpp"
#include "polyform/mechanics/pack.hpp"
#include "polyform/solvers/compiled_room.hpp"

namespace polyform {

/// The compiler's vector for the instruction set of the plugin.
using CompiledNumbers = VectorOf<pack_size>::Numbers;

/// A model that was compiled, as its source tells it. Everything outlives the library.
struct CompiledModel {
  const char* name;         ///< of the formulation
  const char* model;        ///< what it was made of
  std::uint64_t structure;  ///< bodies, joints, loops and what acts where (CompiledStructure)
  const double* numbers;    ///< those of the model, in the order of Arrays::numbers(); a NaN may be any
  std::size_t number_count;
  const unsigned* rows_left_out;  ///< a bit each, per loop
  std::size_t operations, work;   ///< of both kernels together; numbers in CompiledRoom::work
  bool carries_forces;            ///< what acts is in the kernels
  void (*move_one)(const CompiledRoom<double>&);
  void (*accelerate_one)(const CompiledRoom<double>&);
  void (*move_lanes)(const CompiledRoom<CompiledNumbers>&);
  void (*accelerate_lanes)(const CompiledRoom<CompiledNumbers>&);
};

/// The formulation of a compiled model. One model per library; it outlives the formulation.
const Formulation& compiled_formulation(const CompiledModel&) noexcept;

}  // namespace polyform
