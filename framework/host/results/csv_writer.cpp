#include "framework/host/results/csv_writer.hpp"

#include <charconv>
#include <chrono>
#include <fstream>
#include <string>
#include <utility>

#include "framework/host/results/file_writer.hpp"

namespace polyform::host::inline results {

namespace {

using Clock = std::chrono::steady_clock;

// Whole lines are written when so many bytes wait, or the last ones are so old.
constexpr std::size_t bytes_at_once = 1u << 20;
constexpr std::chrono::seconds flush_interval{1};
constexpr std::size_t longest_number = 32;

std::string header_of(std::span<const Channel> channels) {
  std::string header;
  for (const Channel& channel : channels) {
    if (!header.empty()) header += ',';
    header += quoted_in_csv(channel.name);
  }
  return header + '\n';
}

class CsvWriter final : public FileWriter {
 public:
  explicit CsvWriter(std::unique_ptr<OutputFile> file) : file_(std::move(file)) {}

  ~CsvWriter() override {
    try {
      flush();
    } catch (const std::exception&) {
      // The run has failed before, and that reason matters more.
    }
  }

  void begin(std::span<const Channel> channels, const RecordFields&) override {
    file_->replace();
    file_->has_rows(0);
    buffer_ = header_of(channels);
    flush();
    file_->has_rows(0);  // the header is none
  }

  std::size_t go_on(std::span<const Channel> channels, const RecordFields&, double until) override {
    std::ifstream earlier(file_->path(), std::ios::binary);
    std::string line;
    const auto is_whole_line = [&] { return std::getline(earlier, line) && !earlier.eof(); };
    if (!is_whole_line() || line + '\n' != header_of(channels)) refuse_to_go_on(file_->path());
    std::uint64_t bytes = line.size() + 1;
    std::size_t rows = 0;
    for (; is_whole_line(); ++rows) {
      double time = 0;
      const auto [end, problem] = std::from_chars(line.data(), line.data() + line.size(), time);
      if (problem != std::errc()) refuse_to_go_on(file_->path());
      if (time > until) break;
      bytes += line.size() + 1;
    }
    file_->keep(bytes);
    file_->has_rows(rows);
    return rows;
  }

  void row(std::span<const double> values) override {
    // Only whole lines are ever written, so that a killed run leaves no broken one.
    std::size_t used = buffer_.size();
    buffer_.resize(used + values.size() * (longest_number + 1) + 1);
    char* out = buffer_.data() + used;
    for (const double value : values) {
      out = std::to_chars(out, out + longest_number, value).ptr;
      *out++ = ',';
    }
    if (!values.empty()) --out;
    *out++ = '\n';
    buffer_.resize(static_cast<std::size_t>(out - buffer_.data()));
    if (buffer_.size() >= bytes_at_once) flush();
  }

  void store() override {
    if (!buffer_.empty()) flush();
  }

  void store_due() override {
    if (!buffer_.empty() && Clock::now() - flushed_ >= flush_interval) flush();
  }

  void finish(const RecordFields&) override {
    flush();
    file_->close();
  }

 private:
  void flush() {
    // The buffer is emptied first: after a failure the rows must not be written again.
    const std::string text = std::exchange(buffer_, {});
    file_->write(text);
    flushed_ = Clock::now();
  }

  std::unique_ptr<OutputFile> file_;
  std::string buffer_;
  Clock::time_point flushed_ = Clock::now();
};

}  // namespace

std::string quoted_in_csv(const std::string& name) {
  if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

std::unique_ptr<ResultWriter> make_csv_writer(std::unique_ptr<OutputFile> file) {
  return stored_in_time(std::make_unique<CsvWriter>(std::move(file)));
}

}  // namespace polyform::host::results
