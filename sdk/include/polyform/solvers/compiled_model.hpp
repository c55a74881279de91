// What the source of a compiled model stands on (model_source.hpp): the arrays that its kernels read and write, and the
// formulation that is made of them. Kernels have no heap, no exception, no virtual call, and include nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "polyform/contract/plugin.hpp"
#include "polyform/mechanics/pack.hpp"

namespace polyform {

/// T: double, or the compiler's vector of as many as a register takes.
template <class T>
struct CompiledRoom {
  using Number = T;
  using Mask = decltype(T{} > T{});

  const double* y = nullptr;      ///< number i of the first lane at y[i · stride]
  double* ydot = nullptr;         ///< the same
  const T *sines = nullptr, *cosines = nullptr;   ///< of the angles
  const T *constants = nullptr, *frames = nullptr, *axes = nullptr, *ground = nullptr, *cuts = nullptr,
          *cut_axes = nullptr;    ///< numbers of the worlds
  const T *motions = nullptr;     ///< of joints that are code
  const T *loads = nullptr, *efforts = nullptr;   ///< what acts
  T* frame_motions = nullptr;     ///< written where something acts on the frame
  T* work = nullptr;              ///< from one part of a kernel to the next
  Mask* bad = nullptr;            ///< lanes that the world's own solver has to do

  /// One world stands by itself, and worlds in lanes in a batch of eight.
  static constexpr std::size_t stride = sizeof(T) == sizeof(double) ? 1 : 8;

  T state(std::size_t i) const {
    T x;
    std::memcpy(&x, y + i * stride, sizeof x);
    return x;
  }
  void put_rate(std::size_t i, const T& x) const { std::memcpy(ydot + i * stride, &x, sizeof x); }
  static T all(double x) { return T{} + x; }
  void check(const T& a, const T& b) const { *bad |= not_above(a, b); }

  static T absolute(const T& a) { return a < T{} ? -a : a; }
  static T greater(const T& a, const T& b) { return a < b ? b : a; }

 private:
  static Mask not_above(const T& a, const T& b) {
    if constexpr (sizeof(T) == sizeof(double))
      return !(a > b);
    else
      return ~(a > b);
  }
};

/// The compiler's vector for the instruction set of the plugin.
using CompiledNumbers = VectorOf<pack_size>::Numbers;

/// A model that was compiled, as its source tells it. Everything outlives the library.
struct CompiledModel {
  const char* name;                 ///< of the formulation
  const char* model;                ///< what it was made of
  std::uint64_t structure;          ///< bodies, joints, loops and what acts where (CompiledStructure)
  const double* numbers;            ///< those of the model, in the order of Arrays::numbers(); a NaN may be any
  std::size_t number_count;
  const unsigned* rows_left_out;    ///< a bit each, per loop
  std::size_t operations, work;     ///< of both kernels together; numbers in CompiledRoom::work
  void (*move_one)(const CompiledRoom<double>&);
  void (*accelerate_one)(const CompiledRoom<double>&);
  void (*move_lanes)(const CompiledRoom<CompiledNumbers>&);
  void (*accelerate_lanes)(const CompiledRoom<CompiledNumbers>&);
};

/// The formulation of a compiled model. One model per library; it outlives the formulation.
const Formulation& compiled_formulation(const CompiledModel&) noexcept;

}  // namespace polyform
