// Reads parts of a file without trusting anything it says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace polyform::host::inline registry {

/// An open regular file. Every read is checked against the size of the file.
class FileBytes {
 public:
  /// Never blocks (pipes) and never throws; see error() and regular().
  explicit FileBytes(const std::filesystem::path&) noexcept;
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  /// errno of opening, 0 when open.
  int error() const noexcept { return error_; }
  bool regular() const noexcept { return regular_; }
  std::uint64_t size() const noexcept { return size_; }
  bool contains(std::uint64_t offset, std::uint64_t count) const noexcept {
    return offset <= size_ && count <= size_ - offset;
  }

  /// count bytes from offset; false when the file does not have them.
  bool read(std::uint64_t offset, void* to, std::size_t count) const noexcept;
  template <class Value>
  requires std::is_trivially_copyable_v<Value>
  bool read(std::uint64_t offset, Value& to) const noexcept { return read(offset, &to, sizeof(Value)); }
  /// count values from offset, or nothing if the file does not have them or they exceed 64 MiB.
  template <class Value>
  requires std::is_trivially_copyable_v<Value> std::optional<std::vector<Value>> read_all(std::uint64_t offset,
                                                                                          std::uint64_t count)
  const {
    constexpr std::uint64_t limit = std::uint64_t{64} << 20;
    if (count > limit / sizeof(Value) || !contains(offset, count * sizeof(Value))) return std::nullopt;
    std::vector<Value> values(count);
    if (!read(offset, values.data(), count * sizeof(Value))) return std::nullopt;
    return values;
  }

 private:
  int descriptor_ = -1;
  int error_ = 0;
  bool regular_ = false;
  std::uint64_t size_ = 0;
};

/// Whether two files have the same content.
bool have_same_bytes(const std::filesystem::path&, const std::filesystem::path&);

}  // namespace polyform::host::registry
