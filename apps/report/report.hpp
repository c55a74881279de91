// The report: one self-contained page about one or more runs of a model, which opens offline in any browser.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/text/json_output.hpp"
#include "framework/host/columns/columns.hpp"
#include "framework/host/results/output_file.hpp"
#include "framework/host/results/result_reader.hpp"
#include "framework/host/simulation/simulate.hpp"
#include "framework/workbench/comparison/result_comparison.hpp"

namespace polyform::apps {

/// A run as the page shows it: its name there, and the file with its rows.
struct ReportRun {
  std::string label;
  host::ResultFile file;
  bool compared = true;   ///< whether it is part of the consensus; false if it failed or was interrupted
  bool reactions = true;  ///< whether its solver gives any
  std::vector<std::string> kernels = {};  ///< that its solver runs
};

/// A table of the page; a number is shown as such, null as a dash.
struct ReportTable {
  struct Column {
    std::string title, unit;  ///< unit "" if it has none
  };
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<Json>> rows;  ///< one entry per column; the first names the row
  std::vector<std::string> notes;
};

/// One run of a work–precision sweep.
struct WorkPrecision {
  std::string solver;
  double setting = 0;                         ///< the step or tolerance, as the sweep says
  double seconds = 0;                         ///< wall time
  std::size_t evaluations = 0;                ///< of the equations of motion
  std::vector<std::optional<double>> errors;  ///< as the sweep says; none if the model has no such quantity
};
struct ReportSweep {
  /// A kind of error that can be drawn.
  struct Error {
    std::string title;     ///< with unit: "largest position error, m"
    double reference = 0;  ///< error of the reference, as far as it is known
  };
  std::string setting;  ///< with unit: "step, s"
  std::vector<Error> errors;
  std::vector<WorkPrecision> points;
};

struct Report {
  std::string title;
  std::vector<ReportRun> runs;
  const host::System* system = nullptr;  ///< nullptr: no model file, and bodies without joints
  std::vector<ReportTable> tables;
  ReportSweep sweep;  ///< without points: none
  /// The comparison of the runs that can be compared; nothing if there are fewer than two, or if they have no times in
  /// common.
  std::optional<host::ResultComparison> comparison;
};

/// Compares the runs. The system, or nullptr if it is not known, tells which reactions are unique; without it no
/// reactions are compared. Runs part beyond the default tolerance of compare.
std::optional<host::ResultComparison> compare_runs(const std::vector<ReportRun>&, const host::System*);

/// Opens the file of the page ("-" is the output stream) before work is done for it. option: the option that names the
/// file. Failure (bad_input) if it cannot be written or its name does not end in .html, (simulation_failed) if this
/// build has no page.
std::unique_ptr<host::OutputFile> open_report(const std::string& path, std::string_view option);
/// Failure (bad_input) when --report and --output both name the output stream.
void check_streams(const std::string& page, const std::string& results);
/// Failure (bad_input) when so many runs would hold more numbers than a page can.
void check_page(const host::System&, const host::Columns&, const host::RunSettings&, std::size_t runs);
/// The same for earlier runs, before they are read.
void check_page(const std::vector<ReportRun>&);
/// Writes the page. Failure (bad_input) when the runs hold more numbers than a page can, (simulation_failed) when
/// writing fails on the way.
void write_report(host::OutputFile&, const Report&);

}  // namespace polyform::apps
