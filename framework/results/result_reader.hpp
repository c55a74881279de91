// Reads what the HDF5 writer wrote.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "framework/results/channel.hpp"
#include "framework/results/record.hpp"

namespace polyform::host {

struct ResultColumn {
  Channel channel;
  std::vector<double> values;  ///< one per row
};

struct Results {
  std::vector<ResultColumn> columns;  ///< by group in alphabetical order, then as written
  RecordFields record;                ///< alphabetical; without the JSON text `record`

  /// The column of that name, or nullptr.
  const ResultColumn* find(std::string_view name) const;
};

/// All of an HDF5 result file. Failure (bad_input) when it cannot be read or is none.
Results read_results(const std::string& path);

}  // namespace polyform::host
