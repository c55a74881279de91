// Work in a process of its own: its memory is its own, and a crash or an endless loop of an engine is a result.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace polyform::benchmark {

struct Limits {
  double seconds = 30;   ///< 0: none
  double gibibytes = 8;  ///< of address space beyond what a process starts with
};

struct ProcessResult {
  bool good = false;
  std::string text;  ///< the text that the work returned, or the reason for none: a sentence without a full stop
};

/// Runs the work in a copy of this process (framework/process). An exception of the work is its failure; that of Cannot
/// in its own words.
ProcessResult run_in_process(const std::function<std::string()>& work, const Limits&);

/// Counts the memory that this process takes from here on at its peak, beyond what it holds now. Freed memory is given
/// back first, so that it counts when it is taken again.
class MemoryCount {
 public:
  MemoryCount();
  double bytes() const;

 private:
  double before_;
};

}  // namespace polyform::benchmark
