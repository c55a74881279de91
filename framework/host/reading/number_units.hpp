// The units of numbers as a model is read.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "framework/host/reading/document.hpp"

namespace polyform::host::inline reading {

/// While it lives, keeps the unit of each number that this thread reads, by the node of the number. Only one may live.
class NumberUnits {
 public:
  NumberUnits();
  ~NumberUnits();
  NumberUnits(const NumberUnits&) = delete;
  NumberUnits& operator=(const NumberUnits&) = delete;

  /// "" for a number without a unit, and for a node that was not read as a number.
  std::string of(const Node&) const;
  /// Called by readers: the node was read as a number in this unit.
  static void keep(const Node&, std::string_view unit);

 private:
  std::unordered_map<const Node*, std::string> units_;
};

}  // namespace polyform::host::inline reading
