// A study by the command, in lanes and workers, beside one that runs each case for itself.
#pragma once

#include <cstddef>
#include <string>

namespace polyform::benchmark {

/// Ten rods on ball joints that are let go when they lie flat, 1 s, with tolerances that end within 1e-6.
std::string drop_of_ten_rods();

/// Variants of that model by `polyform study`, start and table included: wall time and processor time of all its
/// processes, for one worker without lanes, one with, and the usual number of workers. scalar_seconds: of one run of
/// the model in this process, alone.
void measure_study(std::size_t cases, double scalar_seconds);

}  // namespace polyform::benchmark
