// Initial positions: loops closed, with given coordinates kept where the loops allow it.
#pragma once

#include <vector>

#include "framework/host/assembly/position_search.hpp"
#include "framework/host/assembly/start.hpp"

namespace polyform::host::inline assembly {

class StartPositions {
 public:
  explicit StartPositions(Start& start) : start_(start) {}
  /// False, with an error told, where no positions meet all loops, constraint elements and modules.
  bool find();

 private:
  void tell_positions();
  void tell_open_positions(const std::vector<double>& drawn, const std::vector<char>& settled);
  double unsaid_change(const JointData&, std::size_t coordinate) const;
  void report_no_residual(const Item&, std::string_view type);
  bool report_no_number(const std::vector<double>& start);
  void report_open_loop(const std::vector<double>& start, const PositionSearch::Open&);

  Start& start_;
};

}  // namespace polyform::host::inline assembly
