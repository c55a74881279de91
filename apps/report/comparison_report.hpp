// The page of compare: its findings and the rows of all solvers.
#pragma once

#include <memory>
#include <string>

#include "apps/report/report.hpp"
#include "apps/session/temporary_folder.hpp"
#include "framework/host/columns/columns.hpp"
#include "framework/workbench/comparison/comparison.hpp"
#include "framework/workbench/comparison/sweep.hpp"

namespace polyform::apps {

/// Each solver runs in its own process, so its rows come here by a file in a temporary folder.
class ComparisonReport {
 public:
  /// Opens the page. Failure as open_report and TemporaryFolder.
  explicit ComparisonReport(const std::string& path);

  /// For the process of a solver: a sink for its rows, which hands them to `other` too if there is one.
  std::unique_ptr<host::RowSink> sink(const host::System&, const host::Columns&, std::string_view solver,
                                      const host::RunSettings&, std::unique_ptr<host::RowSink> other) const;
  void add(const host::System&, double tolerance, const host::Comparison&);
  void add(host::SweepOf, const host::Sweep&);
  /// Failure as write_report.
  void write(const host::System&);

 private:
  std::string file_of(std::string_view solver) const;

  std::unique_ptr<host::OutputFile> page_;
  TemporaryFolder folder_;
  Report report_;
};

}  // namespace polyform::apps
