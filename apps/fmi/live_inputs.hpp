// Inputs: fields of elements that are functions of time, whose values another program gives while a solver runs.
#pragma once

#include <string>
#include <vector>

#include "framework/host/reading/description.hpp"

namespace polyform::fmi {

/// In the place of a function of time. A number that the model gives is replaced; to a function of time that the model
/// gives the input is added. Between two settings the input goes on with its rate and acceleration.
class LiveFunction final : public TimeFunction::Source {
 public:
  explicit LiveFunction(const TimeFunction& base);

  /// From the time t on. What runs has to begin anew there.
  void set(double t, double value, double rate, double acceleration) noexcept {
    since_ = t;
    now_ = {value, rate, acceleration};
  }
  /// The input itself, without what the model gives.
  TimeFunction::Value given(double t) const noexcept;
  /// What it was set to, before anybody set it.
  double start() const noexcept { return start_; }

  TimeFunction::Value value(double t) const noexcept override;
  double next_knot(double t) const noexcept override { return base_.next_knot(t); }
  double shortest_time() const noexcept override { return base_.shortest_time(); }

 private:
  TimeFunction base_;  ///< zero if it was a number
  double start_, since_ = 0;
  TimeFunction::Value now_;
};

struct LiveInput {
  std::string name;  ///< <element>.<field>, with [k] where the field has several; signal.<name>
  LiveFunction* function = nullptr;
  bool is_motion = false;  ///< of a constraint or a joint: its rate and acceleration are needed too
};

/// Puts a LiveFunction in the place of each field that the patterns name. Patterns are written as in linearize
/// --inputs; without any they are all given fields of functions of time, and external signals; "none" means no field.
/// The description owns the functions. Failure (bad_input) for a pattern that names nothing, or a formula of the state.
std::vector<LiveInput> make_inputs(host::Description&, const std::vector<std::string>& patterns);

}  // namespace polyform::fmi
