// When one of several expressions of time changes its sign next.
#pragma once

#include "framework/host/expressions/program.hpp"

namespace polyform::host::inline expressions {

/// The first time after t at which a root of the program, whose only input is the time, changes its sign; infinity when
/// interval arithmetic proves that none does. Where neither a change nor a proof is found with a bounded effort, the
/// time up to which there is none: nothing happens there, and the search goes on from it.
double next_root(const Program&, double t) noexcept;

}  // namespace polyform::host::inline expressions
