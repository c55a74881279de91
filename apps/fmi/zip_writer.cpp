#include "apps/fmi/zip_writer.hpp"

#include <zlib.h>

#include <limits>

#include "framework/diagnostics.hpp"

namespace polyform::fmi {

namespace {

/// Numbers of the format are little-endian.
void put(std::string& out, std::uint32_t value, int bytes) {
  for (int k = 0; k < bytes; ++k) out += static_cast<char>((value >> (8 * k)) & 0xff);
}

constexpr std::uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50;
constexpr std::uint32_t version = 20, utf8_names = 0x800, made_by_unix = 3 << 8;
/// 1980-01-01 00:00, the first time that the format knows. With it, the same model always makes the same bytes.
constexpr std::uint32_t date = 0x21;
constexpr std::uint16_t stored = 0, deflated = 8;

/// The bytes deflated, without zlib's header and checksum; empty if they would not become fewer.
std::string packed(std::string_view bytes) {
  z_stream stream{};
  constexpr int fast = 1, raw_window = -15, memory = 9;  // a library of 10 MB in a tenth of a second
  if (deflateInit2(&stream, fast, Z_DEFLATED, raw_window, memory, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::string out(bytes.size(), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));  // zlib does not write there
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const bool smaller = deflate(&stream, Z_FINISH) == Z_STREAM_END;
  out.resize(smaller ? stream.total_out : 0);
  deflateEnd(&stream);
  return out;
}

/// Writes the facts that stand in the header before a file and again in the list at the end.
void put_facts(std::string& out, std::uint16_t method, std::uint32_t checksum, std::uint32_t packed_size,
               std::uint32_t size, std::size_t name) {
  put(out, utf8_names, 2);
  put(out, method, 2);
  put(out, 0, 2);
  put(out, date, 2);
  put(out, checksum, 4);
  put(out, packed_size, 4);
  put(out, size, 4);
  put(out, static_cast<std::uint32_t>(name), 2);
  put(out, 0, 2);
}

}  // namespace

void ZipWriter::add(std::string_view name, std::string_view bytes, bool executable) {
  constexpr std::size_t most = std::numeric_limits<std::uint32_t>::max();
  if (bytes.size() + out_.size() >= most || entries_.size() >= 0xfffe)
    throw host::Failure(host::Exit::bad_input, "the FMU would have 4 GiB or more", "Name fewer plugins.");
  const std::string small = packed(bytes);
  Entry entry{std::string(name),
              0,
              0,
              static_cast<std::uint32_t>(bytes.size()),
              static_cast<std::uint32_t>(out_.size()),
              small.empty() ? stored : deflated,
              executable};
  entry.checksum = static_cast<std::uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
  const std::string_view content = small.empty() ? bytes : std::string_view(small);
  entry.packed = static_cast<std::uint32_t>(content.size());
  put(out_, local_mark, 4);
  put(out_, version, 2);
  put_facts(out_, entry.method, entry.checksum, entry.packed, entry.size, name.size());
  out_ += name;
  out_ += content;
  entries_.push_back(std::move(entry));
}

std::string ZipWriter::finish() {
  const auto start = static_cast<std::uint32_t>(out_.size());
  for (const Entry& e : entries_) {
    put(out_, central_mark, 4);
    put(out_, made_by_unix | version, 2);
    put(out_, version, 2);
    put_facts(out_, e.method, e.checksum, e.packed, e.size, e.name.size());
    put(out_, 0, 2);
    put(out_, 0, 4);  // comment, disk, internal attributes: two bytes each
    put(out_, (e.executable ? 0100755u : 0100644u) << 16, 4);
    put(out_, e.offset, 4);
    out_ += e.name;
  }
  const auto size = static_cast<std::uint32_t>(out_.size()) - start;
  const auto count = static_cast<std::uint32_t>(entries_.size());
  put(out_, end_mark, 4);
  put(out_, 0, 4);
  put(out_, count, 2);
  put(out_, count, 2);
  put(out_, size, 4);
  put(out_, start, 4);
  put(out_, 0, 2);
  return std::move(out_);
}

}  // namespace polyform::fmi
