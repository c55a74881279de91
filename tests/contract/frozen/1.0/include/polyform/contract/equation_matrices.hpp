// The matrices of a formulation's own equations, to look at: numbers whose rows and columns have names. A solver that
// has them offers them by Solver::query; `evaluate --equations` shows them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "polyform/contract/formulation.hpp"

namespace polyform {

/// What it tells belongs to the state that form() was last called with, and lasts until the next call.
class EquationMatrices {
 public:
  /// Consecutive rows or columns that belong to one body, joint, constraint, or the like.
  struct Group {
    Size<Group> size{};
    std::string_view name{};
    std::size_t count = 0;
    std::string_view components{};  ///< a word for each row or column, with spaces between; empty: numbers do
  };
  static constexpr std::size_t one = static_cast<std::size_t>(-1);  ///< in the place of a list: a single column
  struct Matrix {
    Size<Matrix> size{};
    std::string_view name{};              ///< as the paper writes it
    std::string_view meaning{};           ///< what it is, with the number of its equation
    std::size_t rows = 0, columns = one;  ///< lists whose groups are the rows and the columns
    std::size_t level = 0;                ///< of a hierarchy of models, from 1; 0 if there is none
    std::span<const double> values{};     ///< rows first
  };
  static constexpr std::string_view interface_name = "polyform.equation_matrices.1";

  /// Finds all matrices at a state. failed: Solver::failure() says why.
  Status form(double t, const ConstStateView& state) noexcept { return do_form(t, state); }
  virtual std::size_t lists() const noexcept = 0;
  virtual std::size_t groups(std::size_t list) const noexcept = 0;
  virtual void describe_group(std::size_t list, std::size_t group, Group& out) const noexcept = 0;
  virtual std::size_t matrices() const noexcept = 0;
  virtual void describe_matrix(std::size_t, Matrix& out) const noexcept = 0;

  Group group(std::size_t list, std::size_t i) const noexcept {
    Group out;
    describe_group(list, i, out);
    return out;
  }
  Matrix matrix(std::size_t i) const noexcept {
    Matrix out;
    describe_matrix(i, out);
    return out;
  }
  /// Rows or columns of a list.
  std::size_t length(std::size_t list) const noexcept {
    std::size_t sum = list == one ? 1 : 0;
    for (std::size_t i = 0; list != one && i < groups(list); ++i) sum += group(list, i).count;
    return sum;
  }

 protected:
  ~EquationMatrices() = default;
  virtual Status do_form(double t, const ConstStateView&) noexcept = 0;
};

}  // namespace polyform
