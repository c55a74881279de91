// Trajectories of a study in HDF5: a file of its own for each shard, and one that joins them by virtual datasets.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "framework/host/results/channel.hpp"
#include "framework/host/results/output_file.hpp"
#include "framework/workbench/studies/table.hpp"
#include "framework/workbench/studies/trajectory_journal.hpp"

namespace polyform::host::inline studies {

/// In each such file: `case`, and in the group `trajectories` a dataset for each column, cases × rows, with its unit;
/// NaN if a case has no such row. `time` is one of them.
inline constexpr const char* trajectories_group = "trajectories";

/// The file of trajectories that goes with a table: a.trajectories.h5 for a.csv and a.h5.
std::string trajectory_file_of(const std::string& table);

/// Writes those of the table's cases, in its order. Failure (simulation_failed).
void write_trajectories(OutputFile&, const StudyTable&, const std::vector<Channel>&, const TrajectoryJournal&);

/// A file of trajectories as others join it.
struct TrajectoryPart {
  std::string file;                  ///< from the folder of the file that joins it
  std::vector<std::size_t> numbers;  ///< its cases, in its order
  std::size_t rows = 0;              ///< of its datasets
};
/// What a file joins.
struct TrajectoryParts {
  std::vector<Channel> channels;
  std::vector<TrajectoryPart> parts;
};
/// Adds a file, to be joined by `joining`; its channels are added to those of the parts if there are none yet. Failure
/// (bad_input) if it is no file of trajectories, or has other channels.
void add_part(TrajectoryParts&, const std::string& file, const std::string& joining);
/// Writes a file that joins them and holds nothing of its own, in the order of the table. Failure (simulation_failed).
void write_joined(OutputFile&, const StudyTable&, const TrajectoryParts&);
/// The same into an open file, without `case`.
void join_trajectories(std::int64_t file, const StudyTable&, const TrajectoryParts&);

}  // namespace polyform::host::inline studies
