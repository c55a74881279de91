// The summary of a study.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "apps/text/json_output.hpp"
#include "framework/workbench/studies/table.hpp"

namespace polyform::apps {

/// How the cases of a table ended.
struct StudyCounts {
  std::size_t cases = 0;  ///< of the study, or of the shard
  std::size_t done = 0, failed = 0, resumed = 0, warned = 0;
  double seconds = 0;  ///< of the wall clock

  void add(const host::CaseRow& row) {
    ++(row.done ? done : failed);
    if (row.done && !row.reason.empty()) ++warned;
  }
};
/// Those of the rows so far.
StudyCounts counts_of(const host::StudyTable&, std::size_t cases);

/// Least, mean and greatest value of a quantity over the cases that are done; nulls where none has a number.
struct QuantityRange {
  double least, mean, greatest;
  std::size_t numbers;  ///< of cases with a number
  std::size_t least_case, greatest_case;
};
QuantityRange range_of(const host::StudyTable&, std::size_t quantity);

/// Why cases failed, or what they warn of: one entry where only numbers differ, with how many there are and the first
/// of them; failures first, then the most frequent.
struct ReasonCount {
  std::string text;
  std::size_t count = 0, first = 0;
  bool done = false;
};
std::vector<ReasonCount> reasons_of(const host::StudyTable&);

std::string study_text(const host::StudyTable&, const StudyCounts&);
Json study_json(const host::StudyTable&, const StudyCounts&);

}  // namespace polyform::apps
