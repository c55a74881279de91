#include "framework/host/registry/file_bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace polyform::host::inline registry {

FileBytes::FileBytes(const std::filesystem::path& path) noexcept {
  descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) {
    error_ = errno;
    return;
  }
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) {
    error_ = errno;
    return;
  }
  regular_ = S_ISREG(status.st_mode);
  if (regular_) size_ = static_cast<std::uint64_t>(status.st_size);
}

FileBytes::~FileBytes() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool FileBytes::read(std::uint64_t offset, void* to, std::size_t count) const noexcept {
  if (!contains(offset, count)) return false;
  auto* next = static_cast<std::byte*>(to);
  while (count > 0) {
    const ssize_t got = ::pread(descriptor_, next, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    next += got;
    offset += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
  return true;
}

bool have_same_bytes(const std::filesystem::path& a, const std::filesystem::path& b) {
  const FileBytes first(a), second(b);
  if (!first.regular() || !second.regular() || first.size() != second.size()) return false;
  constexpr std::uint64_t block = 1u << 16;
  std::array<char, block> left, right;
  for (std::uint64_t offset = 0; offset < first.size(); offset += block) {
    const std::size_t count = std::min(block, first.size() - offset);
    if (!first.read(offset, left.data(), count) || !second.read(offset, right.data(), count) ||
        std::memcmp(left.data(), right.data(), count) != 0)
      return false;
  }
  return true;
}

}  // namespace polyform::host::registry
