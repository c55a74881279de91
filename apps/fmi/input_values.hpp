// The inputs of one instance of an FMU: what another program has set, and what the motion has been told of it.
#pragma once

#include <span>
#include <vector>

#include "apps/fmi/fmu_model.hpp"

namespace polyform::fmi {

/// A prescribed motion goes on with its rate and acceleration between two settings, and a setting of one input is none
/// of another: only inputs that were set begin anew.
class InputValues {
 public:
  /// shown: the model with its own values.
  void reset(const FmuModel& shown);
  /// own: the model with the parameters that were set. Inputs that were not set begin as these say.
  void start_with(const FmuModel& own);

  bool is_set(std::size_t input) const { return is_set_[input]; }
  bool wait() const { return !waiting_.empty(); }
  /// The value, rate or acceleration that a variable stands for. own: the inputs of the motion, none before it begins;
  /// time: its present one, s.
  double get(const Variable&, const std::vector<LiveInput>* own, double time) const;
  /// Returns whether that changes anything.
  bool set(const Variable&, double value, const std::vector<LiveInput>* own, double time);
  /// Tells the motion what waits, or all, from the time on.
  void pass(const std::vector<LiveInput>& own, double time);
  void pass_all(const std::vector<LiveInput>& own, double time);
  /// All numbers at a time, and back.
  std::vector<double> at(const std::vector<LiveInput>& own, double time) const;
  void take(std::vector<double> numbers);
  std::size_t size() const { return numbers_.size(); }

  /// The place of a variable in the numbers.
  static std::size_t place(const Variable&);

 private:
  bool waits(std::size_t input) const;

  std::vector<double> numbers_;       ///< value, rate and acceleration of each, as they were set last
  std::vector<bool> is_set_;          ///< whether the value was set; else it is the one that parameters say
  std::vector<std::size_t> waiting_;  ///< inputs that the motion has not been told of
};

}  // namespace polyform::fmi
