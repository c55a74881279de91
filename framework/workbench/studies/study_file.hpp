// Files that describe a study: a model, what is varied, and what is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/diagnostics.hpp"
#include "framework/host/reading/description.hpp"
#include "framework/host/registry/catalog.hpp"
#include "framework/workbench/studies/design.hpp"

namespace polyform::host::inline studies {

struct StudyFile {
  std::string model;  ///< its file; named in the study file from the folder of that
  std::vector<Factor> factors;
  DesignRequest design;
  std::vector<std::pair<std::string, std::string>> quantities;  ///< names and expressions
  SimulationItem simulation;                                    ///< over that of the model
  std::optional<std::string> solver;
  std::string device;        ///< by name, "auto" or "none"; "": none
  std::string trajectories;  ///< columns, with commas between; "": none
};

/// The study of a file whose first key tells that it is one (`study: 1`); nothing if it is another file, or cannot
/// be parsed: the reader of models tells why. Failure (bad_input, already said) after reports.
std::optional<StudyFile> read_study(const std::string& file, Diagnostics&);

/// JSON Schema (draft 2020-12) of study files.
std::string study_schema(const Catalog&);

}  // namespace polyform::host::inline studies
