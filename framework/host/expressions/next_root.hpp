// When one of several expressions of time changes its sign next.
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
  Program rates;  ///< no number where a function has no derivative that is an expression
};

/// The first time after t at which one of them changes its sign; infinity when interval arithmetic proves that none
/// does. Where neither a change nor a proof is found with bounded effort, a time up to which there is none that lasts:
/// nothing happens there, and the search goes on from it.
double next_root(const TimeRoots&, double t) noexcept;

}  // namespace polyform::host::inline expressions
