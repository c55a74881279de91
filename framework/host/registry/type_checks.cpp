#include "framework/host/registry/type_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "polyform/contract/rheonomic_joint.hpp"
#include "polyform/mechanics/kinematics.hpp"

namespace polyform::host::inline registry {

namespace {

constexpr const char* no_outputs = "which declares outputs, and these belong to forces, constraints and modules";

bool is_printable(std::string_view text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; });
}

/// Checks names of fields or variables: none is empty, and none occurs twice.
template <class Named>
std::string mistake_in_names(std::string_view what, Strided<const Named> all) {
  std::set<std::string_view> known;
  for (const Named& one : all) {
    if (one.name.empty() || !is_printable(one.name)) return fmt::format("one of whose {}s has no name", what);
    if (!known.insert(one.name).second) return fmt::format("which declares the {} '{}' twice", what, one.name);
  }
  return {};
}

/// Checks names of numbers that are columns of results, `<element>.<name>`.
std::string mistake_in_columns(std::initializer_list<std::pair<std::string_view, Strided<const Variable>>> lists) {
  std::set<std::string_view> known;
  for (const auto& [what, list] : lists) {
    if (std::string mistake = mistake_in_names(what, list); !mistake.empty()) return mistake;
    for (const Variable& one : list) {
      if (one.name.find_first_of(".,\"[]") != std::string_view::npos)
        return fmt::format(
            "whose {} '{}' has a point, comma, quote or bracket in its name, which columns of results "
            "cannot have",
            what, one.name);
      if (!known.insert(one.name).second)
        return fmt::format(
            "which gives two of its numbers the name '{}': its {} cannot be told from the other in results", one.name,
            what);
    }
  }
  return {};
}

std::string mistake_in_fields(Strided<const FieldSpec> fields) {
  if (std::string mistake = mistake_in_names("field", fields); !mistake.empty()) return mistake;
  for (const FieldSpec& field : fields) {
    if (field.type == FieldType::choice && field.choices.empty())
      return fmt::format("whose field '{}' is a choice of nothing", field.name);
    if (!(field.minimum <= field.maximum))
      return fmt::format("whose field '{}' allows no value: its minimum is above its maximum", field.name);
  }
  return {};
}

/// Checks the names of coordinates and velocities: people choose columns by `<joint>.<name>`.
std::string mistake_in_own_names(std::string_view what, Strided<const Variable> all) {
  static constexpr std::string_view columns[] = {"q", "v", "a", "fx", "fy", "fz", "mx", "my", "mz"};
  if (std::string mistake = mistake_in_names(what, all); !mistake.empty()) return mistake;
  for (const Variable& one : all) {
    if (one.name.find_first_of(".,\"[]*?") != std::string_view::npos)
      return fmt::format("whose {} '{}' has a point, comma, quote, bracket, * or ? in its name", what, one.name);
    if (std::ranges::find(columns, one.name) != std::end(columns))
      return fmt::format("whose {} has the name '{}', which columns of results have for something else", what,
                         one.name);
  }
  return {};
}

/// Checks that lengths are in m and angles in rad, and that the four parts of a quaternion follow each other.
std::string mistake_in_coordinates(Strided<const Variable> positions) {
  for (const Variable& one : positions) {
    const bool length = one.kind == Variable::Kind::length;
    const std::string_view unit = length ? "m" : "rad";
    if ((length || one.kind == Variable::Kind::angle) && one.unit != unit)
      return fmt::format("whose coordinate '{}' is {} in '{}': {} are in {}", one.name,
                         length ? "a length" : "an angle", one.unit, length ? "lengths" : "angles", unit);
  }
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (positions[i].kind != Variable::Kind::quaternion) continue;
    for (std::size_t k = 1; k < 4; ++k)
      if (i + k >= positions.size() || positions[i + k].kind != Variable::Kind::quaternion)
        return fmt::format("whose coordinate '{}' begins a quaternion, of which not all four parts follow",
                           positions[i].name);
    i += 3;
  }
  return mistake_in_own_names("coordinate", positions);
}

std::string mistake_in_discrete(Strided<const DiscreteVariable> variables) {
  for (const DiscreteVariable& v : variables)
    if (v.values.size() < 2) return fmt::format("whose discrete state '{}' names less than two values", v.name);
  return mistake_in_names("discrete state", variables);
}

std::string mistake_in_sizes(const JointType& type) {
  const std::size_t nq = type.position_count(), nv = type.velocity_count();
  if (type.kernel() == nullptr)
    return nq == 0 && nv == 0
               ? std::string()
               : fmt::format("which declares {} coordinates and {} velocities but has no kernel", nq, nv);
  if (nv < 1 || nv > 6) return fmt::format("whose kernel declares {} velocities, where a joint has 1 to 6", nv);
  if (nq < nv)
    return fmt::format("whose kernel declares {} coordinates for {} velocities, and a pose takes as many at least", nq,
                       nv);
  if (ask<RheonomicKernel>(*type.kernel()) != nullptr && type.descriptor().positions.back().unit != "s")
    return fmt::format("whose kernel depends on time, but whose last coordinate '{}' is no time in s",
                       type.descriptor().positions.back().name);
  if (nq > most_joint_positions)
    return fmt::format("whose kernel declares {} coordinates, where {} are the most", nq, most_joint_positions);
  return {};
}

}  // namespace

std::string mistake_of(const Formulation& type) { return mistake_in_fields(type.options()); }

std::string mistake_of(const JointType& type) {
  std::string mistake = type.descriptor().outputs.empty() ? mistake_in_sizes(type) : no_outputs;
  if (mistake.empty()) mistake = mistake_in_coordinates(type.descriptor().positions);
  if (mistake.empty()) mistake = mistake_in_own_names("velocity", type.descriptor().velocities);
  return mistake.empty() ? mistake_in_fields(type.fields()) : mistake;
}

std::string mistake_of(const ForceType& type) {
  if (type.state_count() > most_states)
    return fmt::format("which declares {} states for each, where {} are the most", type.state_count(), most_states);
  const TypeDescriptor& told = type.descriptor();
  std::string mistake = mistake_in_columns({{"state", told.states}, {"output", told.outputs}});
  if (mistake.empty()) mistake = mistake_in_discrete(told.discrete);
  return mistake.empty() ? mistake_in_fields(type.fields()) : mistake;
}

std::string mistake_of(const FlexibleBodyType& type) {
  if (!type.descriptor().outputs.empty()) return no_outputs;
  return mistake_in_fields(type.fields());
}

std::string mistake_of(const ModuleType& type) {
  if (std::string mistake = mistake_in_columns({{"variable", type.variables()},
                                                {"state", type.states()},
                                                {"row", type.rows()},
                                                {"output", type.descriptor().outputs}});
      !mistake.empty())
    return mistake;
  for (const Variable& state : type.states())
    if (state.integral_of < -1 || state.integral_of >= static_cast<std::int64_t>(type.variables().size()))
      return fmt::format("whose state '{}' is said to be the integral of variable {}, of {}", state.name,
                         state.integral_of, type.variables().size());
  if (std::string mistake = mistake_in_discrete(type.descriptor().discrete); !mistake.empty()) return mistake;
  return mistake_in_fields(type.fields());
}

std::string mistake_of(const ConstraintType& type) {
  const TypeDescriptor& told = type.descriptor();
  std::string mistake = mistake_in_columns({{"row", told.rows}, {"output", told.outputs}});
  if (mistake.empty()) mistake = mistake_in_discrete(type.descriptor().discrete);
  return mistake.empty() ? mistake_in_fields(type.fields()) : mistake;
}

std::string mistake_of(const IntegratorType& type) {
  if (type.order() < 1) return fmt::format("which declares the order {}, where 1 is the least", type.order());
  return mistake_in_fields(type.fields());
}

std::string mistake_of(const DeviceType& type) {
  return type.code().empty() ? "which does not tell the form of the code that it loads" : "";
}

std::string mistake_of(const ImporterType& type) {
  const std::string_view name = type.name();
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  if (!std::ranges::all_of(name, plain))
    return "whose name has other characters than small letters, digits and '-', so that it is no option of export";
  return mistake_in_fields(type.fields());
}

}  // namespace polyform::host::registry
