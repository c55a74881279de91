// The output of a run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/host/columns/columns.hpp"
#include "framework/host/simulation/result_sink.hpp"
#include "framework/workbench/comparison/heat.hpp"

namespace polyform::apps {

/// Facts about a run that are written before it starts.
host::RecordFields known_of(const host::System&, std::string_view solver, const host::RunSettings&);

/// Opens the output for a run of the solver; nullptr when the path is empty. Throws what make_writer and its begin do.
std::unique_ptr<host::RowSink> open_result(const host::System&, const std::string& path, const host::Columns&,
                                           std::string_view solver, const host::RunSettings&);

/// Where one of several solvers writes: NAME.csv becomes NAME.<solver>.csv.
std::string file_of(const std::string& output, std::string_view solver);
/// Refuses such files that cannot be written, before anything runs; the processes open them again.
void check_outputs(const std::string& output, const std::vector<host::Contender>&);

/// The same for a run that goes on from a time: the rows of the file up to there stay. Failure (bad_input) too where
/// these are not as many as the run had written.
std::unique_ptr<host::RowSink> reopen_result(const host::System&, const std::string& path, const host::Columns&,
                                             std::string_view solver, const host::RunSettings&, double from,
                                             std::size_t rows);

}  // namespace polyform::apps
