// Batches that tell times and nothing else.
#pragma once

#include <string_view>

namespace polyform::host::inline expressions {

/// What a batch's query gives under this name beside an EventSource: it has schedules and shortest times, but no event
/// functions and no guard. Nothing of it needs to be evaluated along a run.
class ClockSource {
 public:
  static constexpr std::string_view interface_name = "polyform.host.clock_source";
};

}  // namespace polyform::host::inline expressions
