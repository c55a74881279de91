// The page of a study: maps, distributions, a scatter matrix, influence of factors, disagreement of solvers, fans of
// trajectories.
#pragma once

#include <string>

#include "framework/host/results/output_file.hpp"
#include "framework/host/results/record.hpp"
#include "framework/workbench/studies/fan.hpp"
#include "framework/workbench/studies/table.hpp"

namespace polyform::apps {

/// Writes the page. Numbers are rounded to 32 bits, so that 100 000 cases with ten columns stay below 10 MB. Failure
/// (simulation_failed) if the file cannot be written to its end.
void write_study_page(host::OutputFile&, const std::string& title, const host::StudyTable&, const host::RecordFields&,
                      const host::Fans& = {});

}  // namespace polyform::apps
