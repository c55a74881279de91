// The units of numbers as a model is read.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "framework/host/reading/document.hpp"

namespace polyform::host::inline reading {

/// While it lives, it keeps the unit of each number that this thread reads, by the node of the number. One at a time.
class NumberUnits {
 public:
  NumberUnits();
  ~NumberUnits();
  NumberUnits(const NumberUnits&) = delete;
  NumberUnits& operator=(const NumberUnits&) = delete;

  /// "" of a number without a unit, and of a node that was read as no number.
  std::string of(const Node&) const;
  /// For those that read: a number is read that is in this unit.
  static void keep(const Node&, std::string_view unit);

 private:
  std::unordered_map<const Node*, std::string> units_;
};

}  // namespace polyform::host::inline reading
