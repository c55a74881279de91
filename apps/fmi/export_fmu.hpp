// A model as an FMU: the archive with its description, its library, its plugins and its files.
#pragma once

#include <string>
#include <vector>

#include "apps/fmi/fmu_model.hpp"
#include "apps/text/json_output.hpp"
#include "framework/host/registry/registry.hpp"

namespace polyform::fmi {

struct ExportRequest {
  Settings settings;
  int version = 2;           ///< of the standard: 2 or 3
  std::string library = {};  ///< that goes into each FMU; "": that of the installation
};

/// What an export gave, for people.
struct Fmu {
  std::string bytes;
  std::size_t inputs = 0, outputs = 0, parameters = 0, starts = 0, states = 0, events = 0;
  std::vector<std::string> plugins;  ///< in it, by name
};

/// For programs: all but the bytes.
apps::Json summary(const Fmu&);

/// Reads the model once more, as the FMU will. Failures of FmuModel, and (bad_input) where a file cannot be read or the
/// library that goes into each FMU is missing.
Fmu export_fmu(const ExportRequest&, const host::Registry&);

}  // namespace polyform::fmi
