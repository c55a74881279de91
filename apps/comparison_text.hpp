// What compare prints for people.
#pragma once

#include "framework/assembly/system.hpp"
#include "framework/comparison/comparison.hpp"
#include "framework/comparison/sweep.hpp"

namespace polyform::apps {

void print_comparison(const host::System&, const host::RunSettings&, double tolerance, const host::Comparison&);
void print_sweep(const host::System&, const host::RunSettings&, host::SweepOf, const host::Sweep&);

/// Where solvers part, as one sentence; and what is to be made of it.
std::string parting_text(const host::Comparison&, const host::Parting&);
std::string divergence_text(const host::Divergence&);

}  // namespace polyform::apps
