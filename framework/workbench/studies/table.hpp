// The table of a study: a row per case.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/host/results/output_file.hpp"
#include "framework/host/results/record.hpp"

namespace polyform::host::inline studies {

struct CaseRow {
  std::size_t number = 0;
  std::vector<std::string> values;  ///< of the factors
  std::vector<double> quantities;   ///< NaN if the case failed
  bool done = false;
  std::string reason;  ///< why it failed, or what it warns of
};

struct StudyTable {
  std::vector<std::string> factors, quantities;
  std::vector<std::string> units;           ///< of the quantities; "" if not known
  std::vector<CaseRow> rows;                ///< in the order of the cases once sort() was called
  std::vector<std::string> factor_units{};  ///< "" if not known; none: of no factor

  /// Puts the rows in order. Failure (bad_input) if a case is there twice.
  void sort();
};

/// As comma-separated values: case, the factors, the quantities, status (done or failed), reason.
std::string header_line(const StudyTable&);
std::string row_line(const CaseRow&);
/// The fields of a line; nothing of it is left where quotes do not close.
std::vector<std::string> fields_of(std::string_view line);
/// Reads the fields of a row; false if they are none.
bool read_row(const std::vector<std::string>& fields, std::size_t factors, std::size_t quantities, CaseRow&);

/// A table of a CSV file; its columns between `case` and `status` are all taken as factors. Failure (bad_input) if it
/// is none.
StudyTable read_csv_table(const std::string& file);

/// Whether the file is a table of a study in HDF5, as write_table writes it.
bool is_hdf5_table(const std::string& file);
/// Such a table, and its record. Failure (bad_input) if it cannot be read.
StudyTable read_hdf5_table(const std::string& file, RecordFields&);

struct TrajectoryParts;
/// Writes the whole table by the extension of the file: .csv, or .h5 or .hdf5 with the record as attributes, `case`,
/// `status` and `reason`, and groups `factors` and `quantities` with a dataset each. trajectories: those that the file
/// joins, where it is one of HDF5. Failure (simulation_failed).
void write_table(OutputFile&, const StudyTable&, const RecordFields&, const TrajectoryParts* trajectories = nullptr);

}  // namespace polyform::host::inline studies
