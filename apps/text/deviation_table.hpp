// Deviations of runs from their consensus, as a table of a page.
#pragma once

#include <span>
#include <string>

#include "apps/report/report.hpp"

namespace polyform::apps {

/// One run.
struct DeviationRow {
  std::string name;
  const host::Deviation* deviation;
};

/// Three columns for each quantity that any run is compared in: how far, where, when; if there is none, only the
/// names. `of`: what the rows are, in a word.
ReportTable deviation_table(const std::string& of, std::span<const DeviationRow>);

}  // namespace polyform::apps
