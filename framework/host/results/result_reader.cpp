#include "framework/host/results/result_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>

#include "framework/diagnostics.hpp"
#include "framework/host/reading/source.hpp"
#include "framework/host/results/hdf5_handle.hpp"

namespace polyform::host::inline results {

namespace {

using hdf5::check;
using hdf5::Handle;

herr_t collect_link(hid_t, const char* name, const H5L_info_t*, void* names) {
  try {
    static_cast<std::vector<std::string>*>(names)->push_back(name);
    return 0;
  } catch (const std::exception&) {
    return -1;
  }
}

[[noreturn]] void refuse(const std::string& path, std::string_view why, std::string remedy = {}) {
  if (remedy.empty()) remedy = "Give a file that polyform wrote with --output FILE.h5.";
  throw Failure(Exit::bad_input, fmt::format("cannot read results from {}: {}", path, why), std::move(remedy));
}

[[noreturn]] void refuse_layout(const std::string& path, const std::string& dataset) {
  refuse(path, fmt::format("the dataset {} is no table of results", dataset));
}

/// Messages in place of those of the library.
void check_readable(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found)
    refuse(path, "there is no such file", remedy_for_missing(path, {".h5", ".hdf5"}));
  if (error) refuse(path, error.message(), "Check the path and its permissions.");
  if (std::filesystem::is_directory(status)) refuse(path, "it is a folder", "Name the file within it.");
  if (H5Fis_hdf5(path.c_str()) == 0) refuse(path, "it is no HDF5 file");
}

/// Neighbouring columns in one dataset.
struct Table {
  Handle values;
  int rank;  ///< 1: a single column
  std::size_t first, columns, rows;
};

}  // namespace

struct ResultFile::Parts {
  explicit Parts(const std::string& at) : path(at), file(H5Fopen(at.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose) {
    record = hdf5::read_fields(file);
    std::erase_if(record, [](const RecordField& field) { return field.name == "record"; });
    std::vector<std::string> groups;
    check(H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, collect_link, &groups));
    for (const std::string& group : groups) add(group);
    // A killed run may have stored more rows in one than in another.
    for (const Table& table : tables) rows = std::min(rows, table.rows);
    if (std::ranges::find(channels, "time", &Channel::name) == channels.end())
      refuse(path, "there is no column time: it is no result of polyform");
  }

  /// A group of columns, or a single one where `name` is a dataset itself.
  void add(const std::string& name) {
    const bool table = check(H5Lexists(file, name.c_str(), H5P_DEFAULT)) > 0 &&
                       H5Lexists(file, (name + "/values").c_str(), H5P_DEFAULT) > 0;
    Handle dataset(H5Dopen2(file, (table ? name + "/values" : name).c_str(), H5P_DEFAULT), H5Dclose);
    const Handle space(H5Dget_space(dataset), H5Sclose);
    if (check(H5Sget_simple_extent_ndims(space)) != (table ? 2 : 1)) refuse_layout(path, name);
    hsize_t size[2] = {0, 1};
    check(H5Sget_simple_extent_dims(space, size, nullptr));
    using Texts = std::vector<std::string>;
    const Texts names = table ? hdf5::read_texts(file, name + "/channels") : Texts{name};
    const Texts units = table ? hdf5::read_texts(file, name + "/units") : Texts{hdf5::read_text(dataset, "unit")};
    const bool has_own = table && check(H5Lexists(file, (name + "/own_names").c_str(), H5P_DEFAULT)) > 0;
    const Texts own = has_own ? hdf5::read_texts(file, name + "/own_names") : Texts(names.size());
    if (names.size() != size[1] || units.size() != size[1] || own.size() != size[1]) refuse_layout(path, name);
    tables.push_back({std::move(dataset), table ? 2 : 1, channels.size(), names.size(), size[0]});
    for (std::size_t c = 0; c < names.size(); ++c)
      channels.push_back({names[c], units[c], table ? name : std::string(), own[c]});
  }

  std::vector<double> read(std::size_t first, std::size_t columns) const {
    std::vector<double> result(columns * rows), part;
    for (const Table& table : tables) {
      const std::size_t from = std::max(first, table.first);
      const std::size_t to = std::min(first + columns, table.first + table.columns);
      if (from >= to || rows == 0) continue;
      const hsize_t start[2] = {0, from - table.first}, count[2] = {rows, to - from};
      const Handle memory(H5Screate_simple(table.rank, count, nullptr), H5Sclose);
      const Handle space(H5Dget_space(table.values), H5Sclose);
      check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr));
      part.resize(rows * (to - from));
      check(H5Dread(table.values, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, part.data()));
      for (std::size_t c = from; c < to; ++c)
        for (std::size_t r = 0; r < rows; ++r) result[(c - first) * rows + r] = part[r * (to - from) + c - from];
    }
    return result;
  }

  std::string path;
  Handle file;
  RecordFields record;
  std::vector<Channel> channels;
  std::vector<Table> tables;
  std::size_t rows = std::numeric_limits<std::size_t>::max();
};

const ResultColumn* Results::find(std::string_view name) const {
  const auto found = std::ranges::find(columns, name, [](const ResultColumn& c) { return c.channel.name; });
  return found == columns.end() ? nullptr : &*found;
}

namespace {

/// Does what may fail in the library.
template <class Work>
auto reading(const std::string& path, const Work& work) {
  try {
    return work();
  } catch (const hdf5::Error& error) {
    if (error.number() == EAGAIN) refuse(path, "another program writes to it", "Wait until that has ended.");
    if (error.number() != 0) refuse(path, std::strerror(error.number()), "Check the path and its permissions.");
    refuse(path, error.what());
  }
}

}  // namespace

ResultFile::ResultFile(const std::string& path) {
  hdf5::set_up();
  check_readable(path);
  parts_ = reading(path, [&] { return std::make_unique<Parts>(path); });
}
ResultFile::~ResultFile() = default;
ResultFile::ResultFile(ResultFile&&) noexcept = default;
ResultFile& ResultFile::operator=(ResultFile&&) noexcept = default;

const std::vector<Channel>& ResultFile::channels() const { return parts_->channels; }
const RecordFields& ResultFile::record() const { return parts_->record; }
std::size_t ResultFile::rows() const { return parts_->rows; }

std::vector<double> ResultFile::read(std::size_t first_column, std::size_t columns) const {
  return reading(parts_->path, [&] { return parts_->read(first_column, columns); });
}

std::size_t ResultFile::columns_at_once() const {
  constexpr std::size_t most_numbers = (64u << 20) / sizeof(double), columns_of_a_chunk = 256;
  return std::clamp<std::size_t>(most_numbers / std::max<std::size_t>(rows(), 1), 1, columns_of_a_chunk);
}

Results ResultFile::read_all() const {
  Results results{{}, record()};
  const std::size_t all = channels().size();
  for (std::size_t first = 0; first < all; first += columns_at_once()) {
    const std::size_t columns = std::min(columns_at_once(), all - first);
    const std::vector<double> values = read(first, columns);
    for (std::size_t c = 0; c < columns; ++c) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(c * rows());
      results.columns.push_back({channels()[first + c], {begin, begin + static_cast<std::ptrdiff_t>(rows())}});
    }
  }
  return results;
}

}  // namespace polyform::host::results
