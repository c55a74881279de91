#include "framework/workbench/studies/trajectory_journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "framework/diagnostics.hpp"
#include "framework/host/results/output_file.hpp"

namespace polyform::host::inline studies {

namespace {

/// The first bytes of the file: what it is, and the number of columns.
struct Head {
  char mark[8] = {'P', 'F', 'T', 'R', 'A', 'J', '0', '1'};
  std::uint64_t columns = 0;
};
/// Before each trajectory.
struct Entry {
  std::uint64_t number = 0, numbers = 0, sum = 0;
};

/// FNV-1a over whole numbers: tells an entry that was written in part.
std::uint64_t sum_of(const Entry& entry, std::span<const double> numbers) {
  std::uint64_t sum = 0xcbf29ce484222325ULL;
  const auto add = [&](std::uint64_t bits) { sum = (sum ^ bits) * 0x100000001b3ULL; };
  add(entry.number);
  add(entry.numbers);
  for (const double number : numbers) add(std::bit_cast<std::uint64_t>(number));
  return sum;
}

bool write_all(int descriptor, const void* from, std::size_t bytes) {
  const char* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t n = ::write(descriptor, at, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    at += n;
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

bool read_all(int descriptor, void* to, std::size_t bytes, std::uint64_t offset) {
  char* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t n = ::pread(descriptor, at, bytes, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n;
    offset += static_cast<std::uint64_t>(n);
    bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

}  // namespace

TrajectoryJournal::TrajectoryJournal(const std::string& path, std::size_t columns, bool resume)
    : path_(path), columns_(columns) {
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0)
    throw Failure(Exit::bad_input, fmt::format("cannot write the journal {}: {}", path, std::strerror(errno)),
                  "It stands beside the table; give an --output in a folder you may write to.");
  if (resume) take_up();
  if (end_ == 0) begin();
}

TrajectoryJournal::~TrajectoryJournal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void TrajectoryJournal::begin() {
  const Head head{.columns = columns_};
  if (::ftruncate(descriptor_, 0) != 0 || !write_all(descriptor_, &head, sizeof head)) fail_to_write(path_, errno);
  end_ = sizeof head;
}

void TrajectoryJournal::take_up() {
  Head head;
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) return;
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (!read_all(descriptor_, &head, sizeof head, 0) || std::memcmp(head.mark, Head().mark, sizeof head.mark) != 0 ||
      head.columns != columns_)
    return;
  end_ = sizeof head;
  std::vector<double> numbers;
  for (Entry entry; size - end_ >= sizeof entry && read_all(descriptor_, &entry, sizeof entry, end_);) {
    const std::uint64_t left = (size - end_ - sizeof entry) / sizeof(double);
    if (entry.numbers > left || entry.numbers % columns_ != 0) break;
    numbers.resize(entry.numbers);
    const std::uint64_t offset = end_ + sizeof entry;
    if (!read_all(descriptor_, numbers.data(), numbers.size() * sizeof(double), offset) ||
        sum_of(entry, numbers) != entry.sum)
      break;
    places_[entry.number] = {offset, entry.numbers};
    end_ = offset + entry.numbers * sizeof(double);
  }
  if (::ftruncate(descriptor_, static_cast<off_t>(end_)) != 0) fail_to_write(path_, errno);
}

void TrajectoryJournal::add(std::size_t number, std::span<const double> trajectory) {
  Entry entry{number, trajectory.size(), 0};
  entry.sum = sum_of(entry, trajectory);
  if (!write_all(descriptor_, &entry, sizeof entry) ||
      !write_all(descriptor_, trajectory.data(), trajectory.size_bytes()))
    fail_to_write(path_, errno);
  places_[number] = {end_ + sizeof entry, entry.numbers};
  end_ += sizeof entry + trajectory.size_bytes();
}

std::size_t TrajectoryJournal::rows() const {
  std::uint64_t most = 0;
  for (const auto& [number, place] : places_) most = std::max(most, place.numbers);
  return most / columns_;
}

std::vector<double> TrajectoryJournal::read(std::size_t number) const {
  const auto found = places_.find(number);
  if (found == places_.end()) return {};
  std::vector<double> numbers(found->second.numbers);
  if (!read_all(descriptor_, numbers.data(), numbers.size() * sizeof(double), found->second.offset))
    throw Failure(Exit::simulation_failed, fmt::format("the journal {} cannot be read", path_),
                  "Look at the disk; what was done is kept, and --resume goes on with it.");
  return numbers;
}

}  // namespace polyform::host::inline studies
