// How a type describes itself: its name, its fields, and the numbers that describe it at an instant.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "polyform/contract/field.hpp"
#include "polyform/contract/growth.hpp"

namespace polyform {

/// A number of each instance of a type: a joint coordinate or velocity, a state, a variable, the multiplier of a row.
struct Variable {
  /// How values are compared and shown: an angle counts turns; the four parts of a quaternion w x y z come together.
  enum class Kind : std::int32_t { number, length, angle, quaternion };

  std::string_view name;          ///< of variables, states and outputs as in results: `<element>.<name>`
  std::string_view unit;          ///< "1" where it has none
  bool holonomic = false;         ///< of a row: it is the rate of a position residual, ModuleOutput::residual
  std::int32_t integral_of = -1;  ///< of a state: the index of the variable whose time integral it is; -1: of none
  Kind kind = Kind::number;
};

/// A small integer of each instance of a type, constant between events (discrete_state.hpp).
struct DiscreteVariable {
  std::string_view name;                     ///< as in results: `<element>.<name>`
  std::string_view meaning;                  ///< one line
  std::span<const std::string_view> values;  ///< a word for each value: what 0, 1, … mean
};

/// Describes one type. It is constant and lives as long as its plugin.
struct TypeDescriptor {
  Size<TypeDescriptor> size{};
  std::string_view name{};
  std::string_view meaning{};            ///< one line for help and schema
  Strided<const FieldSpec> fields{};     ///< what a model gives besides name, type and what joints attach to
  Strided<const Variable> positions{};   ///< q of a joint that is code
  Strided<const Variable> velocities{};  ///< v of a joint that is code, at most 6
  Strided<const Variable> variables{};   ///< u of a module
  Strided<const Variable> states{};      ///< first-order states of a force or module
  /// The multipliers of a module, or of a constraint: in results `<element>.<name>`. A constraint type whose instances
  /// differ in the number of their rows gives one name, which results number: `<element>.<name>[k]`. If a row of a
  /// constraint has the unit "", its multiplier has that of the effort on the joint velocity that the row is about.
  Strided<const Variable> rows{};
  /// What a force, constraint or module tells of itself, see outputs.hpp. In results `<element>.<name>`.
  Strided<const Variable> outputs{};
  Strided<const DiscreteVariable> discrete{};  ///< discrete states of a force, constraint or module
};

/// The base of all types of elements.
class ElementType {
 public:
  virtual const TypeDescriptor& descriptor() const noexcept = 0;
  /// A further ability by name, or nullptr: a new ability is a new interface, never a new virtual function here.
  virtual const void* query(std::string_view interface_name) const noexcept {
    (void)interface_name;
    return nullptr;
  }

  std::string_view name() const noexcept { return descriptor().name; }
  std::string_view meaning() const noexcept { return descriptor().meaning; }
  Strided<const FieldSpec> fields() const noexcept { return descriptor().fields; }

 protected:
  ~ElementType() = default;
};

}  // namespace polyform
