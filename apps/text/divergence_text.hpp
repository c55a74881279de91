// Why two solvers part, in words.
#pragma once

#include <string>

#include "framework/workbench/comparison/comparison.hpp"

namespace polyform::apps {

/// What the runs at finer settings and the disturbed ones tell, and what is to be done.
std::string divergence_text(const host::Divergence&);

}  // namespace polyform::apps
