// The HDF5 library with owned handles, and attributes.
#pragma once

#include <hdf5.h>

#include <string>
#include <utility>
#include <vector>

#include "framework/host/results/record.hpp"

namespace polyform::host::inline results::hdf5 {

/// An HDF5 call failed. what(): the library's innermost reason; the system's error number, or 0.
class Error : public std::exception {
 public:
  Error();
  const char* what() const noexcept override { return reason_.c_str(); }
  int number() const noexcept { return number_; }

 private:
  std::string reason_;
  int number_ = 0;
};

/// Call it first. It keeps the library from printing errors, and from working when the process ends, where it would
/// crash on a file that could not be written.
void set_up();

/// Throws Error for the negative results by which the library reports a failure.
template <class Result>
Result check(Result result) {
  if (result < 0) throw Error();
  return result;
}

/// Owns an identifier.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close how) : id_(check(id)), close_(how) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  /// Gives it up without closing it.
  void abandon() { id_ = -1; }
  /// Closes now; throws Error when the library reports a late failure.
  void close() {
    if (id_ >= 0) check(close_(std::exchange(id_, -1)));
  }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// Attributes of an object. Writing replaces; text is UTF-8.
void write_attribute(hid_t object, const std::string& name, const std::string& text);
void write_attribute(hid_t object, const std::string& name, double number);
void write_attribute(hid_t object, const std::string& name, std::int64_t number);

std::string read_text(hid_t object, const std::string& name);
/// All scalar attributes of text and numbers, in alphabetical order.
RecordFields read_fields(hid_t object);

/// A dataset of texts, all of one fixed length, compressed. The groups on the way to it are made.
void write_texts(hid_t file, const std::string& path, const std::vector<std::string>& texts);
std::vector<std::string> read_texts(hid_t file, const std::string& path);

/// How datasets are stored: in chunks of that shape, shuffled and deflated, without time stamps.
Handle chunked(int rank, const hsize_t* chunk);
/// How links are made: with the groups on the way, names in UTF-8.
Handle with_groups();

}  // namespace polyform::host::results::hdf5
