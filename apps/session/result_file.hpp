// The output of a run.
#pragma once

#include <memory>
#include <string>

#include "framework/host/simulation/columns.hpp"
#include "framework/host/simulation/result_sink.hpp"

namespace polyform::apps {

/// Facts about a run that are written before it starts.
host::RecordFields known_of(const host::System&, std::string_view solver, const host::RunSettings&);

/// Opens the output for a run of the solver; nullptr when the path is empty. Throws what make_writer and its begin do.
std::unique_ptr<host::RowSink> open_result(const host::System&, const std::string& path, const host::Columns&,
                                           std::string_view solver, const host::RunSettings&);

}  // namespace polyform::apps
