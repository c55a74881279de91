// The layouts of the structures that cross between host and plugins, as this compiler makes them of these headers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "polyform/contract/batch_evaluation.hpp"
#include "polyform/contract/constraint_element.hpp"
#include "polyform/contract/device_launch.hpp"
#include "polyform/contract/discrete_state.hpp"
#include "polyform/contract/equation_matrices.hpp"
#include "polyform/contract/equations.hpp"
#include "polyform/contract/evaluation_cost.hpp"
#include "polyform/contract/event_law.hpp"
#include "polyform/contract/events.hpp"
#include "polyform/contract/flexible_body.hpp"
#include "polyform/contract/force.hpp"
#include "polyform/contract/force_law.hpp"
#include "polyform/contract/formulation.hpp"
#include "polyform/contract/importer.hpp"
#include "polyform/contract/integrator.hpp"
#include "polyform/contract/joint.hpp"
#include "polyform/contract/law_validity.hpp"
#include "polyform/contract/loaded_friction.hpp"
#include "polyform/contract/lost_digits.hpp"
#include "polyform/contract/module.hpp"
#include "polyform/contract/outputs.hpp"
#include "polyform/contract/system_view.hpp"
#include "polyform/contract/unilateral.hpp"
#include "polyform/contract/value_ranges.hpp"

namespace polyform {

enum class Structure : std::uint32_t {
#define POLYFORM_FROZEN(id, type, size) id##_,
#define POLYFORM_STRUCTURE(id, type, size) id##_,
#include "polyform/contract/contract_table.inc"
  count
};

struct StructureRecord {
  std::string_view name;
  bool frozen;
  std::size_t recorded_size, size;
};
inline constexpr StructureRecord structure_records[] = {
#define POLYFORM_FROZEN(id, type, size) {#type, true, size, sizeof(type)},
#define POLYFORM_STRUCTURE(id, type, size) {#type, false, size, sizeof(type)},
#include "polyform/contract/contract_table.inc"
};

struct MemberRecord {
  Structure structure;
  std::string_view name;
  std::size_t recorded_offset, offset, size;
  std::uint32_t minor;
};
inline constexpr MemberRecord member_records[] = {
#define POLYFORM_MEMBER(id, type, member, offset, minor) \
  {Structure::id##_,                                     \
   #member,                                              \
   offset,                                               \
   __builtin_offsetof(type, member),                     \
   sizeof(static_cast<type*>(nullptr)->member),          \
   minor},
#include "polyform/contract/contract_table.inc"
};

/// Room for the structures of later versions.
inline constexpr std::size_t most_structures = 96;
static_assert(static_cast<std::size_t>(Structure::count) <= most_structures);

/// Per structure a hash of the layout of those members that it had in SDK 1.minor, or 0 if it had none. Two libraries
/// with equal numbers can read what the other wrote.
constexpr std::array<std::uint32_t, most_structures> contract_layouts(std::uint32_t minor) {
  std::array<std::uint32_t, most_structures> layouts{};
  for (const MemberRecord& m : member_records) {
    if (m.minor > minor) continue;
    std::uint32_t& hash = layouts[static_cast<std::size_t>(m.structure)];
    if (hash == 0) hash = 2166136261u;  // FNV-1a
    for (const std::size_t part : {m.offset, m.size}) hash = (hash ^ static_cast<std::uint32_t>(part)) * 16777619u;
  }
  return layouts;
}

}  // namespace polyform
