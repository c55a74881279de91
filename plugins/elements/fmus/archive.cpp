#include "archive.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace polyform::fmus {

namespace fs = std::filesystem;

namespace {

constexpr std::uint32_t end_mark = 0x06054b50, central_mark = 0x02014b50, local_mark = 0x04034b50;
constexpr std::size_t end_size = 22, central_size = 46, local_size = 30, longest_comment = 65535;
constexpr std::size_t largest = std::size_t{4} << 30;  ///< of all files together, bytes

[[noreturn]] void refuse(const std::string& why) { throw std::runtime_error(why); }

/// Little-endian numbers at places that are checked.
class Bytes {
 public:
  explicit Bytes(std::string_view all) : all_(all) {}
  std::uint32_t number(std::size_t at, std::size_t size) const {
    std::uint32_t value = 0;
    const std::string_view from = part(at, size);
    for (std::size_t k = size; k-- > 0;) value = (value << 8) | static_cast<unsigned char>(from[k]);
    return value;
  }
  std::string_view part(std::size_t at, std::size_t size) const {
    if (at > all_.size() || size > all_.size() - at) refuse("the archive is cut short");
    return all_.substr(at, size);
  }
  std::size_t size() const { return all_.size(); }

 private:
  std::string_view all_;
};

/// The end of the list of files, searched from the end: a comment may follow the list.
std::size_t find_end(const Bytes& bytes) {
  if (bytes.size() < end_size) refuse("it is no ZIP archive");
  const std::size_t last = bytes.size() - end_size;
  for (std::size_t at = last + 1; at-- > (last > longest_comment ? last - longest_comment : 0);)
    if (bytes.number(at, 4) == end_mark) return at;
  refuse("it is no ZIP archive, or it is cut short");
}

fs::path place_of(const fs::path& folder, std::string_view name) {
  const fs::path path{std::string(name)};
  constexpr std::string_view foreign("\\\0", 2);  // what separates folders elsewhere, and what ends names in C
  const bool leads_out = path.is_absolute() || name.find_first_of(foreign) != std::string_view::npos ||
                         std::ranges::any_of(path, [](const fs::path& part) { return part == ".."; });
  if (leads_out) refuse(fmt::format("the file {} of the archive lies outside of it", name));
  return folder / path;
}

std::string inflated(std::string_view packed, std::size_t size) {
  std::string out(size, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, -15) != Z_OK) refuse("memory ran out");             // without zlib's own header
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));  // zlib does not write there
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int end = inflate(&stream, Z_FINISH);
  const std::size_t written = stream.total_out;
  inflateEnd(&stream);
  if (end != Z_STREAM_END || written != size) refuse("a packed file in the archive is damaged");
  return out;
}

}  // namespace

void unpack(const fs::path& archive, const fs::path& folder) {
  std::ifstream in(archive, std::ios::binary);
  std::ostringstream read;
  read << in.rdbuf();
  if (!in) refuse("it cannot be read");
  const std::string text = std::move(read).str();
  const Bytes bytes(text);
  const std::size_t end = find_end(bytes);
  const std::uint32_t count = bytes.number(end + 10, 2);
  std::size_t at = bytes.number(end + 16, 4), total = 0;
  for (std::uint32_t k = 0; k < count; ++k) {
    if (bytes.number(at, 4) != central_mark) refuse("the list of files of the archive is damaged");
    const std::uint32_t flags = bytes.number(at + 8, 2), method = bytes.number(at + 10, 2);
    const std::uint32_t checksum = bytes.number(at + 16, 4), packed = bytes.number(at + 20, 4);
    const std::uint32_t size = bytes.number(at + 24, 4), name_size = bytes.number(at + 28, 2);
    const std::size_t local = bytes.number(at + 42, 4);
    const std::string_view name = bytes.part(at + central_size, name_size);
    at += central_size + name_size + bytes.number(at + 30, 2) + bytes.number(at + 32, 2);
    if (name.empty() || name.ends_with('/')) continue;
    if ((flags & 1u) != 0) refuse("the archive is encrypted");
    total += size;
    if (packed == 0xffffffffu || size == 0xffffffffu || total > largest) refuse("the archive holds 4 GiB or more");
    if (bytes.number(local, 4) != local_mark) refuse("the list of files of the archive is damaged");
    const std::size_t start = local + local_size + bytes.number(local + 26, 2) + bytes.number(local + 28, 2);
    const std::string_view content = bytes.part(start, packed);
    if (method != 0 && method != 8) refuse(fmt::format("{} is packed by a method that is not known", name));
    // Deflate makes no file smaller by more than a factor of 1100; without it both sizes are the same.
    if (method == 8 ? size / 1100 > packed : size != packed) refuse("a packed file in the archive is damaged");
    const std::string unpacked = method == 8 ? inflated(content, size) : std::string(content);
    if (crc32(0, reinterpret_cast<const Bytef*>(unpacked.data()), static_cast<uInt>(unpacked.size())) != checksum)
      refuse(fmt::format("the file {} of the archive is damaged", name));
    const fs::path file = place_of(folder, name);
    fs::create_directories(file.parent_path());
    std::ofstream out(file, std::ios::binary);
    out << unpacked;
    out.close();
    if (!out) refuse(fmt::format("{} cannot be written; is the disk full?", file.string()));
  }
}

}  // namespace polyform::fmus
