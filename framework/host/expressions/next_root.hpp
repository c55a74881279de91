// The next time at which one of several expressions of time changes its sign.
#pragma once

#include <span>

#include "framework/host/expressions/program.hpp"

namespace polyform::host::inline expressions {

/// Expressions whose only input is the time, with their derivatives, which bound them where they are nearly zero.
struct TimeRoots {
  TimeRoots() = default;
  /// The graph gets the derivatives.
  TimeRoots(Graph&, std::span<const NodeIndex> functions);
  Program functions;
  Program rates;  ///< NaN where the derivative of a function is no expression
};

/// The first time after t at which one of them changes its sign; infinity if interval arithmetic proves that none does.
/// If bounded effort finds neither a change nor a proof: a time up to which no change lasts. Nothing happens there, and
/// the search goes on from it.
double next_root(const TimeRoots&, double t) noexcept;

}  // namespace polyform::host::inline expressions
