// Reads what the HDF5 writer wrote.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/host/results/channel.hpp"
#include "framework/host/results/record.hpp"

namespace polyform::host::inline results {

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

/// A result file of which parts are read as they are needed.
class ResultFile {
 public:
  /// Failure (bad_input) when it cannot be read or is none: every result has a column `time`.
  explicit ResultFile(const std::string& path);
  ~ResultFile();
  ResultFile(ResultFile&&) noexcept;
  ResultFile& operator=(ResultFile&&) noexcept;

  const std::vector<Channel>& channels() const;  ///< in the order of Results::columns
  const RecordFields& record() const;            ///< as in Results
  std::size_t rows() const;
  /// The values of some neighbouring columns, one column after the other. Failure as above.
  std::vector<double> read(std::size_t first_column, std::size_t columns) const;
  Results read_all() const;  ///< Failure as above
  /// How many columns to read at a time: as they are stored, but no more than 64 MiB.
  std::size_t columns_at_once() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace polyform::host::results
