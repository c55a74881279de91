// Fields of a flexible beam for the tests.
#pragma once

#include "tests/flexible/flexible_bench.hpp"

namespace polyform::test {

inline const FlexibleBodyType& beam_type = flexible::flexible_beam();

/// 1 m, 0.5 kg/m, 0.8 N m²: the beam of the flexible pendulum.
inline FieldSet beam_fields(std::int64_t boundary, std::int64_t modes) {
  FieldSet f(beam_type.fields());
  f.number("length", 1).number("linear_density", 0.5).number("bending_stiffness", 0.8);
  f.integer("modes", modes).integer("boundary", boundary);
  return f;
}

}  // namespace polyform::test
