// Matrices whose rows and columns have names, in 80 columns.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace polyform::apps {

/// A row or column: what it belongs to, and which of its components it is (empty: it has one).
struct MatrixName {
  std::string owner, component;
  std::string whole() const { return component.empty() ? owner : owner + "." + component; }
};

/// Adds `count` names of one owner. Its components are the words of `words`, one after the other; where those end,
/// they are numbered from 1.
void add_names(std::vector<MatrixName>& names, std::string_view owner, std::size_t count, std::string_view words = {});

/// Prints a title and the numbers, row by row; a wide matrix comes in several parts. Without column names the numbers
/// are one column without a head.
void print_named_matrix(const std::string& title, const std::vector<MatrixName>& rows,
                        const std::vector<MatrixName>& columns, std::span<const double> numbers);

}  // namespace polyform::apps
