// Fields: the one way in which element parameters and formulation options are declared, checked and handed over.
//
// A type declares its fields; the host reads the model file (or --option key=value) against the declaration,
// reports unknown names, wrong types and values out of range with file, line and column, fills in defaults,
// writes the JSON Schema and the help from the same declaration, and hands over one FieldValue per FieldSpec.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include "polyform/contract/index.hpp"
#include "polyform/contract/spatial.hpp"
#include "polyform/contract/time_function.hpp"

namespace polyform {

enum class FieldType : std::int32_t {
  number,          ///< FieldValue::number
  integer,         ///< FieldValue::integer
  boolean,         ///< FieldValue::integer, 0 or 1
  text,            ///< FieldValue::text
  choice,          ///< FieldValue::text and ::integer (index into FieldSpec::choices)
  vector3,         ///< FieldValue::vector
  direction,       ///< FieldValue::vector, normalized; zero length is an error before the type sees it
  orientation,     ///< FieldValue::orientation (quaternion, axis and angle, or rpy in the file)
  numbers,         ///< FieldValue::numbers: one number or a list
  matrix,          ///< FieldValue::numbers with ::rows rows, rows first
  time_function,   ///< FieldValue::functions of size 1
  time_functions,  ///< FieldValue::functions: one function (or number) or a list
  body,            ///< FieldValue::body ('ground' allowed); makes a marker at the frame origin
  marker,          ///< {body, point}: FieldValue::body and ::vector; makes a marker there
  joint,           ///< FieldValue::joint
  bodies,          ///< FieldValue::bodies: one body or a list; makes a marker at each frame origin
  markers,         ///< FieldValue::bodies and ::points: one marker or a list; makes these markers
  joints           ///< FieldValue::joints: one joint or a list
};

/// Whether a field of this type attaches its element to bodies, so that it has markers.
constexpr bool makes_markers(FieldType type) {
  return type == FieldType::body || type == FieldType::marker || type == FieldType::bodies ||
         type == FieldType::markers;
}
/// Whether a field of this type attaches its element to joints.
constexpr bool names_joints(FieldType type) { return type == FieldType::joint || type == FieldType::joints; }

struct FieldSpec {
  std::string_view name;
  FieldType type = FieldType::number;
  std::string_view unit;     ///< "" if it has none
  std::string_view meaning;  ///< one line
  bool required = false;
  std::string_view default_text{};  ///< as one would write it in YAML; "" means: the type decides when not given
  std::span<const std::string_view> choices{};
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  bool exclusive_minimum = false;  ///< value must be > minimum
  double typical = 0;  ///< size of a usual value, in the field's unit; 0: not told. Conformance tries such values
  /// The range in which the element's model holds, in the field's unit; values outside are allowed and give a warning.
  double valid_minimum = -std::numeric_limits<double>::infinity();
  double valid_maximum = std::numeric_limits<double>::infinity();
  bool tied_to_ground =
      false;  ///< the value is of the ground frame: the element's law changes when the model is turned or moved
};

struct FieldValue {
  bool given = false;  ///< in the file; otherwise default_text was read, or all is zero
  double number = 0;
  std::int64_t integer = 0;
  Vec3 vector;
  Quat orientation;
  BodyIndex body = BodyIndex::ground;
  JointIndex joint = JointIndex::none;
  std::uint32_t rows = 0;
  std::string_view text;
  std::span<const double> numbers;
  std::span<const TimeFunction> functions;
  std::span<const BodyIndex> bodies;
  std::span<const Vec3> points;  ///< one for each of `bodies`, in its frame from its origin, m
  std::span<const JointIndex> joints;
};

}  // namespace polyform
