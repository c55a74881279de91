// What another program sets before the simulation: parameters, and the state at the start.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/fmi/fmu_model.hpp"

namespace polyform::fmi {

class FixedValues {
 public:
  /// shown: the model with its own values; it outlives the object.
  explicit FixedValues(const FmuModel& shown) : shown_(shown) {}

  bool none() const { return parameters_.empty() && starts_.empty(); }
  void clear();
  /// The value of a parameter or start that was set; nothing if the model's own holds.
  std::optional<double> set_value(const Variable&) const;
  /// Returns whether that changes anything.
  bool set(const Variable&, double value);
  /// In the place of what the model says: with a column, all that are read together with it.
  GivenValues given() const;

  // For states of an instance. Setting tells whether that changes anything; Failure (bad_input) for numbers that are
  // none of this model.
  std::vector<double> parameters() const;  ///< all
  bool set_parameters(std::span<const double>);
  std::vector<double> starts() const;  ///< place and value of each that was set
  bool set_starts(std::span<const double>);

 private:
  const FmuModel& shown_;
  std::map<std::string, double> parameters_;  ///< those that were set
  std::map<std::size_t, double> starts_;      ///< the same, by places in FmuModel::starts()
};

}  // namespace polyform::fmi
