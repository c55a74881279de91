// Vectors whose components are functions of time, as fields of type time_functions give them.
#pragma once

#include <algorithm>

#include "polyform/contract/diagnostic.hpp"
#include "polyform/helpers/element_helpers.hpp"
#include "polyform/contract/field.hpp"

namespace polyform {

/// The value of a function at time t, without its rates.
inline double value_at(const TimeFunction& f, double t) noexcept {
  return f.is_constant() ? f.constant : f.kind == TimeFunction::Kind::other ? f.source->value(t).value : f(t).value;
}

struct TimeVector {
  TimeFunction components[3];

  /// The vector in a field that passed check_time_vector.
  explicit TimeVector(const FieldValue& field) { std::copy_n(field.functions.begin(), 3, components); }
  Vec3 operator()(double t) const noexcept {
    return {value_at(components[0], t), value_at(components[1], t), value_at(components[2], t)};
  }
  bool is_constant() const noexcept { return std::ranges::all_of(components, &TimeFunction::is_constant); }
};

/// Reports a field that has other than three components.
inline bool check_time_vector(const FieldValue& value, const FieldSpec& spec, std::size_t instance, std::size_t field,
                              FieldSink& sink) noexcept {
  const std::size_t given = value.functions.size();
  if (given == 3) return true;
  sink.report(Severity::error, instance, field,
              Message("{} component{} given for the {}, expected 3", given, plural(given), spec.name),
              "Give a list [x, y, z] of numbers or functions of time.");
  return false;
}

}  // namespace polyform
