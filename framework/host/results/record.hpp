// The record of a run: what a result file says about it.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace polyform::host::inline results {

/// One fact, such as solver, step, started, status. Names are distinct.
struct RecordField {
  std::string name;
  std::variant<std::string, double, std::int64_t> value;
  bool operator==(const RecordField&) const = default;
};
using RecordFields = std::vector<RecordField>;

/// As one JSON object. Numbers that are not finite become null; text that is not UTF-8 is repaired.
std::string json_text(const RecordFields&);

}  // namespace polyform::host::results
