// Results as comma-separated values: a header line with the names of the channels, then a line per row. Numbers have
// the fewest digits that give back the same double. A name with a comma, a quote or a line break is quoted (RFC 4180).
// The record of the run has no place in this format.
#pragma once

#include <memory>
#include <string>

#include "framework/host/results/output_file.hpp"
#include "framework/host/results/result_writer.hpp"

namespace polyform::host::inline results {

/// A text as a field of such a table.
std::string quoted_in_csv(const std::string&);
std::unique_ptr<ResultWriter> make_csv_writer(std::unique_ptr<OutputFile>);

}  // namespace polyform::host::results
