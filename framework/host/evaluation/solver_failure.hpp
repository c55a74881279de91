// What is said where a solver could not do what it was asked for.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "framework/diagnostics.hpp"

namespace polyform::host::inline evaluation {

/// Throws Failure (simulation_failed). t: s; why: the solver's reason, or that of what corrects its state.
[[noreturn]] inline void fail_solver(double t, std::string_view why) {
  throw Failure(Exit::simulation_failed,
                fmt::format("the solver failed at t = {:.6g} s: {}", t, why.empty() ? "it gives no reason" : why));
}

}  // namespace polyform::host::inline evaluation
