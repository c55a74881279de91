// Quantities of interest: numbers that are made of the columns of a run.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/host/assembly/system.hpp"
#include "framework/host/columns/row_maker.hpp"
#include "framework/host/simulation/row_sink.hpp"

namespace polyform::host::inline studies {

/// A number that follows from the rows of a column of a run. mean, rms and integral take the column as straight lines
/// between its rows; amplitude is half of the range; crossing is the first time at which the column takes a value, s;
/// difference is the largest distance from the same column of a run with another solver, at the output interval.
struct Aggregate {
  enum class Kind { minimum, maximum, initial, final, mean, rms, amplitude, integral, crossing, difference };
  Kind kind = Kind::final;
  std::string column;
  double value = 0;      ///< that is crossed
  std::string solver{};  ///< that of the other run

  bool operator==(const Aggregate&) const = default;
};

/// One step of an expression that is evaluated on a stack.
struct Operation {
  enum class Kind { number, aggregate, add, subtract, multiply, divide, power, negate, function };
  Kind kind = Kind::number;
  double number = 0;
  std::size_t aggregate = 0;  ///< among those of the quantities
  double (*function)(double) = nullptr;
};

/// Named expressions over aggregates, with + - * / ^, parentheses, abs, sqrt, exp, log, sin, cos, tan and pi.
class Quantities {
 public:
  /// Adds one from "NAME=EXPRESSION". Failure (bad_input) that names the column of the text at which it goes wrong.
  void add(std::string_view text);
  void add(std::string name, std::string_view expression);

  /// The axes of the Euler angles of bodies that they take columns of: as of body_angles().
  void set_euler_angles(std::string text) { euler_angles_ = std::move(text); }
  const std::string& euler_angles() const { return euler_angles_; }

  std::size_t size() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::string>& expressions() const { return expressions_; }
  const std::vector<Aggregate>& aggregates() const { return aggregates_; }
  /// The other solvers of differences, each once.
  std::vector<std::string> solvers() const;
  /// The unit of the quantity, from those of the columns; "" if the expression is more than one aggregate.
  std::string unit(std::size_t quantity, std::span<const Channel> channels) const;
  /// Their values, from those of the aggregates.
  std::vector<double> evaluate(std::span<const double> aggregates) const;

 private:
  std::vector<std::string> names_, expressions_;
  std::vector<std::vector<Operation>> programs_;
  std::vector<Aggregate> aggregates_;
  std::string euler_angles_ = "zyx";
};

/// The columns of differences.
Columns columns_of_differences(const Quantities&);

/// Gathers the aggregates while a run goes on; memory does not grow with the rows.
class AggregateSink final : public RowSink {
 public:
  /// Failure (bad_input) if a column is not there. Both outlive the sink.
  AggregateSink(const System&, const Quantities&);

  /// For another run, as RowMaker::begin_anew().
  bool begin_anew() {
    for (Sum& sum : sums_) sum = Sum{.column = sum.column};
    work_ = begin_ = time_ = 0;
    begun_ = false;
    return rows_.begin_anew();
  }

  void work(double work) override { work_ = work; }
  void row(double time, const Observation&) override;
  /// Those of differences are NaN until they are set.
  std::vector<double> values() const;
  void set_difference(std::size_t aggregate, double value) { sums_[aggregate].difference = value; }
  std::span<const Channel> channels() const { return rows_.channels(); }

 private:
  /// The sum for one aggregate.
  struct Sum {
    std::size_t column = 0;
    double least = std::numeric_limits<double>::infinity(), greatest = -least;
    double first = 0, last = 0;
    double integral = 0, integral_of_square = 0;
    double crossing = std::numeric_limits<double>::quiet_NaN(), difference = crossing;
  };
  double value(const Aggregate&, const Sum&) const;

  const Quantities& quantities_;
  RowMaker rows_;
  std::vector<Sum> sums_;
  double work_ = 0, begin_ = 0, time_ = 0;
  bool begun_ = false;
};

}  // namespace polyform::host::inline studies
