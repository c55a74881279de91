// What compare --sweep prints for people.
#pragma once

#include <string>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "framework/workbench/comparison/sweep.hpp"

namespace polyform::apps {

void print_sweep(const host::System&, const host::RunSettings&, host::SweepOf, const host::Sweep&);
/// What the errors of a sweep are measured against and how good that is, each a sentence or two.
std::vector<std::string> sweep_texts(host::SweepOf, const host::Sweep&);

}  // namespace polyform::apps
