#include "framework/results/hdf5_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "framework/diagnostics.hpp"
#include "framework/results/hdf5_handle.hpp"

namespace polyform::host {

namespace {

using Clock = std::chrono::steady_clock;
using hdf5::check;
using hdf5::Handle;

// Rows of a chunk, and of a block in memory. Large, because with many datasets the time goes into their number.
constexpr std::size_t block_bytes = 256u << 20, most_rows = 256, fewest_rows = 8;
constexpr double longest_wait = 2;  // s between flushes, or longer where they are slow:
constexpr double flush_share = 20;  // times as long as a flush took

// Upper bounds of what HDF5 adds to the numbers: headers and indices of a dataset, texts of a column, the
// record and the groups.
constexpr std::size_t object_bytes = 2048, column_bytes = 32, record_bytes = 1u << 16;

/// The columns of one dataset.
struct Object {
  std::string path;
  std::vector<std::size_t> columns;
  std::vector<std::string> components, units;
  bool table;  ///< N × k; else N numbers
};

std::vector<Object> arrange(std::span<const Channel> channels) {
  std::vector<Object> objects;
  std::map<std::string, std::size_t> index;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const ChannelPlace place = place_of(channels[c]);
    std::string path = place.group + "/" + hdf5::link_name(place.object);
    const auto [found, is_new] = index.try_emplace(path, objects.size());
    if (is_new) objects.push_back({std::move(path), {}, {}, {}, !place.component.empty()});
    Object& object = objects[found->second];
    object.columns.push_back(c);
    object.components.push_back(place.component);
    object.units.push_back(channels[c].unit);
  }
  return objects;
}

class Hdf5Writer final : public ResultWriter {
 public:
  explicit Hdf5Writer(std::unique_ptr<OutputFile> output) : output_(std::move(output)), path_(output_->path()) {
    hdf5::set_up();
  }

  ~Hdf5Writer() override {
    try {
      if (file_ >= 0) flush();
    } catch (const std::exception&) {
      // The run has failed for a reason of its own, which matters more.
    }
  }

  void begin(std::span<const Channel> channels, const RecordFields& record) override {
    guarded([&] {
      const Clock::time_point start = Clock::now();
      output_->replace();
      output_->unlock();
      create_file();
      objects_ = arrange(channels);
      columns_ = channels.size();
      const std::size_t row_bytes = sizeof(double) * std::max<std::size_t>(columns_, 1);
      chunk_rows_ = std::clamp(block_bytes / row_bytes, fewest_rows, most_rows);
      reserve(objects_.size() * object_bytes + columns_ * column_bytes);
      for (const Object& object : objects_) create_dataset(object);
      write_record(record);
      check(H5Fflush(file_, H5F_SCOPE_LOCAL));
      trim();
      flushed_ = Clock::now();
      // The best guess of what a flush will take.
      flush_seconds_ = std::chrono::duration<double>(flushed_ - start).count();
    });
  }

  void row(std::span<const double> values) override {
    if (waiting_ == 0) block_.clear();
    block_.insert(block_.end(), values.begin(), values.end());
    ++waiting_;
    const double age = std::chrono::duration<double>(Clock::now() - flushed_).count();
    // A block ends with a chunk, so that no chunk is written twice unless the wait was long.
    if ((written_ + waiting_) % chunk_rows_ == 0 || age > std::max(longest_wait, flush_share * flush_seconds_))
      guarded([&] { flush(); });
  }

  void finish(const RecordFields& record) override {
    guarded([&] {
      flush();
      reserve(0);
      write_record(record);
      check(H5Fflush(file_, H5F_SCOPE_LOCAL));
      trim();
      file_.close();
      output_->close();
    });
  }

 private:
  /// Turns errors of the library into a Failure; after one, nothing more is written.
  template <class Part>
  void guarded(const Part& part) {
    try {
      part();
    } catch (const hdf5::Error& error) {
      // Closing would try to write again, which the library does not survive; what was flushed is safe.
      file_.abandon();
      if (error.number() != 0) fail_to_write(path_, error.number());
      throw Failure(Exit::simulation_failed,
                    fmt::format("cannot write results to {}: HDF5 says: {}", path_, error.what()));
    }
  }

  void create_file() {
    const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose), access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    // Files of format 1.8: readable by all, and not marked as damaged when the process is killed.
    check(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18));
    // Small index nodes: most datasets have few chunks.
    check(H5Pset_istore_k(creation, 8));
    file_ = Handle(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose);
  }

  void create_dataset(const Object& object) {
    const hsize_t width = object.columns.size();
    const hsize_t size[2] = {0, width}, limit[2] = {H5S_UNLIMITED, width}, chunk[2] = {chunk_rows_, width};
    const int rank = object.table ? 2 : 1;
    const Handle space(H5Screate_simple(rank, size, limit), H5Sclose);
    const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose), links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    check(H5Pset_chunk(creation, rank, chunk));
    check(H5Pset_shuffle(creation));
    check(H5Pset_deflate(creation, 1));
    check(H5Pset_obj_track_times(creation, false));
    check(H5Pset_create_intermediate_group(links, 1));
    check(H5Pset_char_encoding(links, H5T_CSET_UTF8));
    const Handle dataset(
        H5Dcreate2(file_, object.path.c_str(), H5T_IEEE_F64LE, space, links, creation, H5P_DEFAULT), H5Dclose);
    if (object.table) {
      hdf5::write_attribute(dataset, "channels", object.components);
      hdf5::write_attribute(dataset, "units", object.units);
    } else {
      hdf5::write_attribute(dataset, "unit", object.units.front());
    }
  }

  /// Fields replace those of the same name.
  void write_record(const RecordFields& fields) {
    for (const RecordField& field : fields) {
      const auto same = std::ranges::find(record_, field.name, &RecordField::name);
      if (same != record_.end())
        *same = field;
      else
        record_.push_back(field);
      std::visit([&](const auto& value) { hdf5::write_attribute(file_, field.name, value); }, field.value);
    }
    hdf5::write_attribute(file_, "record", json_text(record_));
  }

  void flush() {
    const Clock::time_point start = Clock::now();
    const std::size_t rows = std::exchange(waiting_, 0);
    // Where the space lacks, the rows are given up before HDF5 hears of them, and the file stays sound.
    if (rows > 0) {
      reserve(block_.size() * sizeof(double) + objects_.size() * object_bytes);
      for (const Object& object : objects_) append(object, rows);
      written_ += rows;
      check(H5Fflush(file_, H5F_SCOPE_LOCAL));
      trim();
    }
    flushed_ = Clock::now();
    flush_seconds_ = std::chrono::duration<double>(flushed_ - start).count();
  }

  /// HDF5 leaves a broken file behind when the disk fills up while it writes: it must not come to that.
  void reserve(std::size_t growth) {
    hsize_t size = 0;
    check(H5Fget_filesize(file_, &size));
    output_->reserve(size, growth + record_bytes);
  }
  void trim() {
    hsize_t size = 0;
    check(H5Fget_filesize(file_, &size));
    output_->trim(size);
  }

  void append(const Object& object, std::size_t rows) {
    part_.clear();
    for (std::size_t r = 0; r < rows; ++r)
      for (const std::size_t c : object.columns) part_.push_back(block_[r * columns_ + c]);
    const int rank = object.table ? 2 : 1;
    const hsize_t width = object.columns.size();
    const hsize_t size[2] = {written_ + rows, width}, offset[2] = {written_, 0}, count[2] = {rows, width};
    const Handle dataset(H5Dopen2(file_, object.path.c_str(), H5P_DEFAULT), H5Dclose);
    check(H5Dset_extent(dataset, size));
    const Handle space(H5Dget_space(dataset), H5Sclose), memory(H5Screate_simple(rank, count, nullptr), H5Sclose);
    check(H5Sselect_hyperslab(space, H5S_SELECT_SET, offset, nullptr, count, nullptr));
    check(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, part_.data()));
  }

  std::unique_ptr<OutputFile> output_;
  std::string path_;
  Handle file_;
  std::vector<Object> objects_;
  RecordFields record_;
  std::size_t columns_ = 0, chunk_rows_ = 0;
  std::size_t written_ = 0, waiting_ = 0;  // rows
  std::vector<double> block_, part_;       // the waiting rows, and those columns of them that go into one dataset
  Clock::time_point flushed_;
  double flush_seconds_ = 0;
};

}  // namespace

std::unique_ptr<ResultWriter> make_hdf5_writer(std::unique_ptr<OutputFile> output) {
  return std::make_unique<Hdf5Writer>(std::move(output));
}

}  // namespace polyform::host
