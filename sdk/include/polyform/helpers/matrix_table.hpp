// The matrices of a formulation's equations as a table, for solvers that offer EquationMatrices.
#pragma once

#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "polyform/contract/equation_matrices.hpp"

namespace polyform {

/// Keeps lists of names and matrices. A derived class fills it anew at each state.
class MatrixTable : public EquationMatrices {
 public:
  std::size_t lists() const noexcept override { return lists_.size(); }
  std::size_t groups(std::size_t list) const noexcept override { return lists_[list].size(); }
  void describe_group(std::size_t list, std::size_t i, Group& out) const noexcept override {
    const OwnGroup& own = lists_[list][i];
    out.name = own.name;
    out.count = own.count;
    out.components = own.components;
  }
  std::size_t matrices() const noexcept override { return matrices_.size(); }
  void describe_matrix(std::size_t i, Matrix& out) const noexcept override {
    const OwnMatrix& own = matrices_[i];
    out.name = own.name;
    out.meaning = own.meaning;
    out.rows = own.rows;
    out.columns = own.columns;
    out.level = own.level;
    out.values = own.values;
  }

 protected:
  ~MatrixTable() = default;
  /// Fills the table: start() first, then lists with their groups, then matrices. False if the equations cannot be
  /// formed. It may allocate and throw.
  virtual bool fill(double t, const ConstStateView&) = 0;

  void start() {
    lists_.clear();
    matrices_.clear();
  }
  std::size_t add_list() {
    lists_.emplace_back();
    return lists_.size() - 1;
  }
  void add_group(std::size_t list, std::string name, std::size_t count, std::string components = {}) {
    if (count > 0) lists_[list].push_back({std::move(name), count, std::move(components)});
  }
  /// values: rows first, as many as the lists have rows and columns.
  void add_matrix(std::string name, std::string meaning, std::size_t rows, std::size_t columns,
                  std::vector<double> values, std::size_t level = 0) {
    matrices_.push_back({std::move(name), std::move(meaning), rows, columns, level, std::move(values)});
  }

 private:
  struct OwnGroup {
    std::string name;
    std::size_t count;
    std::string components;
  };
  struct OwnMatrix {
    std::string name, meaning;
    std::size_t rows, columns, level;
    std::vector<double> values;
  };
  Status do_form(double t, const ConstStateView& state) noexcept override {
    try {
      return fill(t, state) ? Status::ok : Status::failed;
    } catch (const std::exception&) {  // no memory
      return Status::failed;
    }
  }

  std::vector<std::vector<OwnGroup>> lists_;
  std::vector<OwnMatrix> matrices_;
};

}  // namespace polyform
