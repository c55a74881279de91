#include "apps/text/equation_matrices.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "apps/text/named_matrix.hpp"

namespace polyform::apps {
namespace {

std::vector<MatrixName> names_of(const EquationMatrices& equations, std::size_t list) {
  std::vector<MatrixName> names;
  if (list == EquationMatrices::one) return names;
  for (std::size_t g = 0; g < equations.groups(list); ++g) {
    const EquationMatrices::Group group = equations.group(list, g);
    add_names(names, group.name, group.count, group.components);
  }
  return names;
}

void print_one(const EquationMatrices& equations, const EquationMatrices::Matrix& matrix) {
  const std::string level = matrix.level > 0 ? fmt::format(", level {}", matrix.level) : std::string();
  print_named_matrix(fmt::format("{}{}: {}", matrix.name, level, matrix.meaning), names_of(equations, matrix.rows),
                     names_of(equations, matrix.columns), matrix.values);
}

Json names_json(const EquationMatrices& equations, std::size_t list) {
  Json names = Json::array();
  for (const MatrixName& name : names_of(equations, list)) names.push_back(name.whole());
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
