#include "framework/host/results/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "framework/diagnostics.hpp"
#include "framework/original_process.hpp"
#include "framework/streams.hpp"

namespace polyform::host::inline results {

namespace {

std::string shown(const std::string& path) { return path == "-" ? "the output stream" : path; }

/// rows: how many the file keeps, where it has any.
std::string remedy_for(int error_number, std::string_view option, std::optional<std::size_t> rows) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR: return fmt::format("The folder must exist; make it, or give another {}.", option);
    case EACCES:
    case EPERM:
    case EROFS: return "Give a file in a folder you may write to.";
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      if (!rows) return "Free some space, or write it to another disk.";
      return fmt::format("Free some space, or write fewer rows (--output-interval) or columns (--columns). {}",
                         *rows == 0   ? "No row could be written."
                         : *rows == 1 ? "The first row is kept."
                                      : fmt::format("The first {} rows are kept.", *rows));
    default: return {};
  }
}

std::size_t whole_lines(std::string_view text) { return static_cast<std::size_t>(std::ranges::count(text, '\n')); }

}  // namespace

void fail_to_write(const std::string& path, int error_number, std::string_view option,
                   std::optional<std::size_t> rows) {
  throw Failure(Exit::simulation_failed,
                fmt::format("cannot write results to {}: {}", shown(path), std::strerror(error_number)),
                remedy_for(error_number, option, rows));
}

OutputFile::OutputFile(std::string path, std::string_view option)
    : path_(std::move(path)), option_(option), stream_(path_ == "-") {
  if (stream_) {
    descriptor_ = ::fileno(output());
    take_identity();
    return;
  }
  claim_.emplace(option, path_);
  std::error_code ignored;
  whole_path_ = std::filesystem::absolute(path_, ignored).string();
  struct stat status {};
  const bool exists = stat(path_.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    const char* what = S_ISDIR(status.st_mode) ? "a folder" : "not a regular file";
    throw Failure(Exit::bad_input, fmt::format("cannot write results to {}: it is {}", path_, what),
                  "Give the name of a file, or - for the output stream.");
  }
  descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0)
    throw Failure(Exit::bad_input, fmt::format("cannot write results to {}: {}", path_, std::strerror(errno)),
                  remedy_for(errno, option, {}));
  made_ = !exists;
  take_identity();
  // Advisory, as HDF5's own: keeps two runs, or a run and an HDF5 reader, from spoiling each other's file.
  if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(descriptor_);
    throw Failure(Exit::bad_input, fmt::format("cannot write results to {}: another program has it open", path_),
                  fmt::format("Close it there, or give another {}.", option));
  }
}

OutputFile::~OutputFile() {
  if (stream_) return;
  if (descriptor_ >= 0) ::close(descriptor_);
  if (made_) unlink(whole_path_.c_str());
}

void OutputFile::replace() {
  if (claim_) claim_->check_unread();
  end_copies();
  made_ = false;
  ours_ = true;
  size_ = 0;
  checksum_ = {};
  if (!stream_ && ftruncate(descriptor_, 0) != 0) fail(errno);
}

void OutputFile::keep(std::uint64_t bytes) {
  if (claim_) claim_->check_unread();
  end_copies();
  made_ = false;
  ours_ = true;
  size_ = static_cast<off_t>(bytes);
  checksum_ = {};
  if (!add_content(checksum_, bytes) || ::ftruncate(descriptor_, size_) != 0 ||
      ::lseek(descriptor_, size_, SEEK_SET) != size_)
    fail(errno);
}

/// The first bytes of the file; false, with the reason in errno, where they cannot be read.
bool OutputFile::add_content(Checksum& sum, std::uint64_t bytes) const {
  const int reader = ::open(whole_path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (reader < 0) return false;
  std::vector<char> block(std::size_t{1} << 20);
  ssize_t n = 0;
  while (bytes > 0 && ((n = ::read(reader, block.data(), std::min<std::uint64_t>(block.size(), bytes))) > 0 ||
                       (n < 0 && errno == EINTR))) {
    if (n < 0) continue;
    sum.add({block.data(), static_cast<std::size_t>(n)});
    bytes -= static_cast<std::uint64_t>(n);
  }
  const int reason = errno;
  ::close(reader);
  errno = reason;
  return n >= 0;
}

void OutputFile::take_identity() {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) return;
  device_ = status.st_dev;
  inode_ = status.st_ino;
}

void OutputFile::write(std::string_view lines) {
  end_copies();
  check_unchanged(static_cast<std::uint64_t>(size_));
  std::size_t done = 0;
  while (done < lines.size()) {
    const ssize_t n = ::write(descriptor_, lines.data() + done, lines.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const int reason = errno;
      drop_after_last_line(lines.substr(0, done));
      if (rows_) *rows_ += whole_lines(lines.substr(0, done));
      fail(reason);
    }
    done += static_cast<std::size_t>(n);
  }
  size_ += static_cast<off_t>(lines.size());
  if (rows_) *rows_ += whole_lines(lines);
  checksum_.add(lines);
}

void OutputFile::fail(int error_number) const { fail_to_write(path_, error_number, option_, rows_); }

void OutputFile::drop_after_last_line(std::string_view written) noexcept {
  const std::size_t newline = written.rfind('\n');
  const std::size_t whole = newline == std::string_view::npos ? 0 : newline + 1;
  off_t end = size_ + static_cast<off_t>(whole);
  if (stream_) {
    // The output stream may lead to a file with content. What cannot be cut is no file.
    struct stat status {};
    const off_t now = ::lseek(descriptor_, 0, SEEK_CUR);
    if (now < 0 || ::fstat(descriptor_, &status) != 0 || status.st_size != now) return;
    end = now - static_cast<off_t>(written.size() - whole);
  }
  // If this fails too, a broken line stays at the end; nothing can be done about it.
  [[maybe_unused]] const int result = ftruncate(descriptor_, end);
}

void OutputFile::check_unchanged(std::optional<std::uint64_t> size) const {
  const auto fail = [&](const std::string& what, const char* remedy) {
    throw Failure(Exit::simulation_failed, fmt::format("the results in {} {}", shown(path_), what), remedy);
  };
  constexpr const char* leave_alone = "Leave the file alone until the run has ended.";
  struct stat here {
  }, there{};
  if (::fstat(descriptor_, &here) != 0 || here.st_dev != device_ || here.st_ino != inode_)
    fail("cannot be written any more: a plugin closed the descriptor of the file", remedies::close_own_alone);
  if (stream_) return;
  if (here.st_nlink == 0) fail("are lost: the file was deleted while it was written", leave_alone);
  if (::stat(whole_path_.c_str(), &there) != 0 || there.st_dev != device_ || there.st_ino != inode_)
    fail("are no longer there: the file was moved or replaced while it was written", leave_alone);
  if (size && static_cast<std::uint64_t>(here.st_size) != *size)
    fail(fmt::format("were changed while they were written: the file has {} bytes, and {} were written", here.st_size,
                     *size),
         "Another program or a plugin writes to the file, or cuts it; give each output a file of its own.");
}

void OutputFile::check_content() const {
  if (::access(whole_path_.c_str(), R_OK) != 0) return;  // a file that may be written only
  Checksum found;
  if (!add_content(found, static_cast<std::uint64_t>(size_))) fail(errno);
  if (found.value() != checksum_.value())
    throw Failure(Exit::simulation_failed,
                  fmt::format("the results in {} are not what was written: something wrote over them", shown(path_)),
                  remedies::own_file);
}

void OutputFile::unlock() {
  if (!stream_) flock(descriptor_, LOCK_UN);
}

void OutputFile::reserve(std::uint64_t size, std::uint64_t growth) {
  int result = 0;
  do result = fallocate(descriptor_, 0, static_cast<off_t>(size), static_cast<off_t>(growth));
  while (result != 0 && errno == EINTR);
  // Other errors mean that the file system cannot tell.
  if (result == 0 || (errno != ENOSPC && errno != EDQUOT && errno != EFBIG)) return;
  const int reason = errno;
  trim(size);
  fail(reason);
}

void OutputFile::trim(std::uint64_t size) noexcept {
  [[maybe_unused]] const int result = ftruncate(descriptor_, static_cast<off_t>(size));
}

void OutputFile::close() {
  if (stream_ || descriptor_ < 0) return;
  check_unchanged(static_cast<std::uint64_t>(size_));
  check_content();
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) fail(errno);
}

void OutputFile::close_after_library() {
  check_unchanged(std::nullopt);
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) fail(errno);
}

}  // namespace polyform::host::results
