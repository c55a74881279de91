#include "apps/session/start_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "framework/host/reading/start_state.hpp"
#include "framework/host/results/result_reader.hpp"

namespace polyform::apps {

namespace {

bool is_hdf5(const std::string& file) {
  constexpr std::string_view mark = "\x89HDF";
  std::string begin(mark.size(), ' ');
  std::ifstream in(file, std::ios::binary);
  return in.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == mark;
}

/// The last row, or the one at the time with those beside it, as a CSV.
std::string rows_of(const std::string& file, std::optional<double> at_time) {
  const host::ResultFile results(file);
  const std::vector<host::Channel>& channels = results.channels();
  const std::size_t rows = results.rows();
  std::size_t first = rows > 0 ? rows - 1 : 0;
  const auto clock = std::ranges::find(channels, "time", &host::Channel::name);
  if (at_time && clock != channels.end() && rows > 0) {
    const std::vector<double> times = results.read(static_cast<std::size_t>(clock - channels.begin()), 1);
    const auto behind = std::ranges::lower_bound(times, *at_time);
    first = behind == times.begin() ? 0 : static_cast<std::size_t>(behind - times.begin()) - 1;
  }
  const std::size_t count = std::min<std::size_t>(at_time ? 3 : 1, rows - first);
  std::vector<std::string> lines(count + 1);
  for (std::size_t c = 0; c < channels.size();) {
    const std::size_t columns = std::min(results.columns_at_once(), channels.size() - c);
    const std::vector<double> values = results.read(c, columns);
    for (std::size_t k = 0; k < columns; ++k) {
      const char* const between = c + k == 0 ? "" : ",";
      lines[0] += between + channels[c + k].name;
      for (std::size_t r = 0; r < count; ++r)
        lines[r + 1] += fmt::format("{}{}", between, values[k * rows + first + r]);
    }
    c += columns;
  }
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

}  // namespace

void start_at(const std::string& file, std::optional<double> at_time, host::Description& model,
              host::Diagnostics& diagnostics) {
  if (file.empty())
    model.start_time = at_time.value_or(0);
  else if (is_hdf5(file))
    host::start_from_text(rows_of(file, at_time), file, at_time, model, diagnostics);
  else
    host::start_from(file, at_time, model, diagnostics);
}

}  // namespace polyform::apps
