#include "framework/workbench/studies/trajectory_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <unordered_map>

#include "framework/diagnostics.hpp"
#include "framework/workbench/studies/study_hdf5.hpp"

namespace polyform::host::inline studies {

using results::hdf5::check;
using results::hdf5::Handle;

namespace {

constexpr double absent = std::numeric_limits<double>::quiet_NaN();
/// The number of cases that are written at a time, and that a chunk holds.
constexpr std::size_t cases_at_once = 64;

std::string path_of(const Channel& channel) {
  return fmt::format("{}/{}", trajectories_group, link_name(channel.name));
}

void write_cases(hid_t file, const StudyTable& table) {
  std::vector<std::int64_t> numbers;
  for (const CaseRow& row : table.rows) numbers.push_back(static_cast<std::int64_t>(row.number));
  write_numbers(file, "case", numbers);
}

/// A dataset for each channel, with its unit.
std::vector<Handle> make_datasets(hid_t file, const std::vector<Channel>& channels, const hsize_t (&shape)[2]) {
  const hsize_t chunk[2] = {std::clamp<hsize_t>(shape[0], 1, cases_at_once), std::clamp<hsize_t>(shape[1], 1, 512)};
  const Handle space(H5Screate_simple(2, shape, nullptr), H5Sclose), creation = results::hdf5::chunked(2, chunk);
  check(H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &absent));
  std::vector<Handle> datasets;
  for (const Channel& channel : channels) {
    datasets.emplace_back(H5Dcreate2(file, path_of(channel).c_str(), H5T_NATIVE_DOUBLE, space,
                                     results::hdf5::with_groups(), creation, H5P_DEFAULT),
                          H5Dclose);
    results::hdf5::write_attribute(datasets.back(), "unit", channel.unit);
  }
  return datasets;
}

void fill(hid_t file, const StudyTable& table, const std::vector<Channel>& channels, const TrajectoryJournal& journal) {
  write_cases(file, table);
  make_ordered_group(file, trajectories_group);
  const std::size_t rows = journal.rows(), columns = channels.size();
  const hsize_t shape[2] = {table.rows.size(), rows};
  const std::vector<Handle> datasets = make_datasets(file, channels, shape);
  if (rows == 0) return;
  std::vector<double> block;
  for (std::size_t begin = 0; begin < table.rows.size(); begin += cases_at_once) {
    const std::size_t count = std::min(cases_at_once, table.rows.size() - begin);
    block.assign(columns * count * rows, absent);  // columns × cases × rows
    for (std::size_t i = 0; i < count; ++i) {
      if (!table.rows[begin + i].done) continue;
      const std::vector<double> one = journal.read(table.rows[begin + i].number);
      for (std::size_t k = 0; k < one.size(); ++k) block[(k % columns * count + i) * rows + k / columns] = one[k];
    }
    const hsize_t start[2] = {begin, 0}, size[2] = {count, rows};
    const Handle memory(H5Screate_simple(2, size, nullptr), H5Sclose);
    for (std::size_t c = 0; c < columns; ++c) {
      const Handle space(H5Dget_space(datasets[c]), H5Sclose);
      check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, size, nullptr));
      check(H5Dwrite(datasets[c], H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, block.data() + c * count * rows));
    }
  }
}

/// Selects whole rows of a space, of so many numbers each. Places at even distances make one block.
void select_rows(hid_t space, const std::vector<hsize_t>& places, hsize_t width) {
  const hsize_t step = places.size() > 1 && places[1] > places[0] ? places[1] - places[0] : 1;
  bool even = true;
  for (std::size_t i = 0; i < places.size(); ++i) even = even && places[i] == places[0] + i * step;
  const hsize_t one[2] = {1, width};
  if (even) {
    const hsize_t start[2] = {places[0], 0}, stride[2] = {step, width}, count[2] = {places.size(), 1};
    check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, one));
    return;
  }
  check(H5Sselect_none(space));
  for (const hsize_t place : places) {
    const hsize_t start[2] = {place, 0};
    check(H5Sselect_hyperslab(space, H5S_SELECT_OR, start, nullptr, one, nullptr));
  }
}

}  // namespace

std::string trajectory_file_of(const std::string& table) {
  return std::filesystem::path(table).replace_extension(".trajectories.h5").string();
}

void write_trajectories(OutputFile& output, const StudyTable& table, const std::vector<Channel>& channels,
                        const TrajectoryJournal& journal) {
  write_hdf5_file(output, [&](hid_t file) { fill(file, table, channels, journal); });
}

void add_part(TrajectoryParts& parts, const std::string& file, const std::string& joining) {
  namespace fs = std::filesystem;
  results::hdf5::set_up();
  const auto refuse = [&](const std::string& why) {
    throw Failure(Exit::bad_input, fmt::format("the trajectories {}: {}", file, why),
                  "Keep the files of trajectories beside the tables of the shards.");
  };
  TrajectoryPart part;
  std::vector<Channel> channels;
  try {
    const Handle open(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    for (const double number : read_numbers(open, "case")) part.numbers.push_back(static_cast<std::size_t>(number));
    for (const std::string& name : names_in(open, trajectories_group)) {
      channels.push_back({name, unit_of(open, fmt::format("{}/{}", trajectories_group, name))});
      const Handle dataset(H5Dopen2(open, path_of(channels.back()).c_str(), H5P_DEFAULT), H5Dclose),
          space(H5Dget_space(dataset), H5Sclose);
      hsize_t shape[2] = {0, 0};
      if (check(H5Sget_simple_extent_ndims(space)) == 2) check(H5Sget_simple_extent_dims(space, shape, nullptr));
      if (shape[0] != part.numbers.size()) refuse(fmt::format("{} has not a row for each case", name));
      part.rows = shape[1];
    }
  } catch (const results::hdf5::Error& error) {
    refuse(error.what());
  }
  if (parts.channels.empty()) parts.channels = channels;
  if (!std::ranges::equal(parts.channels, channels, {}, &Channel::name, &Channel::name))
    refuse("it has other columns than the shards before");
  std::error_code ignored;
  const fs::path folder = fs::absolute(joining).parent_path();
  part.file = fs::absolute(file).lexically_normal().lexically_proximate(folder.lexically_normal()).string();
  parts.parts.push_back(std::move(part));
}

void join_trajectories(std::int64_t file, const StudyTable& table, const TrajectoryParts& parts) {
  std::unordered_map<std::size_t, hsize_t> places;
  for (std::size_t i = 0; i < table.rows.size(); ++i) places[table.rows[i].number] = i;
  hsize_t shape[2] = {table.rows.size(), 0};
  for (const TrajectoryPart& part : parts.parts) shape[1] = std::max<hsize_t>(shape[1], part.rows);
  make_ordered_group(file, trajectories_group);
  const Handle space(H5Screate_simple(2, shape, nullptr), H5Sclose);
  for (const Channel& channel : parts.channels) {
    const std::string path = path_of(channel);
    const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    check(H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &absent));
    check(H5Pset_obj_track_times(creation, false));
    for (const TrajectoryPart& part : parts.parts) {
      if (part.numbers.empty() || part.rows == 0) continue;
      std::vector<hsize_t> ours;
      for (const std::size_t number : part.numbers) ours.push_back(places.at(number));
      const hsize_t theirs[2] = {part.numbers.size(), part.rows};
      const Handle target(H5Scopy(space), H5Sclose), source(H5Screate_simple(2, theirs, nullptr), H5Sclose);
      select_rows(target, ours, part.rows);
      check(H5Pset_virtual(creation, target, part.file.c_str(), path.c_str(), source));
    }
    const Handle dataset(
        H5Dcreate2(file, path.c_str(), H5T_NATIVE_DOUBLE, space, results::hdf5::with_groups(), creation, H5P_DEFAULT),
        H5Dclose);
    results::hdf5::write_attribute(dataset, "unit", channel.unit);
  }
}

void write_joined(OutputFile& output, const StudyTable& table, const TrajectoryParts& parts) {
  write_hdf5_file(output, [&](hid_t file) {
    write_cases(file, table);
    join_trajectories(file, table, parts);
  });
}

}  // namespace polyform::host::inline studies
