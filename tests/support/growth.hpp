// How the time of a task grows with its size: a claim that holds on any machine.
#pragma once

#include <algorithm>
#include <ctime>
#include <limits>

namespace polyform::test {

/// Processor time of this process for the task, s: the least of three.
template <class Task>
double processor_seconds(const Task& task) {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 3; ++k) {
    const std::clock_t start = std::clock();
    task();
    least = std::min(least, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return least;
}

/// Whether `task(16 n)` takes nearer to 16 times what `task(n)` takes than to 256 times: caches and neighbours that
/// take them away are worth a factor of two or three. On a busy machine they may be worth more for a while: what grows
/// like that does so each time.
template <class Task>
bool grows_linearly(const Task& task, std::size_t n) {
  for (int round = 0; round < 4; ++round)
    if (processor_seconds([&] { task(16 * n); }) < 64 * processor_seconds([&] { task(n); })) return true;
  return false;
}

}  // namespace polyform::test
