#include "framework/host/results/hdf5_writer.hpp"

#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <mutex>
#include <utility>

#include "framework/diagnostics.hpp"
#include "framework/host/results/file_writer.hpp"
#include "framework/host/results/hdf5_handle.hpp"
#include "framework/host/results/hdf5_objects.hpp"
#include "framework/original_process.hpp"

namespace polyform::host::inline results {

namespace {

using Clock = std::chrono::steady_clock;
using hdf5::check;
using hdf5::Handle;
using hdf5::Object;

// Rows of a chunk, and of a block in memory; numbers of a chunk.
constexpr std::size_t block_bytes = 64u << 20, most_rows = 256, fewest_rows = 8, chunk_numbers = 1u << 16;
constexpr double longest_wait = 2;  // s between flushes, or longer if they are slow:
constexpr double flush_share = 20;  // times as long as a flush took

// HDF5 adds no more than this to the numbers: headers and indices of a dataset, an index entry of a chunk, the record
// and the groups.
constexpr std::size_t object_bytes = 8192, chunk_bytes = 256, record_bytes = 1u << 16;

/// The library works in one thread at a time.
std::mutex one_in_the_library;

class Hdf5Writer final : public FileWriter {
 public:
  explicit Hdf5Writer(std::unique_ptr<OutputFile> output) : output_(std::move(output)), path_(output_->path()) {
    hdf5::set_up();
  }

  ~Hdf5Writer() override {
    try {
      if (file_ >= 0) flush();
    } catch (const std::exception&) {
      // The run has failed before, for a reason that matters more.
    }
  }

  void begin(std::span<const Channel> channels, const RecordFields& record) override {
    guarded([&] {
      const Clock::time_point start = Clock::now();
      output_->replace();
      output_->has_rows(0);
      output_->give_up();  // a file without all of its datasets is none
      output_->unlock();
      create_file();
      left_ = 0;
      arrange_rows(channels);
      std::size_t texts = 0;
      for (const Object& object : objects_) texts += object.text_bytes();
      reserve(3 * objects_.size() * object_bytes + texts);
      for (Object& object : objects_) create_dataset(object);
      write_record(record);
      check(H5Fflush(file_, H5F_SCOPE_LOCAL));
      trim();
      output_->take_over();
      flushed_ = Clock::now();
      // This is the best guess of the time that a flush takes.
      flush_seconds_ = std::chrono::duration<double>(flushed_ - start).count();
    });
  }

  std::size_t go_on(std::span<const Channel> channels, const RecordFields& record, double until) override {
    bool same = true;
    guarded([&] {
      const Clock::time_point start = Clock::now();
      hsize_t size = 0;
      output_->unlock();
      try {
        same = is_earlier(channels);
      } catch (const hdf5::Error&) {
        same = false;
      }
      if (!same) return;
      const Handle access = access_of_all();
      file_ = Handle(H5Fopen(path_.c_str(), H5F_ACC_RDWR, access), H5Fclose);
      check(H5Fget_filesize(file_, &size));
      output_->take_over();
      arrange_rows(channels);
      for (Object& object : objects_) object.path = object.dataset();
      written_ = rows_until(until);
      output_->has_rows(written_);
      for (const Object& object : objects_) {
        const hsize_t left[2] = {written_, object.columns.size()};
        const Handle dataset(H5Dopen2(file_, object.path.c_str(), H5P_DEFAULT), H5Dclose);
        check(H5Dset_extent(dataset, left));
      }
      write_record(record);
      check(H5Fflush(file_, H5F_SCOPE_LOCAL));
      trim();
      flushed_ = Clock::now();
      flush_seconds_ = std::chrono::duration<double>(flushed_ - start).count();
    });
    if (!same) refuse_to_go_on(path_);
    return written_;
  }

  void row(std::span<const double> values) override {
    if (waiting_ == 0) block_.clear();
    block_.insert(block_.end(), values.begin(), values.end());
    ++waiting_;
    // A block ends with a chunk, so that no chunk is written twice unless the wait was long.
    if ((written_ + waiting_) % chunk_rows_ == 0) guarded([&] { flush(); });
  }

  void store() override {
    if (waiting_ > 0) guarded([&] { flush(); });
  }

  void store_due() override {
    const double age = std::chrono::duration<double>(Clock::now() - flushed_).count();
    if (waiting_ > 0 && age > std::max(longest_wait, flush_share * flush_seconds_)) guarded([&] { flush(); });
  }

  std::mutex* shared_lock() noexcept override { return &one_in_the_library; }

  void finish(const RecordFields& record) override {
    guarded([&] {
      flush();
      check_unchanged();
      reserve(0);
      write_record(record);
      check(H5Fflush(file_, H5F_SCOPE_LOCAL));
      trim();
      unlock();
      file_.close();
      output_->close_after_library();
      read_again();
    });
  }

 private:
  void arrange_rows(std::span<const Channel> channels) {
    objects_ = hdf5::arrange(channels);
    columns_ = channels.size();
    const std::size_t row_bytes = sizeof(double) * std::max<std::size_t>(columns_, 1);
    chunk_rows_ = std::clamp(block_bytes / row_bytes, fewest_rows, most_rows);
  }

  /// Whether the file at the path has these columns.
  bool is_earlier(std::span<const Channel> channels) const {
    const Handle file(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    return std::ranges::all_of(hdf5::arrange(channels), [&](const Object& object) {
      if (!object.table) return Handle(H5Dopen2(file, object.path.c_str(), H5P_DEFAULT), H5Dclose) >= 0;
      return hdf5::read_texts(file, object.path + "/channels") == object.names;
    });
  }

  /// How many rows there are up to a time, in every dataset.
  std::size_t rows_until(double until) {
    const Handle times(H5Dopen2(file_, "/time", H5P_DEFAULT), H5Dclose), space(H5Dget_space(times), H5Sclose);
    hsize_t size[2] = {0, 0};
    check(H5Sget_simple_extent_dims(space, size, nullptr));
    std::vector<double> all(size[0]);
    if (!all.empty()) check(H5Dread(times, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()));
    hsize_t rows = static_cast<hsize_t>(std::ranges::upper_bound(all, until) - all.begin());
    for (const Object& object : objects_) {
      const Handle dataset(H5Dopen2(file_, object.path.c_str(), H5P_DEFAULT), H5Dclose),
          extent(H5Dget_space(dataset), H5Sclose);
      check(H5Sget_simple_extent_dims(extent, size, nullptr));
      rows = std::min(rows, size[0]);
    }
    return rows;
  }

  /// Turns errors of the library into a Failure. Nothing more is written after the first one.
  template <class Part>
  void guarded(const Part& part) {
    end_copies();
    try {
      part();
    } catch (const hdf5::Error& error) {
      // Closing the file would write again, and the library crashes on that. All that was flushed is safe.
      file_.abandon();
      if (error.number() != 0) fail_to_write(path_, error.number(), OutputFile::of_results, written_);
      throw Failure(Exit::simulation_failed,
                    fmt::format("cannot write results to {}: HDF5 says: {}", path_, error.what()));
    }
  }

  /// Files of format 1.8: readable by all, and not marked as damaged when the process is killed.
  static Handle access_of_all() {
    Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    check(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18));
    return access;
  }

  void create_file() {
    const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose), access = access_of_all();
    file_ = Handle(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose);
  }

  void create_dataset(Object& object) {
    const hsize_t width = object.columns.size();
    const hsize_t size[2] = {0, width}, limit[2] = {H5S_UNLIMITED, width};
    const hsize_t chunk[2] = {chunk_rows_, std::min<hsize_t>(width, chunk_numbers / chunk_rows_)};
    const int rank = object.table ? 2 : 1;
    const std::string path = object.dataset();
    const Handle space(H5Screate_simple(rank, size, limit), H5Sclose);
    const Handle dataset(H5Dcreate2(file_, path.c_str(), H5T_IEEE_F64LE, space, hdf5::with_groups(),
                                    hdf5::chunked(rank, chunk), H5P_DEFAULT),
                         H5Dclose);
    if (object.table) {
      hdf5::write_texts(file_, object.path + "/channels", object.names);
      hdf5::write_texts(file_, object.path + "/units", object.units);
      if (!object.own_names.empty()) hdf5::write_texts(file_, object.path + "/own_names", object.own_names);
    } else {
      hdf5::write_attribute(dataset, "unit", object.units.front());
    }
    object.path = path;
    object.names = {};
    object.units = {};
    object.own_names = {};
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
    if (rows > 0) {
      check_unchanged();
      for (std::size_t first = 0; first < rows;) first += store_part(first, rows - first);
    }
    flushed_ = Clock::now();
    flush_seconds_ = std::chrono::duration<double>(flushed_ - start).count();
  }

  /// Stores rows of the block, all of them or those for which there is space; returns how many, at least one. What has
  /// no space is dropped before HDF5 gets it, and the file stays sound.
  std::size_t store_part(std::size_t first, std::size_t rows) {
    for (; !try_to_reserve(rows); rows /= 2) {
    }
    for (const Object& object : objects_) append(object, first, rows);
    written_ += rows;
    check(H5Fflush(file_, H5F_SCOPE_LOCAL));
    trim();
    output_->has_rows(written_);
    return rows;
  }

  /// Whether the next rows have space. The chunk that they go on with is written anew. If a single row has no space,
  /// the failure says so.
  bool try_to_reserve(std::size_t rows) {
    const std::size_t numbers = (written_ % chunk_rows_ + rows) * columns_;
    try {
      reserve(numbers * (sizeof(double) + 1) + objects_.size() * object_bytes +
              chunk_bytes * (objects_.size() + columns_ / (chunk_numbers / chunk_rows_)));
      return true;
    } catch (const Failure&) {
      if (rows == 1) throw;
      return false;
    }
  }

  /// Reserves space first: HDF5 leaves a broken file behind when the disk fills up while it writes.
  void reserve(std::size_t growth) {
    hsize_t size = 0;
    check(H5Fget_filesize(file_, &size));
    output_->reserve(size, growth + record_bytes);
  }
  void trim() {
    hsize_t size = 0;
    check(H5Fget_filesize(file_, &size));
    output_->trim(size);
    left_ = size;
  }

  /// Lifts the library's lock. A copy of the process, such as a plugin makes, has the same lock: it would outlive the
  /// end of writing until the copy ends, and nobody could read the file.
  void unlock() {
    void* descriptor = nullptr;
    check(H5Fget_vfd_handle(file_, H5P_DEFAULT, &descriptor));
    ::flock(*static_cast<const int*>(descriptor), LOCK_UN);
  }

  void check_unchanged() {
    try {
      output_->check_unchanged(left_);
    } catch (const Failure&) {
      file_.abandon();  // closing it could write to a file of another program
      throw;
    }
  }

  /// Whether the closed file can be read: all rows, each with its checksum, and the last of them as it was written.
  void read_again() {
    bool same = false;
    try {
      const Handle file(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
      same = hdf5::read_text(file, "record") == json_text(record_) &&
             std::ranges::all_of(objects_, [&](const Object& object) { return is_as_written(file, object); });
    } catch (const hdf5::Error&) {
    }
    if (!same)
      throw Failure(Exit::simulation_failed,
                    fmt::format("the results in {} are not what was written: something wrote over them", path_),
                    remedies::own_file);
  }

  bool is_as_written(const Handle& file, const Object& object) {
    const hsize_t width = object.columns.size();
    const int rank = object.table ? 2 : 1;
    hsize_t size[2] = {0, width};
    const Handle dataset(H5Dopen2(file, object.path.c_str(), H5P_DEFAULT), H5Dclose);
    const Handle space(H5Dget_space(dataset), H5Sclose);
    check(H5Sget_simple_extent_dims(space, size, nullptr));
    if (size[0] != written_) return false;
    for (hsize_t row = 0; row < written_; row += chunk_rows_) {
      const hsize_t offset[2] = {row, 0}, count[2] = {std::min<hsize_t>(chunk_rows_, written_ - row), width};
      const Handle memory(H5Screate_simple(rank, count, nullptr), H5Sclose);
      check(H5Sselect_hyperslab(space, H5S_SELECT_SET, offset, nullptr, count, nullptr));
      part_.resize(count[0] * width);
      check(H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, part_.data()));
    }
    if (written_ == 0 || block_.size() < columns_) return true;
    const double *const read = part_.data() + part_.size() - width, *const last =
                                                                        block_.data() + block_.size() - columns_;
    for (std::size_t k = 0; k < width; ++k)
      if (std::bit_cast<std::uint64_t>(read[k]) != std::bit_cast<std::uint64_t>(last[object.columns[k]])) return false;
    return true;
  }

  void append(const Object& object, std::size_t first, std::size_t rows) {
    part_.clear();
    for (std::size_t r = first; r < first + rows; ++r)
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
  std::uint64_t left_ = 0;                 // size of the file after the last flush, bytes
  std::vector<double> block_, part_;       // the waiting rows, and those columns of them that go into one dataset
  Clock::time_point flushed_;
  double flush_seconds_ = 0;
};

}  // namespace

std::unique_ptr<ResultWriter> make_hdf5_writer(std::unique_ptr<OutputFile> output) {
  return stored_in_time(std::make_unique<Hdf5Writer>(std::move(output)));
}

}  // namespace polyform::host::results
