// What compare --sweep prints for people.
#pragma once

#include <string>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "framework/workbench/comparison/sweep.hpp"

namespace polyform::apps {

void print_sweep(const host::System&, const host::RunSettings&, host::SweepOf, const host::Sweep&);
/// Tells the reference for the errors of a sweep and how good it is, in a sentence or two each.
std::vector<std::string> sweep_texts(host::SweepOf, const host::Sweep&);

}  // namespace polyform::apps
