#include "apps/text/named_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/text/terminal.hpp"

namespace polyform::apps {
namespace {

constexpr std::size_t line = 80, label_width = 24, number_width = 11;
constexpr std::size_t most_columns = (line - label_width) / number_width;

/// At most so many characters, with a mark where some are left out.
std::string fitted(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 1) + "~";
}

std::string label(const MatrixName& name) {
  if (name.component.empty()) return fitted(name.owner, label_width - 3);
  const std::size_t room = label_width - 4 - std::min<std::size_t>(name.component.size(), 10);
  return fitted(name.owner, room) + " " + fitted(name.component, 10);
}

void print_head(const std::vector<MatrixName>& columns, std::size_t first, std::size_t end) {
  if (columns.empty()) return;
  std::string owners(label_width, ' '), components(label_width, ' ');
  bool any = false;
  for (std::size_t c = first; c < end; ++c) {
    owners += fmt::format("{:>{}}", fitted(columns[c].owner, number_width - 1), number_width);
    components += fmt::format("{:>{}}", fitted(columns[c].component, number_width - 1), number_width);
    any = any || !columns[c].component.empty();
  }
  fmt::print(output(), "{}\n", owners);
  if (any) fmt::print(output(), "{}\n", components);
}

}  // namespace

void add_names(std::vector<MatrixName>& names, std::string_view owner, std::size_t count, std::string_view words) {
  for (std::size_t k = 0; k < count; ++k) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    std::string component(word);
    if (component.empty() && count > 1) component = std::to_string(k + 1);
    names.push_back({std::string(owner), component});
  }
}

void print_named_matrix(const std::string& title, const std::vector<MatrixName>& rows,
                        const std::vector<MatrixName>& columns, std::span<const double> numbers) {
  const std::size_t width = rows.empty() ? columns.size() : numbers.size() / rows.size();
  print_paragraphs(title);
  if (rows.empty() || width == 0) fmt::print(output(), "  (no {})\n", rows.empty() ? "rows" : "columns");
  for (std::size_t first = 0; first < width && !rows.empty(); first += most_columns) {
    const std::size_t end = std::min(width, first + most_columns);
    print_head(columns, first, end);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::string text = fmt::format("  {:<{}}", label(rows[r]), label_width - 2);
      for (std::size_t c = first; c < end; ++c) text += fmt::format("{:>{}.4g}", numbers[r * width + c], number_width);
      fmt::print(output(), "{}\n", text);
    }
  }
}

}  // namespace polyform::apps
