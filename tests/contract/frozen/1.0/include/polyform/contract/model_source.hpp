// A solver as source: an interface of Solver, by query.
//
// The source is C++ for the one system that the solver was compiled for: its bodies one after the other, its numbers
// written out, its zeros left out. Compiled and linked with the SDK, it is a plugin with one formulation, whose solvers
// give what this one gives, to rounding, and sooner.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "polyform/contract/formulation.hpp"

namespace polyform {

/// Receives text, piece by piece.
class TextSink {
 public:
  virtual void put(std::string_view) noexcept = 0;

 protected:
  ~TextSink() = default;
};

/// Solver::query(ModelSource::interface_name) of a solver that can be written as source; nullptr of one that cannot.
class ModelSource {
 public:
  static constexpr std::string_view interface_name = "polyform.model_source.1";

  /// Writes the source, at a state that was encoded: where rows depend on others, those that the solver leaves out
  /// there are left out. failed: failure() says why; what was written means nothing then.
  ///
  /// name: of the plugin and its formulation: letters, digits and hyphens. model: what it was made of, for people, one
  /// line. variants: solvers by the same formulation with the same options, of variants of the model. The numbers in
  /// which they differ from this one stay open, so that the compiled solver carries all variants that differ in them
  /// alone; the others are constants of the source.
  virtual Status write(std::string_view name, std::string_view model, std::span<Solver* const> variants,
                       TextSink&) noexcept = 0;
  /// Why the last write failed: a sentence without a full stop.
  virtual std::string_view failure() const noexcept = 0;

 protected:
  ~ModelSource() = default;
};

}  // namespace polyform
