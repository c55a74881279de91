// Why two solvers part, in words.
#pragma once

#include <string>

#include "framework/workbench/comparison/comparison.hpp"

namespace polyform::apps {

/// The findings of the runs at finer settings and of the disturbed ones, and what to do.
std::string divergence_text(const host::Divergence&);

}  // namespace polyform::apps
