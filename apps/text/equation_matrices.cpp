#include "apps/text/equation_matrices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "apps/text/terminal.hpp"

namespace polyform::apps {
namespace {

constexpr std::size_t line = 80, label_width = 24, number_width = 11;
constexpr std::size_t most_columns = (line - label_width) / number_width;

/// A row or column: what it belongs to, and which of its components it is.
struct Name {
  std::string owner, component;
  std::string whole() const { return component.empty() ? owner : owner + "." + component; }
};

std::vector<Name> names_of(const EquationMatrices& equations, std::size_t list) {
  std::vector<Name> names;
  if (list == EquationMatrices::one) return names;
  for (std::size_t g = 0; g < equations.groups(list); ++g) {
    const EquationMatrices::Group group = equations.group(list, g);
    std::string_view words = group.components;
    for (std::size_t k = 0; k < group.count; ++k) {
      const std::string_view word = words.substr(0, words.find(' '));
      words.remove_prefix(std::min(words.size(), word.size() + 1));
      std::string component(word);
      if (component.empty() && group.count > 1) component = std::to_string(k + 1);
      names.push_back({std::string(group.name), component});
    }
  }
  return names;
}

/// At most so many characters, with a mark where some are left out.
std::string fitted(const std::string& text, std::size_t width) {
  return text.size() <= width ? text : text.substr(0, width - 1) + "~";
}

std::string label(const Name& name) {
  if (name.component.empty()) return fitted(name.owner, label_width - 3);
  const std::size_t room = label_width - 4 - std::min<std::size_t>(name.component.size(), 10);
  return fitted(name.owner, room) + " " + fitted(name.component, 10);
}

void print_head(const std::vector<Name>& columns, std::size_t first, std::size_t end) {
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

void print_one(const EquationMatrices& equations, const EquationMatrices::Matrix& matrix) {
  const std::vector<Name> rows = names_of(equations, matrix.rows), columns = names_of(equations, matrix.columns);
  const std::size_t width = equations.length(matrix.columns);
  if (matrix.level > 0)
    fmt::print(output(), "{}, level {}: {}\n", matrix.name, matrix.level, matrix.meaning);
  else
    fmt::print(output(), "{}: {}\n", matrix.name, matrix.meaning);
  if (rows.empty() || width == 0) fmt::print(output(), "  (no {})\n", rows.empty() ? "rows" : "columns");
  for (std::size_t first = 0; first < width && !rows.empty(); first += most_columns) {
    const std::size_t end = std::min(width, first + most_columns);
    print_head(columns, first, end);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      std::string text = fmt::format("  {:<{}}", label(rows[r]), label_width - 2);
      for (std::size_t c = first; c < end; ++c)
        text += fmt::format("{:>{}.4g}", matrix.values[r * width + c], number_width);
      fmt::print(output(), "{}\n", text);
    }
  }
}

Json names_json(const EquationMatrices& equations, std::size_t list) {
  Json names = Json::array();
  for (const Name& name : names_of(equations, list)) names.push_back(name.whole());
  return names;
}

}  // namespace

void print_matrices(const EquationMatrices& equations) {
  for (std::size_t m = 0; m < equations.matrices(); ++m) print_one(equations, equations.matrix(m));
}

Json matrices_json(const EquationMatrices& equations) {
  Json all = Json::array();
  for (std::size_t m = 0; m < equations.matrices(); ++m) {
    const EquationMatrices::Matrix matrix = equations.matrix(m);
    Json one{{"name", matrix.name}, {"meaning", matrix.meaning}};
    if (matrix.level > 0) one["level"] = matrix.level;
    one["rows"] = names_json(equations, matrix.rows);
    if (matrix.columns == EquationMatrices::one) {
      one["values"] = std::vector<double>(matrix.values.begin(), matrix.values.end());
    } else {
      one["columns"] = names_json(equations, matrix.columns);
      const std::size_t width = equations.length(matrix.columns);
      Json values = Json::array();
      for (std::size_t r = 0; r < one["rows"].size(); ++r) {
        const auto row = matrix.values.subspan(r * width, width);
        values.push_back(std::vector<double>(row.begin(), row.end()));
      }
      one["values"] = std::move(values);
    }
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace polyform::apps
