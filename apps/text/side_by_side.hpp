// Evaluations of one model side by side: a row per acceleration and reaction, a column per way to find them.
#pragma once

#include <string>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "framework/host/columns/row_maker.hpp"
#include "polyform/contract/formulation.hpp"

namespace polyform::apps {

/// Names of rows are those of result columns. The system outlives it.
class SideBySide {
 public:
  explicit SideBySide(const host::System&);

  /// title: of the column, such as the value of an option.
  void add(std::string title, const Observation&);
  bool empty() const { return columns_.empty(); }
  /// Prints the table and, below it, the difference of each column from the first.
  void print(std::string_view heading) const;
  /// The largest difference of a column from the first, relative to the largest value of the same kind: forces and
  /// moments, or accelerations.
  double difference(std::size_t column) const;

 private:
  struct Column {
    std::string title;
    std::vector<double> values;
  };
  /// The largest values: of forces and moments, and of accelerations.
  struct Sizes {
    double reaction = 0, acceleration = 0;
  };
  Sizes sizes() const;
  double size_at(std::size_t row, const Sizes& all) const {
    return is_reaction_[row] ? all.reaction : all.acceleration;
  }

  double start_time_;
  host::RowMaker rows_;
  double gravity_;                 ///< m/s²; differences of accelerations are judged relative to it, too
  std::vector<bool> is_reaction_;  ///< per row
  std::vector<Column> columns_;
};

}  // namespace polyform::apps
