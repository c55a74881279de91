// Fans of trajectories: how the cases of a study spread in the course of time.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace polyform::host::inline studies {

/// The fan of one column. Between the rows of a case its values lie on straight lines; beyond its end it has none.
struct Fan {
  /// Parts of the cases that lie below.
  static constexpr std::array levels{0.05, 0.25, 0.5, 0.75, 0.95};

  std::string name, unit;
  std::vector<double> times;                                 ///< s
  std::array<std::vector<double>, levels.size()> quantiles;  ///< by level, at the times; NaN if no case has a value
  std::vector<std::size_t> numbers;                          ///< some cases
  std::vector<std::vector<double>> lines;                    ///< of these, at the times
};
struct Fans {
  std::vector<Fan> fans;
  std::size_t cases = 0, used = 0;  ///< that have trajectories, and of which quantiles are made
  std::size_t columns = 0;          ///< that there are; beyond a number they have no fan
  bool missing = false;             ///< the files that a table joins are not there
};

/// From a file that has trajectories (trajectory_file.hpp), or a table that joins them; none of a table without.
/// Failure (bad_input) if they cannot be read.
Fans read_fans(const std::string& file);

}  // namespace polyform::host::inline studies
