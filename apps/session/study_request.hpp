// What a study is asked for: the command line together with a study file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/session/arguments.hpp"
#include "apps/session/study_case.hpp"
#include "framework/workbench/studies/design.hpp"
#include "framework/workbench/studies/journal.hpp"
#include "framework/workbench/studies/quantity.hpp"
#include "framework/workbench/studies/table.hpp"

namespace polyform::apps {

/// What the command `study` was given: one member for each option.
struct StudyArguments {
  std::string file;  ///< a model or a study
  std::vector<std::string> plugin_paths;
  bool lenient = false;
  CaseSettings cases;
  std::vector<std::string> vary, quantities;
  std::string method, shard, report;
  std::optional<std::uint64_t> seed, samples;
  std::size_t workers = 0;  ///< 0: as many as there are processors
  double time_limit = 600;  ///< s of one case; 0: none
  std::optional<double> memory_limit;
  std::optional<bool> isolate{};  ///< a process for each case; none: as the cases want it
  bool resume = false, json = false, quiet = false;
  std::vector<std::string> merge;
};

struct StudyRequest {
  std::string model;
  host::Design design;
  host::Quantities quantities;
  CaseSettings cases;
};

/// Failure (bad_input) if nothing is varied, or what host::Design and host::Quantities refuse.
StudyRequest request_of(const StudyArguments&);

/// The table of a study before its first case.
host::StudyTable empty_table(const StudyRequest&, const StudyCases&);

/// The row of a case that has ended.
host::CaseRow row_of(const StudyRequest&, host::CaseOutcome);

/// Which cases of a study are done here: those whose number leaves the index when divided by the count.
struct Shard {
  std::size_t index = 0, count = 1;
  bool holds(std::size_t number) const { return number % count == index; }
  /// How many of the cases of a study are in it.
  std::size_t cases(std::size_t all) const { return all / count + (all % count > index ? 1 : 0); }
};
/// From "I/N", I from 1. Failure (bad_input).
Shard read_shard(const std::string& text);

/// What makes a study what it is. files: that were read with the model; plugins: all that were found.
host::StudyRecord record_of(const StudyRequest&, const Shard&, const StudyCases&, const std::vector<std::string>& files,
                            const std::vector<host::PluginRecord>& plugins);

}  // namespace polyform::apps
