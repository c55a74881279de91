#include "framework/workbench/studies/fan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "framework/diagnostics.hpp"
#include "framework/workbench/studies/study_hdf5.hpp"
#include "framework/workbench/studies/trajectory_file.hpp"

namespace polyform::host::inline studies {

using results::hdf5::check;
using results::hdf5::Handle;

namespace {

// What a page shows and a browser draws at once.
constexpr std::size_t most_fan_times = 200, most_fan_cases = 20'000, most_fan_lines = 24, most_fan_columns = 40;
constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr const char* time_name = "time";

/// A dataset of cases × rows, which is read case by case in blocks.
class CaseRows {
 public:
  CaseRows(hid_t file, const std::string& name)
      : dataset_(H5Dopen2(file, fmt::format("{}/{}", trajectories_group, name).c_str(), H5P_DEFAULT), H5Dclose) {
    const Handle space(H5Dget_space(dataset_), H5Sclose);
    check(H5Sget_simple_extent_dims(space, shape_, nullptr));
  }
  std::size_t cases() const { return shape_[0]; }
  std::size_t rows() const { return shape_[1]; }
  /// The rows of a case; valid until the next call.
  const double* rows_of(std::size_t place) {
    constexpr std::size_t at_once = 256;
    if (block_.empty() || place < begin_ || place >= begin_ + block_.size() / rows()) {
      begin_ = place / at_once * at_once;
      const hsize_t start[2] = {begin_, 0}, size[2] = {std::min(at_once, cases() - begin_), rows()};
      block_.resize(size[0] * size[1]);
      const Handle memory(H5Screate_simple(2, size, nullptr), H5Sclose), space(H5Dget_space(dataset_), H5Sclose);
      check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, size, nullptr));
      check(H5Dread(dataset_, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, block_.data()));
    }
    return block_.data() + (place - begin_) * rows();
  }

 private:
  Handle dataset_;
  hsize_t shape_[2] = {0, 0};
  std::vector<double> block_;
  std::size_t begin_ = 0;
};

/// The value at a time, by straight lines between the rows; at: where to begin to look, for times that rise.
double value_at(const double* times, const double* values, std::size_t rows, double time, std::size_t& at) {
  while (at + 1 < rows && times[at + 1] < time) ++at;
  if (time <= times[at]) return time == times[at] ? values[at] : none;
  if (at + 1 >= rows || !(times[at + 1] >= time)) return none;
  const double share = (time - times[at]) / (times[at + 1] - times[at]);
  return share == 1 ? values[at + 1] : values[at] + share * (values[at + 1] - values[at]);
}

double quantile(std::vector<float>& values, double level) {
  if (values.empty()) return none;
  const auto at = static_cast<std::ptrdiff_t>(std::lround(level * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

/// The cases that have trajectories, and the end of the longest.
std::vector<std::size_t> places_with_rows(CaseRows& times, double& end) {
  std::vector<std::size_t> places;
  end = 0;
  for (std::size_t i = 0; i < times.cases(); ++i) {
    const double* const rows = times.rows_of(i);
    if (std::isnan(rows[0])) continue;
    places.push_back(i);
    for (std::size_t k = times.rows(); k-- > 0;)
      if (!std::isnan(rows[k])) {
        end = std::max(end, rows[k]);
        break;
      }
  }
  return places;
}

/// So many of the places, evenly apart.
std::vector<std::size_t> some_of(const std::vector<std::size_t>& places, std::size_t most) {
  if (places.size() <= most) return places;
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < most; ++i) chosen.push_back(places[i * places.size() / most]);
  return chosen;
}

void fill(Fan& fan, CaseRows& times, CaseRows& values, const std::vector<std::size_t>& places,
          const std::vector<std::size_t>& lines) {
  const std::size_t count = fan.times.size();
  std::vector<std::vector<float>> at_times(count);
  auto next = lines.begin();
  for (const std::size_t place : places) {
    const double *const t = times.rows_of(place), *const x = values.rows_of(place);
    std::size_t rows = times.rows(), at = 0;
    while (rows > 0 && std::isnan(t[rows - 1])) --rows;
    const bool is_line = next != lines.end() && *next == place;
    if (is_line) {
      fan.lines.emplace_back();
      ++next;
    }
    for (std::size_t k = 0; k < count; ++k) {
      const double value = value_at(t, x, rows, fan.times[k], at);
      if (std::isfinite(value)) at_times[k].push_back(static_cast<float>(value));
      if (is_line) fan.lines.back().push_back(value);
    }
  }
  for (std::size_t level = 0; level < Fan::levels.size(); ++level)
    for (std::size_t k = 0; k < count; ++k) fan.quantiles[level].push_back(quantile(at_times[k], Fan::levels[level]));
}

Fans fans_of(hid_t file) {
  Fans all;
  if (check(H5Lexists(file, trajectories_group, H5P_DEFAULT)) == 0) return all;
  const std::vector<double> numbers = read_numbers(file, "case");
  CaseRows times(file, time_name);
  if (times.cases() != numbers.size() || times.rows() == 0) return all;
  double end = 0;
  const std::vector<std::size_t> with_rows = places_with_rows(times, end), places = some_of(with_rows, most_fan_cases),
                                 lines = some_of(places, most_fan_lines);
  all.cases = with_rows.size();
  all.used = places.size();
  all.missing = places.empty();  // HDF5 takes what is not there for absent numbers
  if (places.empty()) return all;
  const std::size_t count = std::min(most_fan_times, times.rows());
  for (const std::string& name : names_in(file, trajectories_group)) {
    if (name == time_name || ++all.columns > most_fan_columns) continue;
    Fan& fan = all.fans.emplace_back();
    fan.name = name;
    fan.unit = unit_of(file, fmt::format("{}/{}", trajectories_group, name));
    for (std::size_t k = 0; k < count; ++k)
      fan.times.push_back(count > 1 ? end * static_cast<double>(k) / static_cast<double>(count - 1) : end);
    for (const std::size_t place : lines) fan.numbers.push_back(static_cast<std::size_t>(numbers[place]));
    CaseRows values(file, name);
    fill(fan, times, values, places, lines);
  }
  return all;
}

}  // namespace

Fans read_fans(const std::string& file) {
  results::hdf5::set_up();
  try {
    const Handle open(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    return fans_of(open);
  } catch (const results::hdf5::Error& error) {
    throw Failure(Exit::bad_input, fmt::format("the trajectories of {} cannot be read: {}", file, error.what()),
                  "Files of trajectories stand beside the table, where the study wrote them.");
  }
}

}  // namespace polyform::host::inline studies
