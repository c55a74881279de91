// What a study varies: values of the model by their paths, and what each of them takes.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace polyform::host::inline studies {

/// Given values, in their order: numbers with the fewest digits that give back the same double, or words.
struct Levels {
  std::vector<std::string> texts;
};
struct Uniform {
  double low, high;
};
/// The logarithm is uniform; 0 < low.
struct LogUniform {
  double low, high;
};
struct Normal {
  double mean, deviation;
};
struct Triangular {
  double low, mode, high;
};
using Distribution = std::variant<Levels, Uniform, LogUniform, Normal, Triangular>;

struct Factor {
  std::string name;                ///< of its column: the first path
  std::vector<std::string> paths;  ///< in the model; all take the same value
  std::string given;               ///< the distribution as it was written
  Distribution distribution;

  /// Its values where there are only so many; nullptr if any number of a range may be taken.
  const Levels* levels() const { return std::get_if<Levels>(&distribution); }
};

/// From "PATH=VALUES" or "PATH,PATH=VALUES". Values are a list "a,b,c", a range "from:to:count" with both ends, or a
/// distribution: uniform(a,b), loguniform(a,b), normal(mean,deviation), triangular(low,mode,high). Failure (bad_input).
Factor read_factor(std::string_view text);
Factor make_factor(std::vector<std::string> paths, std::string_view values);

/// The value at a probability between 0 and 1, as text: of levels, each has the same share of the interval.
std::string quantile(const Distribution&, double probability);

/// A number with the fewest digits that give back the same double.
std::string number_text(double);

}  // namespace polyform::host::inline studies
