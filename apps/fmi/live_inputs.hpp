// Inputs: fields of elements that are functions of time, whose values another program gives while a solver runs.
#pragma once

#include <string>
#include <vector>

#include "framework/host/reading/description.hpp"
#include "framework/host/watches/each_function_of_time.hpp"

namespace polyform::fmi {

/// Stands in the place of a function of time. The input replaces a number that the model gives, and is added to a
/// function of time that the model gives. Between two settings the input goes on with its rate and acceleration.
class LiveFunction final : public TimeFunction::Source, public host::AddsToFunction {
 public:
  explicit LiveFunction(const TimeFunction& base);

  /// Sets the input from the time t on. A run has to begin anew there.
  void set(double t, double value, double rate, double acceleration) noexcept {
    since_ = t;
    now_ = {value, rate, acceleration};
  }
  /// What it was set to, and when, to be put back exactly.
  struct Setting {
    double since = 0;
    TimeFunction::Value now;
  };
  Setting setting() const noexcept { return {since_, now_}; }
  void put_back(const Setting& s) noexcept { since_ = s.since, now_ = s.now; }
  /// The input itself, without what the model gives.
  TimeFunction::Value given(double t) const noexcept;
  /// The value before the first set().
  double start() const noexcept { return start_; }

  TimeFunction::Value value(double t) const noexcept override;
  double next_knot(double t) const noexcept override { return base_.next_knot(t); }
  double shortest_time() const noexcept override { return base_.shortest_time(); }
  const TimeFunction& base() const noexcept override { return base_; }
  const void* query(std::string_view asked) const noexcept override {
    return asked == AddsToFunction::interface_name ? static_cast<const AddsToFunction*>(this) : nullptr;
  }

 private:
  TimeFunction base_;  ///< zero if it was a number
  double start_, since_ = 0;
  TimeFunction::Value now_;
};

struct LiveInput {
  std::string name;  ///< <element>.<field>, with [k] if the field has several; signal.<name>
  LiveFunction* function = nullptr;
  bool is_motion = false;  ///< of a constraint or a joint: its rate and acceleration are needed too
};

/// Puts a LiveFunction in the place of each field that the patterns name. Patterns are written as in linearize
/// --inputs. Without any, all given fields of functions of time and all external signals are taken; "none" means no
/// field. The description owns the functions. Failure (bad_input) for a pattern that names nothing, or a formula of the
/// state.
std::vector<LiveInput> make_inputs(host::Description&, const std::vector<std::string>& patterns);

}  // namespace polyform::fmi
